"""A trained model is a folder that loads without a network, on any machine.

    weights.safetensors   every array of the model
    card.json             what it is, its options, what it was trained on and how, its scores with intervals
    ...                   whatever else it needs: an idf table, a tokenizer, the curves as a picture

The card names the SHA-256 of every other file, and `fingerprint` is a hash of what decides the numbers it gives: kind,
options, weights and the files in `parts`. Every score that the model gives has it in its signature. A folder that is
damaged, of another kind or of a later version is refused with one line. Nothing in a folder is ever executed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

import msgspec
import numpy as np

import kataribe
from kataribe.core.errors import InputError, shorten
from kataribe.core.folders import check_folder, whole_folder
from kataribe.core.need import need

FORMAT = "kataribe model 1"
CARD, WEIGHTS = "card.json", "weights.safetensors"

Tensors = Mapping[str, np.ndarray]


class CardScore(msgspec.Struct, frozen=True):
    """One figure on a card: on which data, by which measure, of how many; interval where there is one."""

    data: str
    measure: str
    value: float | None
    interval: tuple[float, float] | None = None
    count: int = 0


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """`options` decide what the model computes; `training` and `data` say how and from what it was made."""

    format: str = FORMAT
    kind: str
    title: str
    kataribe: str = kataribe.__version__
    options: dict[str, Any] = {}
    training: dict[str, Any] = {}
    data: list[dict[str, Any]] = []
    scores: list[CardScore] = []
    notes: list[str] = []
    parts: list[str] = []
    files: dict[str, str] = {}
    fingerprint: str = ""


@dataclass(frozen=True)
class Model:
    """What a model folder holds; `parts` are its other files by name."""

    card: Card
    tensors: Tensors
    parts: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def signature(self) -> str:
        return f"{self.card.kind}-{self.card.fingerprint}"


def check_model_folder(folder: Path) -> None:
    """Say before hours of training that the model has no place, or would replace what is not a model."""
    check_folder(folder, _is_ours)


def write_model(
    folder: Path,
    card: Card,
    tensors: Tensors,
    parts: Mapping[str, bytes] | None = None,
    more: Mapping[str, bytes] | None = None,
) -> Model:
    """Write a whole folder beside its place, then rename it; a model that was there is replaced.

    `parts` are files that the numbers depend on, `more` are only to look at (curves, a table).
    """
    parts, more = dict(parts or {}), dict(more or {})
    weights = need("safetensors.numpy", extra="models", purpose="writing models").save(
        {name: np.asarray(tensor, order="C") for name, tensor in tensors.items()}
    )
    files = {WEIGHTS: weights, **parts, **more}
    card = _as_read(
        msgspec.structs.replace(
            card,
            scores=[_without_nan(score) for score in card.scores],
            parts=sorted(parts),
            files={name: _sha256(content) for name, content in sorted(files.items())},
        )
    )
    card = msgspec.structs.replace(card, fingerprint=_fingerprint(card))
    files[CARD] = msgspec.json.format(msgspec.json.encode(card), indent=2)
    with whole_folder(folder, _is_ours) as new:
        for name, content in files.items():
            (new / name).write_bytes(content)
    return Model(card, tensors, parts)


def read_model(folder: str | Path, kind: str) -> Model:
    """A model of this kind; what is damaged or foreign is refused."""
    folder = Path(folder)
    card = read_card(folder)
    if card.kind != kind:
        raise InputError(f"is a model of the kind {shorten(card.kind)!r}, not {kind!r}", file=folder)
    contents = {name: _checked(folder, name, card) for name in (WEIGHTS, *card.parts)}
    try:
        loaded = need("safetensors.numpy", extra="models", purpose="reading models").load(contents.pop(WEIGHTS))
    except Exception as error:  # safetensors raises an error of its own kind
        raise InputError(f"the weights cannot be read ({shorten(error, 80)})", file=folder, hint=_AGAIN) from None
    return Model(card, loaded, contents)


def read_card(folder: str | Path) -> Card:
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError(
            "there is no such model folder", file=folder, hint="give the folder that `kataribe train` wrote"
        )
    try:
        content = (folder / CARD).read_bytes()
        plain = msgspec.json.decode(content)
        format = plain.get("format") if isinstance(plain, dict) else None
        if not str(format).startswith("kataribe model "):
            raise InputError(f"is not a model of kataribe: its {CARD} names no format", file=folder)
        if format != FORMAT:
            raise InputError(
                f"is of another version ({shorten(format)}; this version reads {FORMAT!r})",
                file=folder,
                hint="train it again, or install the version that wrote it",
            )
        card = msgspec.convert(plain, Card)
    except FileNotFoundError:
        raise InputError(f"is not a model: it has no {CARD}", file=folder) from None
    except (OSError, ValueError, msgspec.DecodeError, RecursionError) as error:
        raise InputError(f"its {CARD} cannot be read ({shorten(error, 80)})", file=folder, hint=_AGAIN) from None
    if card.fingerprint != _fingerprint(card):
        raise InputError(f"its {CARD} was changed after it was written", file=folder, hint=_AGAIN)
    return card


_AGAIN = "copy it again from where it came, or train it again"


def _checked(folder: Path, name: str, card: Card) -> bytes:
    if Path(name).name != name:
        raise InputError(f"names a file outside of it ({shorten(name)!r})", file=folder)
    try:
        content = (folder / name).read_bytes()
    except (OSError, ValueError) as error:  # a name may be none that a file can have
        problem = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"lacks {shorten(name)} ({problem})", file=folder, hint=_AGAIN) from None
    if card.files.get(name) != _sha256(content):
        raise InputError(f"its {name} is damaged", file=folder, hint=_AGAIN)
    return content


def _fingerprint(card: Card) -> str:
    """Of what decides the numbers: not of how it was trained, nor of pictures beside it."""
    hashes = {name: card.files.get(name) for name in (WEIGHTS, *card.parts)}
    decisive = json.dumps([card.kind, card.options, hashes], sort_keys=True)
    return hashlib.blake2b(decisive.encode(), digest_size=4).hexdigest()


def _as_read(card: Card) -> Card:
    """The card as it will be read: numbers of numpy are plain ones, tuples are lists, and NaN is nothing."""
    return msgspec.json.decode(msgspec.json.encode(card, enc_hook=_plain), type=Card)


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, PurePath):
        return str(value)
    raise TypeError(f"{type(value).__name__} cannot be on a card")


def _without_nan(score: CardScore) -> CardScore:
    """An interval is two numbers or none."""
    if score.interval is None or np.isfinite(score.interval).all():
        return score
    return msgspec.structs.replace(score, interval=None)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _is_ours(folder: Path) -> bool:
    try:
        plain = json.loads((folder / CARD).read_bytes())
        return str(plain["format"]).startswith("kataribe model ")
    except (OSError, ValueError, KeyError, TypeError):
        return False
