"""Writes captions.json: what pycocoevalcap says about our sample captions and some odd ones. Needs Java."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from tests.original import original_captions

SAMPLES = files("kataribe") / "samples"

# Captions that real files contain although nobody plans for them.
ODD_ONES: dict[str, tuple[str, list[str]]] = {
    "empty": ("", ["a dog runs", "the dog is running"]),
    "punctuation": ("...!?", ["a dog runs.", "?"]),
    "both-empty": ("", [""]),
    "numbers": ("3 1/2 cups of flour at 5:30 p.m.", ["3.5 cups of flour", "Add 3 1/2 cups flour at 17:30."]),
    "contractions": ("He doesn't know they're here; it's John's.", ["he does not know that they are here"]),
    "repeated": ("the the the the the", ["the cat the dog the bird", "a the"]),
    "long": ("walk " * 200, ["he walks " * 90, "they walked and walked"]),
    "accents": ("A café in Zürich serves crêpes.", ["a cafe in zurich serves crepes", "Un café à Zürich"]),
    "quotes": ('"Stop", he said - `now`.', ["he said 'stop' now", "“Stop,” he said"]),
    "newline": ("first line\nsecond line", ["first line second line"]),
    "shouting": ("A MAN RUNS!!!", ["a man runs", "the man is running"]),
    "synonyms": ("a kid purchases an automobile", ["a child buys a car", "the children bought cars"]),
    "one-word": ("dog", ["dog", "cat"]),
    "initial": ("He draws a capital T.", ["The man draws the letter T."]),
}


def captions() -> tuple[dict[str, str], dict[str, list[str]]]:
    predictions = {
        entry["image_id"]: entry["caption"] for entry in json.loads((SAMPLES / "captions_pred.json").read_text())
    }
    references = json.loads((SAMPLES / "captions_refs.json").read_text())
    predictions |= {id: candidate for id, (candidate, _) in ODD_ONES.items()}
    references |= {id: texts for id, (_, texts) in ODD_ONES.items()}
    return predictions, references


def main() -> None:
    predictions, references = captions()
    golden = {
        "predictions": predictions,
        "references": references,
        "scores": original_captions(predictions, references),
    }
    target = Path(__file__).with_name("captions.json")
    target.write_text(json.dumps(golden, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(target.name)


if __name__ == "__main__":
    main()
