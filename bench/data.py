"""What is scored: real ActivityNet Captions where they are, else captions made up here.

The data sets are not part of this repository. They are looked for in the folder that the environment variable
KATARIBE_DATA names, then in ../shared/data beside the repository.
"""

from __future__ import annotations

import json
import os
import random
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class CaptionSet:
    """Candidates, each with its references."""

    description: str
    candidates: list[str]
    references: list[list[str]]

    @property
    def pairs(self) -> int:
        return sum(map(len, self.references))

    def head(self, fraction: float) -> CaptionSet:
        count = max(1, round(len(self.candidates) * fraction))
        return CaptionSet(self.description, self.candidates[:count], self.references[:count])


@cache
def activitynet() -> Path | None:
    roots = [os.environ.get("KATARIBE_DATA"), ROOT.parent / "shared" / "data"]
    folders = [Path(root) / "activitynet-captions" for root in roots if root]
    return next((folder for folder in folders if (folder / "val_1.json").is_file()), None)


def _read(name: str) -> dict:
    folder = activitynet()
    assert folder is not None
    return json.loads((folder / name).read_text(encoding="utf-8"))


def sentences() -> tuple[str, list[str]]:
    """Raw captions to be tokenized."""
    if activitynet() is None:
        made = _made_up(17_000, 1)
        return made.description, made.candidates + [texts[0] for texts in made.references]
    videos = [video for name in ("val_1.json", "val_2.json") for video in _read(name).values()]
    texts = [text for video in videos for text in video["sentences"]]
    return "all captions of ActivityNet Captions val_1 and val_2", texts


def meteor_sets() -> list[CaptionSet]:
    """Speed depends on how much candidate and reference have in common, so several kinds of pairs are scored."""
    return [_made_up(17_000, 7)] if activitynet() is None else [_model_output(), _annotators(), _crowded()]


def _annotations() -> list[dict]:
    return [_read(name) for name in ("val_1.json", "val_2.json")]


def _predictions() -> dict[str, list[str]]:
    results = _read("model_output_val_1.json")["results"]
    return {video: [entry["sentence"] for entry in entries] for video, entries in results.items()}


def _model_output() -> CaptionSet:
    annotators = _annotations()
    candidates, references = [], []
    for video, predicted in _predictions().items():
        written = [text for annotator in annotators if video in annotator for text in annotator[video]["sentences"]]
        candidates += predicted
        references += [written] * len(predicted)
    return CaptionSet("a captioner's output against all captions of both annotators", candidates, references)


def _annotators() -> CaptionSet:
    first, second = _annotations()
    candidates, references = [], []
    for one, other in ((first, second), (second, first)):
        for video in one:
            if video in other:
                candidates += one[video]["sentences"]
                references += [other[video]["sentences"]] * len(one[video]["sentences"])
    return CaptionSet("each annotator's captions against the other's", candidates, references)


def _crowded(videos: int = 200, each: int = 100) -> CaptionSet:
    """As in the evaluation of models that propose many events: hundreds of candidates for each reference."""
    rng = random.Random(0)
    annotators = _annotations()
    predicted = _predictions()
    everything = sorted({text for texts in predicted.values() for text in texts})
    candidates, references = [], []
    for video in list(predicted)[:videos]:
        written = [text for annotator in annotators if video in annotator for text in annotator[video]["sentences"]]
        candidates += rng.sample(everything, each)
        references += [written] * each
    return CaptionSet(f"{each} captions of a captioner for each of {videos} videos", candidates, references)


def two_references() -> CaptionSet:
    """One annotator's captions, each beside the two of the other annotator that overlap it most in time."""
    if activitynet() is None:
        return _made_up(17_000, 2)
    first, second = _read("val_1.json"), _read("val_2.json")
    candidates, references = [], []
    for video, story in first.items():
        other = second.get(video)
        if other is None or len(other["sentences"]) < 2:
            continue
        for text, (start, end) in zip(story["sentences"], story["timestamps"], strict=True):
            overlaps = [min(end, b) - max(start, a) for a, b in other["timestamps"]]
            nearest = sorted(range(len(overlaps)), key=lambda index: -overlaps[index])[:2]
            candidates.append(text)
            references.append([other["sentences"][index] for index in nearest])
    return CaptionSet(
        "the captions of ActivityNet Captions val_1, each with the two captions of val_2 that overlap it most",
        candidates,
        references,
    )


_WORDS = {
    "subject": "man woman boy girl child dog cook player crowd lady team coach dancer chef worker student couple",
    "verb": "holds throws catches lifts cuts pours mixes paints washes climbs rides pushes pulls shows turns drops",
    "thing": "ball rope knife bowl onion guitar bicycle horse boat ladder window camera table board brush bucket drum",
    "place": "gym kitchen park field river garden stage street pool beach garage room court hall forest market studio",
    "link": "while then and before after as until because",
}


def _made_up(count: int, references: int) -> CaptionSet:
    """Sentences of ActivityNet's length from a small grammar; references share part of the candidate's words."""
    rng = random.Random(0)
    words = {kind: listed.split() for kind, listed in _WORDS.items()}

    def pick(kind: str) -> str:
        return rng.choice(words[kind])

    def clause(subject: str, thing: str) -> str:
        return f"the {subject} {pick('verb')} the {thing} in the {pick('place')}"

    def sentence(subject: str, thing: str) -> str:
        return f"{clause(subject, thing)} {pick('link')} {clause(subject, pick('thing'))}".capitalize() + "."

    candidates, written = [], []
    for _ in range(count):
        subject, thing = pick("subject"), pick("thing")
        candidates.append(sentence(subject, thing))
        written.append([sentence(subject, rng.choice((thing, pick("thing")))) for _ in range(references)])
    return CaptionSet(
        "captions made up by the bench (ActivityNet Captions were not found; real text gives other figures)",
        candidates,
        written,
    )
