"""The published figures: Kendall's tau-c of segment scores against every rating of Flickr8k-Expert.

Hessel, J. et al. (2021). CLIPScore: a reference-free evaluation metric for image captioning. EMNLP, table 1.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kataribe.people.agreement import agree
from kataribe.people.metaevaluation import score_rated
from kataribe.people.options import AgreementOptions

PUBLISHED = {"bleu(1)": 32.3, "bleu": 30.8, "rouge_l": 32.3, "meteor": 41.8, "cider": 43.9}


@pytest.mark.data
def test_flickr8k_expert_gives_the_published_figures(data_folder: Path) -> None:
    scores, ratings = score_rated(data_folder / "human-judgements" / "flickr8k_expert.json", list(PUBLISHED))
    assert scores.warnings == ()  # no caption is one of its own references: nothing is left out, nothing flattered
    agreement = agree(scores, ratings, options=AgreementOptions(bootstrap=0))
    assert agreement.warnings == ()
    found = agreement.dimensions["overall"]
    assert (found.items, found.texts, found.answers) == (1000, 5664, 16992)
    for metric, published in PUBLISHED.items():
        assert round(100 * found.metrics[metric].values["tau_c"], 1) == published, metric


@pytest.mark.data
def test_nebula_is_read_and_scored(data_folder: Path) -> None:
    scores, ratings = score_rated(data_folder / "human-judgements" / "nebula_test.json", ["meteor", "cider"])
    found = agree(scores, ratings, options=AgreementOptions(bootstrap=100)).dimensions["overall"]
    assert (found.texts, found.answers, found.people) == (3298, 3298, None)
    low, high = found.metrics["meteor"].intervals["tau_c"]
    assert low < found.metrics["meteor"].values["tau_c"] < high
    assert found.metrics["meteor"].values["tau_c"] > 0.4
