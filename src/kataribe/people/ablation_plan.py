"""What the table of a learned metric consists of, for given captions: untrained metrics, variants to train, and why
others are left out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

from kataribe.captions.suisei.blend import default_metrics
from kataribe.captions.suisei.material import RatedSet
from kataribe.captions.suisei.options import ModelOptions
from kataribe.core import registry
from kataribe.core.errors import UsageError
from kataribe.text.scripts import is_mostly_unspaced

_KANA = re.compile(r"[\u3041-\u30ff]")


@dataclass(frozen=True)
class Variant:
    """A row that is trained; `name` is that of its folder, too. `seeds` is set where not all rows' number is meant."""

    name: str
    model: ModelOptions
    metrics: tuple[str, ...] = ()
    seeds: int | None = None


@dataclass(frozen=True)
class Plan:
    """What a table consists of: specs of untrained metrics, variants, and rows that are left out, with the reason."""

    baselines: Sequence[str]
    variants: Sequence[Variant]
    left_out: Mapping[str, str]
    cosine: str
    tok: str | None = None


def plan(training: RatedSet, model: ModelOptions, metrics: Sequence[str] | None = None) -> Plan:
    """The rows for these captions. Of `model` all rows take the encoders, the pooling and how references are combined.

    With `model.finetune` there is one row more: its head with the encoder trained along.
    """
    tok, left_out = _tokenizer(training.examples.candidates), {}
    cosine, bertscore = (_with(name, model=model.encoder) for name in ("sentence_cosine", "bertscore"))
    baselines = ["bleu", "rouge_l", "meteor", "cider", bertscore, cosine]
    if tok == "ja" and find_spec("ginza") is not None:
        baselines.insert(4, "jaspice")
    elif tok == "ja":
        left_out["jaspice"] = "its parser, GiNZA, is not installed"
    blended = tuple(metrics or default_metrics(model.encoder))
    variants = []
    for name, changes, needs_pictures in _ROWS:
        if needs_pictures is not None and needs_pictures != (training.media is not None):
            if needs_pictures:
                left_out[name] = "there are no pictures"
            continue
        try:
            variants.append(Variant(name, replace(model, finetune=0, **changes), blended))
        except UsageError as error:
            left_out[name] = str(error)
    if model.finetune:
        # One seed: of several, only the best could be kept.
        variants.append(Variant(f"{model.head}, encoder trained", model, seeds=1))
    return Plan(baselines, variants, left_out, cosine, tok)


# Name, options, and whether it needs pictures; None: it takes what there is.
_ROWS: tuple[tuple[str, dict[str, Any], bool | None], ...] = (
    ("comet", {"head": "comet", "without": ()}, None),
    ("suisei (i) no image", {"head": "suisei", "without": ("image",)}, None),
    ("suisei (ii) no idf", {"head": "suisei", "without": ("idf",)}, True),
    ("suisei (i, ii) no image, no idf", {"head": "suisei", "without": ("image", "idf")}, False),
    ("suisei (iii)", {"head": "suisei", "without": ()}, True),
    ("polos", {"head": "polos", "without": ()}, None),
    ("set", {"head": "set", "without": ()}, None),
    ("residual", {"head": "residual", "without": ()}, None),
    ("blend", {"head": "blend", "without": (), "combine": None}, None),
    ("mix", {"head": "mix", "without": (), "combine": None}, None),
)


def _tokenizer(texts: Sequence[str]) -> str | None:
    """
    >>> _tokenizer(["白い犬が走る"]), _tokenizer(["一只狗"]), _tokenizer(["a dog"])
    ('ja', 'zh', None)
    """
    if not is_mostly_unspaced(texts):
        return None
    return "ja" if 2 * sum(bool(_KANA.search(text)) for text in texts) > len(texts) else "zh"


def _with(spec: str, **options: Any) -> str:
    """
    >>> _with("sentence_cosine(refs=mean)", model="e5"), _with("sentence_cosine", model="minilm")
    ('sentence_cosine(e5, refs=mean)', 'sentence_cosine')
    """
    return str(replace(registry.parse(spec), **options))


def folder_name(variant: str) -> str:
    """
    >>> folder_name("suisei (i) no image"), folder_name("residual, encoder trained")
    ('suisei-i-no-image', 'residual-encoder-trained')
    """
    return re.sub(r"[^a-z0-9]+", "-", variant.lower()).strip("-")
