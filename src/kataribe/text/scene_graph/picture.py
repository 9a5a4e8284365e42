"""A scene graph as a picture: cards for objects with what they are like, arrows through the relations between them.

    columns    objects in even columns, relations between the columns of those they join
    rows       nodes are moved towards their neighbours, a few times over, and never overlap
    edges      curves that pass a column between its nodes, never over them

The picture is one SVG file that needs nothing else.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from itertools import pairwise
from xml.sax.saxutils import escape

from kataribe.text.scene_graph.graph import NOBODY, SceneGraph, Word, tuple_text

_MARGIN, _COLUMN_GAP, _ROW_GAP = 24.0, 44.0, 18.0
_FONT, _SMALL = 17.0, 13.0
_SWEEPS = 12
_STYLE = """
text { fill: #1c2430 }
text { font-family: "Hiragino Sans", "Noto Sans CJK JP", "Noto Sans JP", "Yu Gothic", Meiryo, sans-serif }
.object { fill: #fdf3e7; stroke: #c9741a; stroke-width: 1.5 }
.nobody { fill: #f4f4f4; stroke: #888; stroke-width: 1.5; stroke-dasharray: 5 4 }
.attribute { fill: #dff0e1; stroke: #3f8a4d }
.relation { fill: #e4eefb; stroke: #2f6db3 }
.edge { fill: none; stroke: #55606e; stroke-width: 1.4 }
.name { font-size: 17px; font-weight: 600 } .small { font-size: 13px }
"""
# XML has no place for these, not even escaped.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(eq=False)
class _Node:
    column: int
    width: float = 0.0
    height: float = 8.0
    y: float = 0.0
    x: float = 0.0
    label: str = ""
    style: str = ""
    chips: list[str] = field(default_factory=list)
    neighbours: list[_Node] = field(default_factory=list)


def draw(graph: SceneGraph, caption: str) -> str:
    """The picture, with the caption under it.

    >>> dog, run = Word("犬", "犬"), Word("走る", "走る")
    >>> draw(SceneGraph((dog,), ((dog, run),), ()), "<犬> が走る").count("&lt;犬&gt;")
    2
    """
    cards, edges = _nodes(graph)
    paths = [_path(*edge) for edge in edges]
    nodes = list(dict.fromkeys([*cards, *(node for path in paths for node in path)]))
    _arrange(nodes)
    return _write(nodes, paths, graph, caption)


def _nodes(graph: SceneGraph) -> tuple[list[_Node], list[tuple[_Node, _Node]]]:
    """Objects and relations with their columns, and the edges between them."""
    things = list(dict.fromkeys([*graph.objects, *(word for entry in graph.attributes for word in entry[:1])]))
    things = list(dict.fromkeys([*things, *(word for s, _, o in graph.relations for word in (s, o))]))
    columns = _columns(things, graph)
    cards = {thing: _card(thing, graph, 2 * columns[thing]) for thing in things}
    related: dict[tuple[Word, Word, int], list[Word]] = {}
    for subject, relation, thing in graph.relations:
        # Right of whatever comes first; a pill that is left of its subject stands for another one.
        column = 2 * min(columns[subject], columns[thing]) + 1
        related.setdefault((subject, relation, column), []).append(thing)
    pills: dict[tuple[Word, int, tuple[Word, ...]], _Node] = {}
    edges = []
    for (subject, relation, column), objects in related.items():
        shared = (relation, column, tuple(objects))  # who do the same to the same share its pill
        if shared not in pills:
            pills[shared] = _pill(relation, column)
            edges += [(pills[shared], cards[thing]) for thing in objects]
        edges.append((cards[subject], pills[shared]))
    return [*cards.values(), *pills.values()], edges


def _columns(things: list[Word], graph: SceneGraph) -> dict[Word, int]:
    """Subjects left of objects, as far as relations do not run in a circle: ソファ-上-犬 follows 犬-寝る-ソファ."""
    after: dict[Word, set[Word]] = {thing: set() for thing in things}
    columns = dict.fromkeys(things, 0)
    for subject, _, thing in graph.relations:
        if subject in _reached(after, thing):
            continue
        after[subject].add(thing)
        moved = [thing] if columns[thing] <= columns[subject] else []
        columns[thing] = max(columns[thing], columns[subject] + 1)
        while moved:  # whatever follows moves along; without circles this comes to an end
            pushing = moved.pop()
            for follower in after[pushing]:
                if columns[follower] <= columns[pushing]:
                    columns[follower] = columns[pushing] + 1
                    moved.append(follower)
    return columns


def _reached(after: dict[Word, set[Word]], start: Word) -> set[Word]:
    reached, ahead = {start}, [start]
    while ahead:
        new = after[ahead.pop()] - reached
        reached |= new
        ahead += new
    return reached


def _card(thing: Word, graph: SceneGraph, column: int) -> _Node:
    chips = [str(attribute) for owner, attribute in graph.attributes if owner == thing]
    width = max([_width(str(thing), _FONT), *(_width(chip, _SMALL) + 20 for chip in chips)]) + 32
    style = "nobody" if thing == NOBODY else "object"
    return _Node(column, width, 44 + 28 * len(chips) + (4 if chips else 0), label=str(thing), style=style, chips=chips)


def _pill(relation: Word, column: int) -> _Node:
    return _Node(column, _width(str(relation), _SMALL) + 28, 28, label=str(relation), style="relation")


def _width(text: str, size: float) -> float:
    """Japanese characters fill a square, Latin ones about six tenths of it."""
    return size * sum(1.0 if unicodedata.east_asian_width(character) in "WFA" else 0.62 for character in text)


def _path(start: _Node, end: _Node) -> list[_Node]:
    """The nodes that an edge visits: in columns that it only passes, a narrow one of its own."""
    step = 1 if end.column > start.column else -1
    passed = [_Node(column) for column in range(start.column + step, end.column, step)]
    path = [start, *passed, end] if start.column != end.column else [start, end]
    for one, other in pairwise(path):
        one.neighbours.append(other)
        other.neighbours.append(one)
    return path


def _arrange(nodes: list[_Node]) -> None:
    columns: dict[int, list[_Node]] = {}
    for node in nodes:
        columns.setdefault(node.column, []).append(node)
    for column in columns.values():
        _stack(column, [0.0] * len(column))
    for sweep in range(_SWEEPS):
        for number in sorted(columns, reverse=sweep % 2 == 1):
            column = columns[number]
            wanted = {node: _middle(node) for node in column}
            column.sort(key=wanted.__getitem__)
            _stack(column, [wanted[node] for node in column])
    x = _MARGIN
    for number in range(max(columns, default=0) + 1):
        column = columns.get(number, [])
        width = max((node.width for node in column), default=0.0)
        for node in column:
            node.x = x + width / 2
        x += width + _COLUMN_GAP
    top = min((node.y - node.height / 2 for node in nodes), default=0.0)
    for node in nodes:
        node.y += _MARGIN - top


def _middle(node: _Node) -> float:
    return sum(other.y for other in node.neighbours) / len(node.neighbours) if node.neighbours else node.y


def _stack(column: list[_Node], wanted: list[float]) -> None:
    """As near to where they want to be as nodes in this order can be without overlap."""
    bottom = float("-inf")
    for node, y in zip(column, wanted, strict=True):
        node.y = max(y, bottom + node.height / 2)
        bottom = node.y + node.height / 2 + _ROW_GAP
    shift = sum(y - node.y for node, y in zip(column, wanted, strict=True)) / max(len(column), 1)
    for node in column:
        node.y += shift


def _write(nodes: list[_Node], paths: list[list[_Node]], graph: SceneGraph, caption: str) -> str:
    right = max((node.x + node.width / 2 for node in nodes), default=_MARGIN)
    lines = _wrapped(caption, right)
    width = max([right, *(_MARGIN + _width(line, _SMALL) for line in lines)])
    below = max((node.y + node.height / 2 for node in nodes), default=0.0) + 28
    height = below + 20 * len(lines)
    size = f"{width + _MARGIN:.0f} {height + 6:.0f}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" width="{width + _MARGIN:.0f}" '
        f'height="{height + 6:.0f}" style="max-width: 100%; height: auto" role="img">',
        f"<title>{_text(caption)}</title>",
        f"<desc>{_text('; '.join(map(tuple_text, graph)))}</desc>",
        f"<style>{_STYLE}</style>",
        '<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
        'orient="auto"><path d="M0 0 10 5 0 10z" fill="#55606e"/></marker></defs>',
        '<rect width="100%" height="100%" fill="#fff"/>',
        *_edges(paths),
        *(part for node in nodes if node.label for part in _box(node)),
        *(
            f'<text class="small" x="{_MARGIN}" y="{below + 20 * number:.0f}">{_text(line)}</text>'
            for number, line in enumerate(lines)
        ),
        "</svg>\n",
    ]
    return "\n".join(parts)


def _edges(paths: list[list[_Node]]) -> list[str]:
    """Edges that meet on one side of a card end below each other, in the order in which they arrive."""
    sides: dict[tuple[_Node, bool], list[tuple[float, int, int]]] = {}
    for number, path in enumerate(paths):
        for end, (node, other) in enumerate(((path[0], path[1]), (path[-1], path[-2]))):
            sides.setdefault((node, other.x > node.x), []).append((other.y, number, end))
    offsets: dict[tuple[int, int], float] = {}
    for (node, _), ends in sides.items():
        gap = 0.0 if node.style == "relation" else min(12.0, (node.height - 16) / len(ends))
        for index, (_, number, end) in enumerate(sorted(ends)):
            offsets[number, end] = gap * (index - (len(ends) - 1) / 2)
    return [_edge(path, offsets[number, 0], offsets[number, 1]) for number, path in enumerate(paths)]


def _edge(path: list[_Node], start_offset: float, end_offset: float) -> str:
    start, end = path[0], path[-1]
    out, back = (1 if path[1].x > start.x else -1), (1 if path[-2].x > end.x else -1)
    points = [
        (start.x + out * start.width / 2, start.y + start_offset),
        *((node.x, node.y) for node in path[1:-1]),
        (end.x + back * end.width / 2, end.y + end_offset),
    ]
    curves = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for (x, y), (to_x, to_y) in pairwise(points):
        bend = (x + to_x) / 2
        curves.append(f"C{bend:.1f} {y:.1f} {bend:.1f} {to_y:.1f} {to_x:.1f} {to_y:.1f}")
    arrow = ' marker-end="url(#arrow)"' if end.style != "relation" else ""
    return f'<path class="edge" d="{" ".join(curves)}"{arrow}/>'


def _box(node: _Node) -> list[str]:
    left, top = node.x - node.width / 2, node.y - node.height / 2
    radius = 14 if node.style == "relation" else 9
    size = "small" if node.style == "relation" else "name"
    name_y = node.y + 5 if node.style == "relation" else top + 28
    parts = [
        f'<rect class="{node.style}" x="{left:.1f}" y="{top:.1f}" width="{node.width:.1f}" '
        f'height="{node.height:.1f}" rx="{radius}"/>',
        f'<text class="{size}" x="{node.x:.1f}" y="{name_y:.1f}" text-anchor="middle">{_text(node.label)}</text>',
    ]
    for number, chip in enumerate(node.chips):
        width, y = _width(chip, _SMALL) + 20, top + 40 + 28 * number
        parts += [
            f'<rect class="attribute" x="{node.x - width / 2:.1f}" y="{y:.1f}" width="{width:.1f}" height="23" '
            'rx="11"/>',
            f'<text class="small" x="{node.x:.1f}" y="{y + 16:.1f}" text-anchor="middle">{_text(chip)}</text>',
        ]
    return parts


def _wrapped(caption: str, width: float) -> list[str]:
    """The caption in lines about as wide as the graph."""
    characters = max(int(max(width, 320.0) / _SMALL), 1)
    flat = " ".join(caption.split())
    return [flat[start : start + characters] for start in range(0, len(flat), characters)]


def _text(text: str) -> str:
    return escape(_FORBIDDEN.sub("\ufffd", text))
