"""The original tools, driven the way caption evaluators drive them. Needs Java."""

from __future__ import annotations

from typing import Any

Captions = dict[str, list[str]]


def original_captions(predictions: dict[str, str], references: Captions) -> dict[str, dict[str, Any]]:
    """pycocoevalcap's whole pipeline: for each metric its corpus value and its value for each id."""
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.meteor.meteor import Meteor
    from pycocoevalcap.rouge.rouge import Rouge
    from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

    tokenizer = PTBTokenizer()
    gts = tokenizer.tokenize({id: [{"caption": text} for text in texts] for id, texts in references.items()})
    res = tokenizer.tokenize({id: [{"caption": predictions[id]}] for id in references})
    scores: dict[str, dict[str, Any]] = {}
    bleus, bleu_items = Bleu(4).compute_score(gts, res, verbose=0)
    for n in range(4):
        scores[f"BLEU-{n + 1}"] = {"value": bleus[n], "items": dict(zip(gts, bleu_items[n], strict=True))}
    for name, scorer in {"meteor": Meteor(), "rouge_l": Rouge(), "cider": Cider()}.items():
        value, items = scorer.compute_score(gts, res)
        scores[name] = {"value": float(value), "items": dict(zip(gts, map(float, items), strict=True))}
    return scores
