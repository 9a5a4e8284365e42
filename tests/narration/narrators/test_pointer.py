"""The pointer: both forms beside their formulas; who is not there is never chosen; the order of the cast is nothing."""

from __future__ import annotations

import math

import pytest

torch = pytest.importorskip("torch")

from kataribe.narration.narrators.pointer import RolePointer, combine  # noqa: E402

WIDTH, HEADS = 8, 2


def made(form: str = "mixture", billing: bool = False) -> RolePointer:
    torch.manual_seed(0)
    return RolePointer(WIDTH, HEADS, 0.0, form, billing).eval()


def roles_of(pointer: RolePointer, portraits: torch.Tensor, mask: list[bool]) -> object:
    real = torch.tensor([mask])
    return pointer.roles(portraits[None], real, real)


@torch.no_grad()
def test_scores_are_the_mean_of_heads() -> None:
    pointer = made()
    roles = roles_of(pointer, torch.randn(4, WIDTH), [True] * 4)
    seen = torch.randn(1, 1, WIDTH)
    query, half = pointer.query(seen)[0, 0], WIDTH // HEADS
    for role in range(4):
        by_head = [
            float(query[half * head : half * (head + 1)] @ roles.keys[0, head, role]) / math.sqrt(half)
            for head in range(HEADS)
        ]
        assert float(pointer.scores(seen, roles)[0, 0, role]) == pytest.approx(sum(by_head) / HEADS, abs=1e-6)


@torch.no_grad()
def test_mixture_and_paper_are_their_formulas() -> None:
    words, scores, gate = torch.randn(1, 1, 3), torch.randn(1, 1, 2), torch.tensor([[[0.7]]])
    there = torch.ones(1, 1, 2, dtype=torch.bool)
    share = float(torch.sigmoid(gate))
    mixture = torch.cat([(1 - share) * words.softmax(2), share * scores.softmax(2)], 2)
    torch.testing.assert_close(combine(words, scores, gate, there, "mixture").exp(), mixture)
    paper = torch.cat([words, share * scores], 2).softmax(2)
    torch.testing.assert_close(combine(words, scores, gate, there, "paper").exp(), paper)


@torch.no_grad()
@pytest.mark.parametrize("form", ["mixture", "paper"])
@pytest.mark.parametrize("mask", [[True, True, False], [False, False, False], [True, True, True]])
def test_padded_roles_have_no_probability_and_all_of_it_is_given(form: str, mask: list[bool]) -> None:
    pointer = made(form)
    roles = roles_of(pointer, torch.randn(3, WIDTH), mask)
    found = pointer(torch.randn(1, 2, 4), torch.randn(1, 2, WIDTH), torch.randn(1, 2, WIDTH), roles)
    torch.testing.assert_close(found.exp().sum(2), torch.ones(1, 2))
    for role, is_real in enumerate(mask):
        assert bool(found[:, :, 4 + role].isfinite().all()) == is_real


@torch.no_grad()
@pytest.mark.parametrize("billing", [False, True])
def test_the_order_of_the_cast_matters_only_where_billing_is_known(billing: bool) -> None:
    pointer = made(billing=billing)
    portraits, seen = torch.randn(5, WIDTH), torch.randn(1, 1, WIDTH)
    order = torch.tensor([3, 0, 4, 1, 2])
    scores = pointer.scores(seen, roles_of(pointer, portraits, [True] * 5))[0, 0]
    moved = pointer.scores(seen, roles_of(pointer, portraits[order], [True] * 5))[0, 0]
    assert torch.allclose(moved, scores[order], atol=1e-6) != billing


def test_a_batch_with_a_film_without_cast_trains() -> None:
    pointer = made().train()
    mask = torch.tensor([[True, False], [False, False]])
    roles = pointer.roles(torch.randn(2, 2, WIDTH), mask, mask)
    found = pointer(torch.randn(2, 1, 3), torch.randn(2, 1, WIDTH), torch.randn(2, 1, WIDTH), roles)
    found[:, :, :4][mask.new_tensor([[[True] * 4], [[True] * 3 + [False]]])].sum().backward()
    assert all(bool(each.grad.isfinite().all()) for each in pointer.parameters() if each.grad is not None)
