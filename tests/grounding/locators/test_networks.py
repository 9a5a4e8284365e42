"""The networks: candidates, targets, masks, faces."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch.nn import functional  # noqa: E402

from kataribe.core.types import Segment  # noqa: E402
from kataribe.grounding.locators.iterative import ANCHORS, Inputs, IterativeLocator  # noqa: E402
from kataribe.grounding.locators.moment_map import MomentMap, valid_cells  # noqa: E402
from kataribe.grounding.locators.parts import Batch, Found  # noqa: E402

INPUTS = Inputs(frames=6, faces=5, tokens=4)


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


def batch(
    rows: tuple[int, ...] = (12, 7), tokens: tuple[int, ...] = (3, 2), portraits: tuple[int, ...] = (2, 0)
) -> Batch:
    def there(lengths: tuple[int, ...]) -> torch.Tensor:
        return torch.tensor([[row < length for row in range(max(lengths))] for length in lengths])

    count, longest = len(rows), max(rows)
    is_row, is_portrait = there(rows), there(portraits)
    has_face = is_row[..., None] & (torch.rand(count, longest, 3) < 0.7)
    return Batch(
        torch.randn(count, longest, INPUTS.frames),
        is_row,
        torch.randn(count, longest, 3, INPUTS.faces) * has_face[..., None],
        has_face,
        torch.randn(count, max(tokens), INPUTS.tokens),
        there(tokens),
        torch.randn(count, max(portraits), INPUTS.faces) * is_portrait[..., None],
        is_portrait,
        torch.tensor([[2.0, 6.0]] * count),
    )


def only(full: Batch, row: int) -> Batch:
    """One window of a batch, without padding."""
    rows, tokens, portraits = (int(mask[row].sum()) for mask in (full.is_row, full.is_token, full.is_portrait))
    one = Batch(*(each[row : row + 1] for each in full))
    return Batch(
        one.frames[:, :rows],
        one.is_row[:, :rows],
        one.faces[:, :rows],
        one.has_face[:, :rows],
        one.tokens[:, :tokens],
        one.is_token[:, :tokens],
        one.portraits[:, :portraits],
        one.is_portrait[:, :portraits],
        one.target,
    )


def iterative(**options: Any) -> IterativeLocator:
    return IterativeLocator(INPUTS, 8, 2, 2, 0.0, **options).eval()


def moment_map(clips: int = 8) -> MomentMap:
    return MomentMap(INPUTS, 8, clips, 6, 3, 2, 0.0).eval()


@pytest.mark.parametrize(
    "network", [iterative, lambda: iterative(faces="both"), lambda: iterative(faces="query"), moment_map]
)
def test_padding_moves_no_result_and_no_loss(network: Any) -> None:
    built, full = network(), batch()
    together = built(full)
    for row in range(2):
        alone = built(only(full, row))
        kept = together.is_there[row]
        torch.testing.assert_close(together.logits[row][kept], alone.logits[0], rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(together.spans[row][kept], alone.spans[0], rtol=1e-4, atol=1e-5)
    halves = [built.loss(built(only(full, row)), only(full, row)) for row in range(2)]
    counts = together.is_there.sum(1).float()
    if network is moment_map:
        mean = (halves[0] * counts[0] + halves[1] * counts[1]) / counts.sum()
        torch.testing.assert_close(built.loss(together, full), mean, rtol=1e-4, atol=1e-5)


def test_what_stands_in_padding_moves_nothing() -> None:
    built, full = iterative(faces="both"), batch()
    noisy = full._replace(
        frames=full.frames + 9 * ~full.is_row[..., None],
        faces=full.faces + 9 * ~full.has_face[..., None],
        tokens=full.tokens + 9 * ~full.is_token[..., None],
        portraits=full.portraits + 9 * ~full.is_portrait[..., None],
    )
    one, other = built(full), built(noisy)
    torch.testing.assert_close(one.logits[one.is_there], other.logits[one.is_there])


def test_a_window_of_one_row_works() -> None:
    for built in (iterative(faces="both"), moment_map()):
        found = built(batch((1,), (2,), (1,)))
        assert torch.isfinite(found.logits).all()
        assert torch.isfinite(found.spans).all()


@pytest.mark.parametrize(
    ("faces", "by_faces", "by_portraits"),
    [("none", False, False), ("video", True, False), ("query", False, True), ("both", True, True)],
)
def test_the_switch_says_where_faces_are_seen(faces: Any, by_faces: bool, by_portraits: bool) -> None:
    built, full = iterative(faces=faces), batch()
    found = built(full).logits
    other_faces = built(full._replace(faces=full.faces * 2)).logits
    other_portraits = built(full._replace(portraits=full.portraits * 2)).logits
    assert (not torch.equal(found, other_faces)) == by_faces
    assert (not torch.equal(found[0], other_portraits[0])) == by_portraits
    assert torch.equal(found[1], other_portraits[1]), "its query names nobody"


def test_one_projection_serves_faces_and_portraits_unless_each_has_its_own() -> None:
    shared, own = iterative(faces="both"), iterative(faces="both", projection="own")
    assert shared.faces is shared.portraits
    assert not torch.equal(own.faces.layer.weight, own.portraits.layer.weight)
    assert len(list(own.parameters())) == len(list(shared.parameters())) + 2


def test_faces_are_added_to_the_output_of_the_recurrent_layer() -> None:
    built, full = iterative(faces="both"), batch()
    no_faces = built.video(full._replace(has_face=full.has_face & False))
    expected = sum(built.faces.layer(full.faces[:, :, n]) * full.has_face[:, :, n, None] for n in range(3))
    torch.testing.assert_close(built.video(full) - no_faces, expected)


def test_anchors_lie_round_the_middle_of_each_frame_and_follow_the_rate() -> None:
    full = batch((3,), (2,), (1,))
    spans = iterative().anchor_spans(full.is_row)[0]
    assert spans[1].tolist() == [[1.5 - length / 2, 1.5 + length / 2] for length in ANCHORS]
    half = iterative(rate=0.5).anchor_spans(full.is_row)[0]
    assert (half[0, :, 1] - half[0, :, 0]).tolist() == [2, 4, 8, 16, 32]


def test_the_loss_of_anchors_is_that_of_a_plain_loop() -> None:
    built, full = iterative(), batch()
    found = built(full)
    total, far, near = 0.0, 0.0, 0
    for row in range(2):
        length, target = int(full.is_row[row].sum()), Segment(2, 6)
        overlaps = []
        for at in range(length):
            for anchor in ANCHORS:
                span = Segment(max(0, at + 0.5 - anchor / 2), min(length, at + 0.5 + anchor / 2))
                overlaps.append(span.iou(target))
        kept = found.is_there[row]
        for logit, span, overlap in zip(found.logits[row][kept], found.spans[row][kept], overlaps, strict=True):
            share = torch.tensor(overlap / max(overlaps))
            total += float(functional.binary_cross_entropy_with_logits(logit, share).detach())
            if overlap >= 0.45 * max(overlaps):
                near += 1
                far += sum(d * d / 2 if d < 1 else d - 0.5 for d in (span - torch.tensor([2.0, 6.0])).abs().tolist())
    expected = total / int(found.is_there.sum()) + 0.001 * far / near
    assert float(built.loss(found, full).detach()) == pytest.approx(expected, rel=1e-4)


def test_the_map_of_64_clips_has_1104_cells_and_short_maps_have_all() -> None:
    assert int(valid_cells(64).sum()) == 1104
    assert int(valid_cells(8).sum()) == 36
    lengths = {int(end - start + 1) for start, end in valid_cells(64).nonzero()}
    assert lengths == {*range(1, 17), *range(18, 33, 2), *range(36, 65, 4)}


def test_cells_of_the_map_are_maxima_and_their_spans_are_those_of_the_clips() -> None:
    built, full = moment_map(clips=20), batch((40,), (2,), (1,))
    clips = torch.randn(1, 20, 8)
    cells = built.moments(clips)
    for cell, (start, end) in enumerate(valid_cells(20).nonzero().tolist()):
        torch.testing.assert_close(cells[0, cell], clips[0, start : end + 1].amax(0))
    spans = built.spans(full)[0]
    assert spans[0].tolist() == [0.0, 2.0]
    assert spans[-1].tolist() == [38.0, 40.0]


def test_convolutions_are_divided_by_the_valid_cells_under_the_kernel() -> None:
    built, valid = moment_map(clips=20), valid_cells(20)
    for start, end in ((0, 0), (3, 9), (0, 19)):
        under = valid[max(0, start - 1) : start + 2, max(0, end - 1) : end + 2].sum()
        assert float(built.weights[start, end]) == pytest.approx(9 / float(under))
    assert not built.weights[~valid].any()


def test_the_clips_of_a_window_are_means_of_its_rows() -> None:
    built, full = moment_map(clips=4), batch((8, 2), (3, 2), (1, 1))
    rows = torch.relu(built.frames(full.frames))
    found = built.clip_vectors(full)
    torch.testing.assert_close(found[0, 1], rows[0, 2:4].mean(0))
    torch.testing.assert_close(found[1], rows[1, [0, 0, 1, 1]])


def test_the_loss_of_the_map_is_that_of_a_plain_loop() -> None:
    built, full = moment_map(), batch((16,), (2,), (1,))
    found: Found = built(full)
    losses = []
    for logit, (start, end) in zip(found.logits[0], found.spans[0].tolist(), strict=True):
        share = np.clip((Segment(start, end).iou(Segment(2, 6)) - 0.5) / 0.5, 0, 1)
        losses.append(functional.binary_cross_entropy_with_logits(logit, torch.tensor(share, dtype=torch.float32)))
    torch.testing.assert_close(built.loss(found, full), torch.stack(losses).mean())
