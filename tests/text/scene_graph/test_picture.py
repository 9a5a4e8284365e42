"""The picture of a scene graph: whole, escaped, and nothing on top of anything else."""

from __future__ import annotations

import re
import xml.etree.ElementTree as xml
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.text.scene_graph.graph import NOBODY, SceneGraph, Word
from kataribe.text.scene_graph.picture import draw

SVG = "{http://www.w3.org/2000/svg}"
WORDS = [NOBODY, *(Word(text, text) for text in ("犬", "スケートボード", "dog", "🐕", "間"))]
WORD = st.sampled_from(WORDS)
GRAPH = st.builds(
    lambda objects, attributes, relations: SceneGraph(tuple(objects), tuple(attributes), tuple(relations)),
    st.lists(WORD, unique=True, max_size=6),
    st.lists(st.tuples(WORD, WORD), max_size=6).map(dict.fromkeys),
    st.lists(st.tuples(WORD, WORD, WORD), max_size=10).map(dict.fromkeys),
)


def boxes(picture: str) -> list[tuple[float, float, float, float]]:
    """Left, top, right and bottom of every card and every relation."""
    found = []
    for box in xml.fromstring(picture).iter(f"{SVG}rect"):
        if box.get("class") in ("object", "nobody", "relation"):
            x, y, width, height = (float(box.attrib[name]) for name in ("x", "y", "width", "height"))
            found.append((x, y, x + width, y + height))
    return found


@given(GRAPH, st.text())
def test_any_graph_has_a_picture_in_which_nothing_overlaps(graph: SceneGraph, caption: str) -> None:
    picture = draw(graph, caption)
    root = xml.fromstring(picture)
    _, _, width, height = (float(part) for part in root.attrib["viewBox"].split())
    things = {*graph.objects, *(entry[0] for entry in graph.attributes), *(entry[0] for entry in graph.relations)}
    things |= {entry[2] for entry in graph.relations}
    found = boxes(picture)
    assert len(found) >= len(things)
    for left, top, right, bottom in found:
        assert left >= 0
        assert top >= 0
        assert right <= width
        assert bottom <= height
    for one, other in combinations(found, 2):
        assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def test_who_do_the_same_share_its_pill() -> None:
    dog, cat, sleep, sofa = (Word(text, text) for text in ("犬", "猫", "寝る", "ソファ"))
    picture = draw(SceneGraph((dog, cat, sofa), (), ((dog, sleep, sofa), (cat, sleep, sofa))), "")
    assert picture.count(">寝る<") == 1
    assert picture.count("<path class=") == 3


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "a & b", "\x00\x1b[31m", '"><'])
def test_text_of_strangers_stays_text(text: str) -> None:
    word = Word(text, text)
    picture = draw(SceneGraph((word,), ((word, word),), ((word, word, word),)), text)
    root = xml.fromstring(picture)
    assert {element.tag for element in root.iter()} <= {
        SVG + name for name in ("svg", "title", "desc", "style", "defs", "marker", "path", "rect", "text")
    }


def test_nothing_is_loaded_from_elsewhere() -> None:
    word = Word("犬", "犬")
    picture = draw(SceneGraph((word,), (), ()), "犬")
    assert not re.search(r"url\((?!#)|@import|href=|src=", picture)
    assert re.findall(r"https?://[^\"]+", picture) == ["http://www.w3.org/2000/svg"]
