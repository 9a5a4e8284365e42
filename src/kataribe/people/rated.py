"""Data sets that hold captions, their references and what people said about them.

`rated_files.py` lists the forms. Every caption is a text of its own: there are no systems. A caption of a picture that
appears again with the same references was rated by one more person. A rating that is missing (null, NaN, an empty cell)
is left out. References that the file lacks are taken from a file of references.

Numbered columns (rating_1, rating_2, ...) are raters. Elsewhere nobody says who gave a rating, and their order means
nothing, or worse: Flickr8k-Expert lists the three ratings of every caption in ascending order, so that its first
"rater" would be the strictest of three each time. Ratings of a caption are therefore dealt out at random to rater 1,
rater 2, ...

Pairs of captions between which people chose are votes. To learn from them, each caption's rating is the share of its
votes that it won, on a scale from 0 to 1; a vote for neither counts half.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from kataribe.captions.files import Source
from kataribe.captions.rated import RatedExamples
from kataribe.core.caution import Caution
from kataribe.core.errors import InputError, Location, UsageError, counted, shorten
from kataribe.people.rated_files import Pair, Rated, read_entries
from kataribe.people.ratings import OVERALL, Rating, Ratings, Vote
from kataribe.people.references import SeparateReferences, read_separate
from kataribe.people.result import Text
from kataribe.text.sameness import plain, words

Scale = tuple[float, float]


@dataclass
class RatedCaptions:
    """Captions and references by text; the system of a text is its own name, ITEM#NUMBER.

    `pictures` are the names of pictures, for the texts whose file names one.
    """

    captions: dict[Text, str] = field(default_factory=dict)
    references: dict[Text, list[str]] = field(default_factory=dict)
    ratings: Ratings = field(default_factory=lambda: Ratings("ratings", ()))
    warnings: list[Caution] = field(default_factory=list)
    pictures: dict[Text, str] = field(default_factory=dict)
    file: Path | None = None

    def examples(self, scale: Scale | None = None) -> RatedExamples:
        """One row for each text that was rated, with the mean of its ratings, on a scale from lowest to highest.

        Without a `scale` it is taken from the lowest and the highest rating that occur, and a warning says so.

        >>> dog, rain = Text("1", "1#1"), Text("2", "2#1")
        >>> said = [("ann", dog, 2.0), ("bob", dog, 5.0), ("ann", rain, 1.0)]
        >>> ratings = Ratings("ratings", tuple(Rating(who, *text, "overall", value) for who, text, value in said))
        >>> rated = RatedCaptions({dog: "a dog", rain: "rain"}, {dog: ["dogs"], rain: ["snow"]}, ratings)
        >>> examples = rated.examples((1, 5))
        >>> examples.ids, examples.ratings.tolist(), examples.raters, examples.targets.tolist()
        (['1#1', '2#1'], [3.5, 1.0], [2, 1], [0.625, 0.0])
        """
        values = self.values()
        lowest, highest, warnings = self._scale(scale, values)
        texts = [text for text in self.captions if text in values]
        return RatedExamples(
            ids=[text.system for text in texts],
            groups=[text.item for text in texts],
            candidates=[self.captions[text] for text in texts],
            references=[self.references[text] for text in texts],
            ratings=np.array([np.mean(values[text]) for text in texts]),
            pictures=[self.pictures.get(text) for text in texts],
            lowest=lowest,
            highest=highest,
            raters=[len(values[text]) for text in texts],
            warnings=(*self.warnings, *warnings),
        )

    def values(self) -> dict[Text, list[float]]:
        """What people said about each text as numbers: ratings, or for each vote whether it was won."""
        values: dict[Text, list[float]] = {}
        for text, value in _numbers(self.ratings):
            values.setdefault(text, []).append(value)
        return values

    def _scale(
        self, scale: Scale | None, values: Mapping[Text, list[float]]
    ) -> tuple[float, float, tuple[Caution, ...]]:
        """The ends of the scale; ratings that say nothing or do not fit are refused."""
        means = {float(np.mean(ratings)) for ratings in values.values()}
        if len(means) == 1:
            problem = f"every text is rated {means.pop():g}, so there is nothing to learn from it"
            raise Location(self.file).error(problem, hint="give ratings that differ")
        if self.ratings.kind == "votes":
            return 0.0, 1.0, ()
        said = [rating for ratings in values.values() for rating in ratings]
        if scale is None:
            lowest, highest = min(said), max(said)
            guessed = f"the scale is taken to be {lowest:g} to {highest:g}, the lowest and highest rating that occur"
            return lowest, highest, (Caution("guessed-scale", f"{guessed}; give <scale> if it is another", ["scale"]),)
        lowest, highest = float(scale[0]), float(scale[1])
        if not (math.isfinite(lowest) and math.isfinite(highest) and lowest < highest):
            problem = f"<scale>: {lowest:g} to {highest:g} is no scale"
            raise UsageError(problem, hint="give its lowest and its highest end, such as 1 and 5", options=["scale"])
        for text, ratings in values.items():
            beyond = next((rating for rating in ratings if not lowest <= rating <= highest), None)
            if beyond is not None:
                problem = f"the rating is {beyond:g}, outside the scale from {lowest:g} to {highest:g}"
                raise Location(self.file, text.item).error(problem, hint="correct it, or give another scale")
        return lowest, highest, ()


def _numbers(ratings: Ratings) -> Iterator[tuple[Text, float]]:
    """Every judgement as a number about a text."""
    for row in ratings.rows:
        if isinstance(row, Rating):
            yield Text(row.item, row.system), row.value
        elif isinstance(row, Vote):
            won = {"a": 1.0, "b": 0.0, "equal": 0.5}[row.choice]
            yield Text(row.item, row.system_a), won
            yield Text(row.item, row.system_b), 1.0 - won


def read_rated(path: str | Path, *, references: Source | SeparateReferences | None = None) -> RatedCaptions:
    """Read and check a whole file. `references` is where they stand if the file has none."""
    path = Path(path)
    separate = None if references is None else read_separate(references)
    reader = _Reader(path, separate)
    for entry in read_entries(path, separate.captions if separate else None):
        reader.take(entry)
    return reader.finish()


class _Reader:
    """What was read so far."""

    def __init__(self, path: Path, separate: SeparateReferences | None) -> None:
        self.path, self.separate = path, separate
        self.found = RatedCaptions(file=path)
        self.texts: dict[tuple[str, str, tuple[str, ...]], Text] = {}
        self.counts: Counter[str] = Counter()
        self.anonymous: dict[Text, list[float]] = {}
        self.anonymous_votes: dict[tuple[Text, Text, str], list[Vote]] = {}
        self.ratings: list[Rating] = []
        self.votes: list[Vote] = []
        self.said: set[tuple[str, ...]] = set()
        self.copies = self.blank = 0

    def take(self, entry: Rated | Pair) -> None:
        references = self._references(entry)
        if isinstance(entry, Pair):
            one, other = (self._text(entry, caption, references) for caption in entry.captions)
            self._vote(entry, one, other)
            return
        text = self._text(entry, entry.caption, references)
        if entry.raters is None:
            self.anonymous.setdefault(text, []).extend(entry.ratings)
            return
        for rater, rating in zip(entry.raters, entry.ratings, strict=True):
            self._refuse_again(rater, text, caption=entry.caption)
            self.ratings.append(Rating(rater, *text, OVERALL, rating))

    def _references(self, entry: Rated | Pair) -> list[str]:
        """The references of an entry, without those that are empty."""
        if entry.references is not None and self.separate is not None:
            problem = "has references of its own, and others were given"
            raise Location(self.path, entry.item).error(problem, "leave <references> out", options=["references"])
        references = entry.references
        if references is None:
            if self.separate is None:
                raise Location(self.path, entry.item).error(
                    "has no column for references",
                    hint="name it references, refs or reference_1, or give <references FILE>",
                    options=["references"],
                )
            references = self.separate.of(entry.item, entry.picture, self.path)
        kept = [text for text in references if text.strip()]
        self.blank += len(references) - len(kept)
        if not kept:
            raise Location(self.path, entry.item, "references").error("holds nothing but empty references")
        return kept

    def _text(self, entry: Rated | Pair, caption: str, references: list[str]) -> Text:
        key = (entry.item, caption, tuple(references))
        if key not in self.texts:
            self.counts[entry.item] += 1
            text = self.texts[key] = Text(entry.item, f"{entry.item}#{self.counts[entry.item]}")
            self.found.captions[text], self.found.references[text] = caption, self._others(entry, caption, references)
            if entry.picture is not None:
                self.found.pictures[text] = entry.picture
        return self.texts[key]

    def _others(self, entry: Rated | Pair, caption: str, references: list[str]) -> list[str]:
        """References without the caption itself, where they come from a file that has the caption too."""
        same = plain if self.separate is None else words
        others = [text for text in references if same(text) != same(caption)]
        self.copies += len(others) < len(references)
        if self.separate is None:
            return references
        if not others:
            raise Location(self.path, entry.item).error(f"the only reference is the caption, {shorten(caption)!r}")
        return others

    def _vote(self, entry: Pair, one: Text, other: Text) -> None:
        pair = (one, other) if one < other else (other, one)
        votes = [
            Vote(entry.rater or "", entry.item, entry.category, one.system, other.system, choice)
            for choice in entry.choices
        ]
        if entry.rater is None:
            self.anonymous_votes.setdefault((*pair, entry.category), []).extend(votes)
            return
        self._refuse_again(entry.rater, *pair, caption=entry.captions[0])
        self.votes += votes

    def _refuse_again(self, rater: str, *texts: Text, caption: str) -> None:
        question = (rater, *(text.system for text in texts))
        if question in self.said:
            raise Location(self.path, texts[0].item).error(f"rates {shorten(caption)!r} in two lines")
        self.said.add(question)

    def finish(self) -> RatedCaptions:
        rows = [*self.ratings, *_dealt_out(self.anonymous)]
        self.votes += _dealt_out_votes(self.anonymous_votes.values())
        if rows and self.votes:
            raise InputError("holds both ratings and choices between two captions", file=self.path, hint="make it two")
        given = [row for row in rows if not math.isnan(row.value)]
        if not given and not self.votes:
            hint = "an entry needs a caption, references and a rating"
            raise InputError("holds no rated captions", file=self.path, hint=hint)
        if len(given) < len(rows):
            text = f"{len(rows) - len(given):,} ratings are missing and left out"
            self.found.warnings.append(Caution("missing-ratings", text))
        if self.blank:
            text = f"{counted(self.blank, 'reference is', 'references are')} empty and left out"
            self.found.warnings.append(Caution("blank-references", text))
        if self.copies:
            text = f"{self.copies:,} captions are among their own references"
            text += ", and left out there" if self.separate else ", which flatters metrics that compare with them"
            self.found.warnings.append(Caution("copied-references", text))
        self.found.ratings = Ratings("votes", tuple(self.votes)) if self.votes else Ratings("ratings", tuple(given))
        return self.found


def _dealt_out(anonymous: Mapping[Text, list[float]]) -> Iterator[Rating]:
    rng = random.Random(0)
    for text, ratings in anonymous.items():
        for number, rating in enumerate(rng.sample(ratings, len(ratings)), start=1):
            yield Rating(f"rater {number}", *text, OVERALL, rating)


def _dealt_out_votes(anonymous: Iterable[list[Vote]]) -> Iterator[Vote]:
    rng = random.Random(0)
    for votes in anonymous:
        for number, vote in enumerate(rng.sample(votes, len(votes)), start=1):
            yield vote._replace(rater=f"rater {number}")
