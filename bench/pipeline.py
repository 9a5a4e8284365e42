"""`python -m bench.pipeline PRED REFS`: what a user of pycocoevalcap runs, from files to the four scores as JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pycocoevalcap.bleu.bleu import Bleu
from pycocoevalcap.cider.cider import Cider
from pycocoevalcap.meteor.meteor import Meteor
from pycocoevalcap.rouge.rouge import Rouge
from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer


def main(predictions: str, references: str) -> dict[str, float]:
    candidates = json.loads(Path(predictions).read_text(encoding="utf-8"))
    written = json.loads(Path(references).read_text(encoding="utf-8"))
    tokenizer = PTBTokenizer()
    truth = tokenizer.tokenize({id: [{"caption": text} for text in texts] for id, texts in written.items()})
    guess = tokenizer.tokenize({id: [{"caption": candidates[id]}] for id in written})
    bleu, _ = Bleu(4).compute_score(truth, guess)
    scores = {f"BLEU-{n}": float(value) for n, value in enumerate(bleu, start=1)}
    for name, scorer in (("METEOR", Meteor()), ("ROUGE-L", Rouge()), ("CIDEr", Cider())):
        scores[name] = float(scorer.compute_score(truth, guess)[0])
    return scores


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
