"""A study with everything its file names: texts of all systems, references, media, planted texts; joined by id."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from kataribe.captions.files import read_predictions, read_references
from kataribe.core.errors import InputError, JoinError, Location, shorten, some
from kataribe.core.types import Caption, Segment, Story
from kataribe.formats.source import check_id, read_table
from kataribe.formats.stories import read_stories
from kataribe.people.judge.media import Clip, find_clips
from kataribe.people.judge.settings import StudySettings, read_settings


class Context(NamedTuple):
    """What stands before and after a text in its film, shown so that the text can be judged as a part of it."""

    before: str
    after: str


# What a rater reads: a caption, or captions with their times.
Text = str | Story


@dataclass(frozen=True)
class Item:
    """A video or picture and what each system, and people, say about it."""

    id: str
    texts: Mapping[str, Text]
    references: tuple[Text, ...]
    clip: Clip | None
    duration: float | None
    context: Context | None = None


@dataclass(frozen=True)
class Study:
    path: Path
    settings: StudySettings
    items: Mapping[str, Item]
    planted: Mapping[str, Text]

    @property
    def database(self) -> Path:
        return self.path.parent / self.settings.database

    @property
    def files(self) -> list[Path]:
        """The texts and tables that the study is made of, and its answers."""
        settings = self.settings
        named = [
            settings.references,
            settings.clips,
            settings.context,
            settings.checks.file,
            *settings.systems.values(),
        ]
        return [self.database, *(self.path.parent / file for file in named if file)]

    @property
    def checked_dimension(self) -> str:
        """The dimension in which a planted text is obviously bad."""
        return self.settings.checks.dimension or self.settings.dimensions[0].name

    def fingerprint(self) -> str:
        """Of everything that decides which rater sees which text where; answers belong to one fingerprint."""
        settings = self.settings
        choices: list[Any] = [settings.kind, settings.seed, settings.scale, settings.together, settings.pairs]
        choices += [settings.tasks_per_rater, [dimension.name for dimension in settings.dimensions]]
        # What few studies have is named only where it is there: answers to all others stay theirs.
        choices += [] if settings.equal else ["a or b"]
        choices += [[label.name for label in dimension.labels] for dimension in settings.dimensions if dimension.labels]
        choices += [item.context for item in self.items.values() if item.context]
        texts = [(item.id, list(item.texts.items())) for item in self.items.values()]
        content = msgspec.json.encode([choices, texts, list(self.planted.items())])
        return hashlib.sha256(content).hexdigest()


def read_study(path: Path) -> Study:
    """Read STUDY.toml and every file it names; the first mistake is one line with file and field."""
    settings = read_settings(path)
    folder = path.parent
    read = _read_captions if settings.texts == "captions" else _read_stories
    systems = {name: read(folder / file) for name, file in settings.systems.items()}
    references = _read_many(settings, folder) if settings.references else {}
    written = read(folder / settings.checks.file) if settings.checks.file else {}
    table = folder / settings.clips if settings.clips else None
    clips = find_clips(folder / settings.media, table, path) if settings.media else {}
    context = _read_context(folder / settings.context) if settings.context else {}
    sources: dict[str, Collection[str]] = {f"systems.{name}": texts for name, texts in systems.items()}
    sources |= {"references": references} if settings.show_references else {}
    sources |= {"media": clips} if clips else {}
    items = {
        id: replace(
            _item(id, {name: texts[id] for name, texts in systems.items()}, references.get(id, ()), clips.get(id)),
            context=context.get(id),
        )
        for id in _choose(settings, sources, path)
    }
    return Study(path, settings, items, _plant(settings, items, written, path))


def order_key(*parts: object) -> bytes:
    """A key that puts things in a random order that is the same on every machine, for every version of every library.

    >>> sorted("abc", key=lambda letter: order_key(7, "rater 1", letter))
    ['c', 'a', 'b']
    """
    return hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()


def _read_captions(path: Path) -> dict[str, Text]:
    return dict(read_predictions(path))


def _read_stories(path: Path) -> dict[str, Text]:
    return {story.video: story for story in read_stories(path)}


def _read_context(path: Path) -> dict[str, Context]:
    """Rows `id,before,after`; either text may be empty, at the beginning and at the end of a film."""
    found: dict[str, Context] = {}
    for line, row in read_table(path):
        if not {"id", "before", "after"} <= row.keys():
            header = ", ".join(map(shorten, row))
            raise Location(path).error(f"the header ({header}) is not that of a context", hint="id,before,after")
        id = check_id(row["id"], line)
        if id in found:
            raise Location(path, id).error("is listed twice", hint="keep one row")
        found[id] = Context(row["before"], row["after"])
    return found


def _read_many(settings: StudySettings, folder: Path) -> dict[str, tuple[Text, ...]]:
    path = folder / settings.references
    if settings.texts == "captions":
        return {id: tuple(texts) for id, texts in read_references(path).items()}
    return {id: (story,) for id, story in _read_stories(path).items()}


def _item(id: str, texts: Mapping[str, Text], references: tuple[Text, ...], clip: Clip | None) -> Item:
    """All stories of a video are drawn on one time axis, as long as the longest of what is known about it."""
    stories = [text for text in (*texts.values(), *references) if isinstance(text, Story)]
    known = [story.duration for story in stories if story.duration]
    if clip is not None and clip.end is not None:
        known.append(clip.end - clip.start)
    last = [caption.segment.end for story in stories for caption in story.captions]
    return Item(id, texts, references, clip, max(known or last, default=None))


def _choose(settings: StudySettings, sources: Mapping[str, Collection[str]], path: Path) -> list[str]:
    """The items to judge: those that were named, a drawn sample of those that are everywhere, or all."""
    first, *others = sources
    everywhere = [id for id in sources[first] if all(id in sources[other] for other in others)]
    if settings.sample is not None:
        if settings.sample > len(everywhere):
            raise InputError(
                f"is {settings.sample}, but only {len(everywhere)} items are in {', '.join(sources)}",
                file=path,
                field="sample",
            )
        drawn = sorted(everywhere, key=lambda id: order_key(settings.seed, "sample", id))[: settings.sample]
        return [id for id in everywhere if id in set(drawn)]
    wanted = list(dict.fromkeys(settings.items or sources[first]))
    for name, ids in sources.items():
        absent = [id for id in wanted if id not in ids]
        if absent:
            raise JoinError(
                f"nothing for {len(absent):,} of {len(wanted):,} items: {some(absent)}",
                file=path,
                field=name,
                hint="complete it, name the items = [...] to judge, or draw a sample = N of the common ones",
            )
    return wanted


def _plant(
    settings: StudySettings, items: Mapping[str, Item], written: Mapping[str, Text], path: Path
) -> dict[str, Text]:
    """Wrong texts by item: written ones, or what was said about another item."""
    strangers = [id for id in written if id not in items]
    if strangers:
        raise JoinError(f"no item of the study is called {some(strangers)}", file=path, field="checks.file")
    if written or not settings.checks.count:
        return dict(written)
    if settings.checks.count > len(items) or len(items) < 2:
        raise InputError(
            f"is {settings.checks.count}, but the study has {len(items)} items", file=path, field="checks.count",
            hint="plant at most one check on an item",
        )  # fmt: skip
    shuffled = sorted(items, key=lambda id: order_key(settings.seed, "checks", id))
    donors = {id: items[shuffled[index - 1]] for index, id in enumerate(shuffled)}
    return {id: _borrowed(donors[id], items[id]) for id in shuffled[: settings.checks.count]}


def _borrowed(donor: Item, item: Item) -> Text:
    """A text of another item; a story is stretched to this video so that its length does not give it away."""
    text = donor.references[0] if donor.references else next(iter(donor.texts.values()))
    if isinstance(text, str) or not donor.duration or not item.duration:
        return text
    factor = item.duration / donor.duration
    captions = (
        Caption(Segment(round(caption.segment.start * factor, 1), round(caption.segment.end * factor, 1)), caption.text)
        for caption in text.captions
    )
    return replace(text, video=item.id, duration=item.duration, captions=tuple(captions))


def described(text: Text) -> Any:
    """A text as the browser gets it: a string, or `[start, end, sentence]` in time order."""
    if isinstance(text, str):
        return text
    return [[caption.segment.start, caption.segment.end, caption.text] for caption in text.in_time_order()]
