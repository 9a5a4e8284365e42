"""Studies made of somebody's data: the words of a template, the texts of systems, the parts of videos.

A study folder holds what raters see and nothing else: `STUDY.toml`, the texts of each system in `texts/`, references,
the table of clips, the context. Videos stay where they are. Texts keep the places of their clips, so that the same
files can be scored.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kataribe.core.errors import InputError, UsageError, some
from kataribe.core.folders import check_folder, whole_folder
from kataribe.core.types import Story
from kataribe.people.judge.media import VIDEOS, Clip
from kataribe.people.judge.study import Context, Study, Text, order_key, read_study
from kataribe.people.judge.templates import read_template


@dataclass(frozen=True)
class Draft:
    """A study to be written: every system has a text of every item.

    `fields` are what else is known of an item's text, its film for example, and goes into the files of texts.
    """

    template: str
    texts: Mapping[str, Mapping[str, Text]]
    references: Mapping[str, Text] = field(default_factory=dict)
    fields: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    clips: Mapping[str, Clip] = field(default_factory=dict)
    context: Mapping[str, Context] = field(default_factory=dict)
    text_language: str = ""
    seed: int = 0
    checks: int = 0


def shared_items(sources: Mapping[str, Collection[str]]) -> list[str]:
    """The items that all sources have, in the order of the first."""
    first, *others = sources
    shared = [id for id in sources[first] if all(id in sources[other] for other in others)]
    if not shared:
        listed = ", ".join(f"{name} has {some(ids)}" for name, ids in sources.items())
        raise InputError(f"nothing is in all of them: {listed}", hint="were these files made for each other?")
    return shared


def drawn(items: Sequence[str], count: int, seed: int) -> list[str]:
    """So many of the items, or all if there are fewer, in their order.

    >>> drawn(["a", "b", "c", "d"], 2, seed=1), drawn(["a"], 2, seed=1)
    (['a', 'b'], ['a'])
    """
    chosen = set(sorted(items, key=lambda id: order_key(seed, "sample", id))[:count])
    return [id for id in items if id in chosen]


def check_study_folder(folder: Path) -> None:
    """Say at once that there is no place for a study. A folder that holds anything, answers perhaps, is kept."""
    check_folder(folder, lambda _: False)


def write_draft(folder: Path, draft: Draft) -> Study:
    """The study, read back from its new folder."""
    _refuse_unshown(draft.clips.values())
    with whole_folder(folder, lambda _: False) as new:
        (new / "texts").mkdir()
        names = _file_names(draft.texts)
        for system, texts in draft.texts.items():
            _write(new / names[system], _spelled(texts, draft.fields))
        values = _values(draft, folder)
        if draft.references:
            _write(new / "references.json", _spelled(draft.references, draft.fields))
        if draft.clips:
            rows = [
                [id, clip.file.name, clip.start or "", "" if clip.end is None else clip.end]
                for id, clip in draft.clips.items()
            ]
            _write(new / "clips.csv", _table(["id", "file", "start", "end"], rows))
        if draft.context:
            rows = [[id, *context] for id, context in draft.context.items()]
            _write(new / "context.csv", _table(["id", "before", "after"], rows))
        _write(new / "STUDY.toml", filled(read_template(draft.template), values, names, draft.checks))
    return read_study(folder / "STUDY.toml")


def _values(draft: Draft, folder: Path) -> dict[str, Any]:
    """What the data decide in STUDY.toml; a field without a value is left out."""
    media = {clip.file.parent.resolve() for clip in draft.clips.values()}
    return {
        "seed": draft.seed,
        "language": None,
        "text_language": draft.text_language or None,
        "references": "references.json" if draft.references else None,
        "show_references": False if draft.references else None,
        "media": os.path.relpath(media.pop(), folder.resolve()) if media else None,
        "clips": "clips.csv" if draft.clips else None,
        "context": "context.csv" if draft.context else None,
    }


def filled(template: str, values: Mapping[str, Any], systems: Mapping[str, str], checks: int) -> str:
    """A template's STUDY.toml with other data; its words, questions and comments stay.

    >>> text = "seed = 1  # of orders\\nmedia = 'm'\\n\\n[systems]\\na = 'a.json'\\n\\n[checks]\\ncount = 1\\n"
    >>> print(filled(text, {"seed": 7, "media": None}, {"b c": "b.json"}, 0))
    seed = 7  # of orders
    <BLANKLINE>
    [systems]
    "b c" = "b.json"
    <BLANKLINE>
    [checks]
    count = 0
    <BLANKLINE>
    """
    for name, value in values.items():
        found = re.search(rf"(?m)^(?:# )?{name} = [^#\n]*?([ \t]*#[^\n]*)?\n", template)
        written = "" if value is None else f"{name} = {_toml(value)}{found[1] or '' if found else ''}\n"
        # What the template does not have goes to the top, where a field belongs to no table.
        before, after = (template[: found.start()], template[found.end() :]) if found else ("", template)
        template = before + written + after
    listed = "".join(f"{_key(system)} = {_toml(file)}\n" for system, file in systems.items())
    template = re.sub(r"(?ms)^\[systems\]\n.*?(?=^\n|\Z)", lambda _: f"[systems]\n{listed}", template, count=1)
    return re.sub(r"(?m)(?<=^\[checks\]\n)count = \d+$", f"count = {checks}", template)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _toml(name)


def _toml(value: Any) -> str:
    if isinstance(value, bool | int):
        return str(value).lower()
    # TOML's basic strings are JSON's, but for the delete character, which it wants escaped.
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")


def _refuse_unshown(clips: Collection[Clip]) -> None:
    unshown = {clip.file.name for clip in clips if clip.file.suffix.lower() not in VIDEOS}
    if unshown:
        raise InputError(f"browsers do not show {some(sorted(unshown))}", hint=f"they show {', '.join(VIDEOS)}")


def _file_names(systems: Collection[str]) -> dict[str, str]:
    """A file for each system, named like it as far as file names go."""
    names: dict[str, str] = {}
    for system in systems:
        plain = re.sub(r"[^\w.-]+", "_", system).strip("._") or "system"
        taken = {name.lower() for name in names.values()}
        choices = (f"texts/{plain}{suffix}.json" for suffix in ("", *(f"-{n}" for n in range(2, len(systems) + 2))))
        names[system] = next(name for name in choices if name.lower() not in taken)
    return names


def _spelled(texts: Mapping[str, Text], fields: Mapping[str, Mapping[str, Any]]) -> str:
    """Captions as `score captions` and `score narration` read them, stories as `score stories` does."""
    lines = []
    for id, text in texts.items():
        if isinstance(text, Story):
            lines.append(f"{json.dumps(id, ensure_ascii=False)}: {json.dumps(_story(text), ensure_ascii=False)}")
        else:
            lines.append(json.dumps({"id": id, **fields.get(id, {}), "text": text}, ensure_ascii=False))
    is_stories = any(isinstance(text, Story) for text in texts.values())
    opened, closed = "{}" if is_stories else "[]"
    return f"{opened}\n  " + ",\n  ".join(lines) + f"\n{closed}\n"


def _story(story: Story) -> dict[str, Any]:
    known = {} if story.duration is None else {"duration": story.duration}
    return {
        **known,
        "timestamps": [[caption.segment.start, caption.segment.end] for caption in story.captions],
        "sentences": [caption.text for caption in story.captions],
    }


def _table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


def _write(path: Path, content: str) -> None:
    path.write_text(content, encoding="utf-8", newline="")


def check_names(systems: Collection[str], reserved: Collection[str]) -> None:
    """Degraded references are systems of a study too, under names of their own."""
    taken = [name for name in systems if name in reserved]
    if taken:
        raise UsageError(
            f"{taken[0]!r} is what the study calls a degraded reference", hint="give the file another NAME="
        )
