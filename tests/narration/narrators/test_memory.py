"""The memory beside its equations, with M itself instead of one number for each frame."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from kataribe.narration.narrators.memory import SHOWN_AT_ONCE, WINDOW, VideoMemory  # noqa: E402

WIDTH = 6


def sigmoid(x: torch.Tensor) -> torch.Tensor:
    return 1 / (1 + torch.exp(-x))


def naive_memories(
    memory: VideoMemory, frames: torch.Tensor, looked: torch.Tensor, states: torch.Tensor
) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """M and s after each token, of one clip."""
    shown = torch.tensor([max(0.0, 1 - j / SHOWN_AT_ONCE) for j in range(len(frames))])
    told = shown[:, None] * frames
    gates = [sigmoid(memory.gates(state)) for state in states]
    w = torch.cat([memory.write_frame.weight[0], memory.write_context.weight[0]])
    found = []
    for t in range(len(states)):
        last = range(max(0, t + 1 - WINDOW), t + 1)
        weights = [float(number) for number in range(1, len(last) + 1)]
        mean_looked = sum(weight * looked[k] for weight, k in zip(weights, last, strict=True)) / sum(weights)
        mean_state = sum(weight * states[k] for weight, k in zip(weights, last, strict=True)) / sum(weights)
        erasing, writing = gates[t]
        context = (mean_looked[:, None] * frames).sum(0)
        for j in range(len(frames)):
            told[j] = told[j] * (1 - erasing * mean_looked[j] * sigmoid(told[j] @ memory.erase(mean_state)))
            new = sigmoid(w @ torch.cat([frames[j], context]) + memory.write_frame.bias[0])
            added = (1 - shown[j]) * writing * new
            told[j] = told[j] + added * frames[j]
            shown[j] = shown[j] + added
        found.append((told.clone(), shown.clone()))
    return found


@torch.no_grad()
@pytest.mark.parametrize("count", [3, SHOWN_AT_ONCE + 4])
def test_memory_is_its_equations(count: int) -> None:
    torch.manual_seed(count)
    memory, tokens = VideoMemory(WIDTH), WINDOW + 5
    frames = torch.randn(count, WIDTH)
    looked, states = torch.rand(tokens, count).softmax(1), torch.randn(tokens, WIDTH)
    naive = naive_memories(memory, frames, looked, states)
    keys, state = memory.keys(frames[None]), memory.start(frames[None])
    for token, (told, shown) in enumerate(naive):
        state = memory(keys, state, looked[token : token + 1], states[token : token + 1])
        torch.testing.assert_close(state.visible[0][:, None] * frames, told, atol=1e-5, rtol=1e-4)
        torch.testing.assert_close(state.shown[0], shown, atol=1e-5, rtol=1e-4)


@torch.no_grad()
def test_late_frames_are_hidden_until_they_are_written() -> None:
    torch.manual_seed(0)
    memory, frames = VideoMemory(WIDTH), torch.randn(1, SHOWN_AT_ONCE + 10, WIDTH)
    state = memory.start(frames)
    assert float(state.visible[0, 0]) == 1.0
    assert float(state.visible[0, SHOWN_AT_ONCE:].max()) == 0.0
    looked = torch.full((1, SHOWN_AT_ONCE + 10), 1 / (SHOWN_AT_ONCE + 10))
    after = memory(memory.keys(frames), state, looked, torch.randn(1, WIDTH))
    assert float(after.visible[0, SHOWN_AT_ONCE:].min()) > 0.0
    assert float(after.shown.max()) <= 1.0
