"""The losses beside their definitions, token by token."""

from __future__ import annotations

import math

import pytest

torch = pytest.importorskip("torch")

from kataribe.narration.narrators.losses import narration_loss  # noqa: E402
from kataribe.narration.narrators.vocabulary import BEGIN, END  # noqa: E402


def naive_loss(logs: torch.Tensor, text: list[list[int]], smoothing: float, unlikelihood: float) -> float:
    losses = []
    for row, tokens in enumerate(text):
        for t, token in enumerate(tokens[1:]):
            if token == 0:
                continue
            every = [float(value) for value in logs[row, t] if math.isfinite(value)]
            loss = -(1 - smoothing) * float(logs[row, t, token]) - smoothing * sum(every) / len(every)
            for said in set(tokens[1 : t + 1]) - {token}:
                loss -= unlikelihood * math.log(1 - math.exp(float(logs[row, t, said])))
            losses.append(loss)
    return sum(losses) / len(losses)


@pytest.mark.parametrize(("smoothing", "unlikelihood"), [(0.0, 0.0), (0.1, 0.0), (0.1, 1.0), (0.0, 0.5)])
def test_loss_is_its_definition(smoothing: float, unlikelihood: float) -> None:
    torch.manual_seed(0)
    text = [[BEGIN, 5, 6, 5, 7, END], [BEGIN, 7, 7, END, 0, 0]]
    scores = torch.randn(2, 5, 9)
    scores[1, :, 8] = -math.inf  # a role that the second film does not have
    logs = scores.log_softmax(2)
    found = narration_loss(logs, torch.tensor(text), smoothing, unlikelihood)
    assert float(found) == pytest.approx(naive_loss(logs, text, smoothing, unlikelihood), abs=1e-5)


def test_what_another_text_of_the_batch_has_said_costs_nothing() -> None:
    torch.manual_seed(1)
    logs = torch.randn(2, 3, 9).log_softmax(2)
    alone = narration_loss(logs[:1], torch.tensor([[BEGIN, 5, 6, END]]), 0.0, 1.0)
    for other in (5, 7):
        both = torch.tensor([[BEGIN, 5, 6, END], [BEGIN, other, other, END]])
        beside = narration_loss(logs, both, 0.0, 1.0)
        second = narration_loss(logs[1:], both[1:], 0.0, 1.0)
        assert float(beside) == pytest.approx(float(alone + second) / 2, abs=1e-6)


def test_a_word_that_was_sure_to_be_repeated_keeps_the_loss_finite() -> None:
    scores = torch.full((1, 2, 9), -50.0)
    scores[:, :, 5] = 50.0
    loss = narration_loss(scores.log_softmax(2), torch.tensor([[BEGIN, 5, 6]]), 0.1, 1.0)
    assert math.isfinite(float(loss))
