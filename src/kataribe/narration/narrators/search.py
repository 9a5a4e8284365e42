"""Finding words: greedy, or a beam that keeps the best few texts. Nothing is drawn: the same clip gives the same text.

    beam       of all continuations of the kept texts, the best `beam` by the sum of log-probabilities
    the end    a text that has ended counts with sum / length ** penalty; the best of these is told

PAD, BEGIN and <unknown> are never said. A role is one step, whatever the length of its name.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from kataribe.core.need import need
from kataribe.narration.narrators.options import SearchOptions
from kataribe.narration.narrators.vocabulary import BEGIN, END, PAD, UNKNOWN

_NEVER = (PAD, BEGIN, UNKNOWN)


def search(network: Any, batch: Any, options: SearchOptions) -> list[list[int]]:
    """The tokens of each clip's text, without BEGIN and END."""
    torch = need("torch", extra="models", purpose="narrators")
    with torch.no_grad():
        return _greedy(torch, network, batch, options) if options.beam == 1 else _beam(torch, network, batch, options)


def sample(network: Any, batch: Any, longest: int, generator: Any = None) -> list[list[int]]:
    """Drawn instead of chosen, for self-critical training."""
    torch = need("torch", extra="models", purpose="narrators")

    def draw(logs: Any) -> Any:
        return torch.multinomial(logs.exp(), 1, generator=generator).squeeze(1)

    with torch.no_grad():
        return _follow(torch, network, batch, longest, draw)


def _greedy(torch: Any, network: Any, batch: Any, options: SearchOptions) -> list[list[int]]:
    return _follow(torch, network, batch, options.longest, lambda logs: logs.argmax(1))


def _follow(torch: Any, network: Any, batch: Any, longest: int, choose: Any) -> list[list[int]]:
    seen = network.see(batch)
    progress = network.start(seen)
    count = len(batch.frames)
    texts: list[list[int]] = [[] for _ in range(count)]
    going = list(range(count))
    last = torch.full((count,), BEGIN, device=batch.frames.device)
    for _ in range(longest):
        logs, progress = network.step(seen, progress, last)
        logs[:, list(_NEVER)] = -math.inf
        last = choose(logs)
        kept = []
        for row, (text, token) in enumerate(zip(going, last.tolist(), strict=True)):
            if token != END:
                texts[text].append(token)
                kept.append(row)
        if len(kept) < len(going):  # texts that have ended are not computed any more
            going = [going[row] for row in kept]
            if not going:
                break
            rows = torch.tensor(kept, device=last.device)
            seen, progress, last = seen.of(rows), progress.of(rows), last[rows]
    return texts


class _Ended(NamedTuple):
    score: float
    tokens: list[int]


def _beam(torch: Any, network: Any, batch: Any, options: SearchOptions) -> list[list[int]]:
    rows = torch.arange(len(batch.frames), device=batch.frames.device)
    seen = network.see(batch)
    return [_beam_of_one(torch, network, seen.of(rows[row : row + 1]), options) for row in range(len(rows))]


def _beam_of_one(torch: Any, network: Any, seen: Any, options: SearchOptions) -> list[int]:
    progress, last = network.start(seen), torch.full((1,), BEGIN, device=seen.slots.device)
    texts: list[list[int]] = [[]]
    sums = torch.zeros(1, device=last.device)
    ended: list[_Ended] = []
    for length in range(1, options.longest + 1):
        logs, progress = network.step(seen, progress, last)
        logs[:, list(_NEVER)] = -math.inf
        totals = (sums[:, None] + logs).flatten()
        # As many again may end here, so that the beam stays full.
        best = totals.topk(min(2 * options.beam, int(totals.isfinite().sum())))
        rows: list[int] = []
        next_texts: list[list[int]] = []
        next_sums: list[float] = []
        for total, flat in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            row, token = divmod(flat, logs.shape[1])
            if token == END:
                ended.append(_Ended(total / length**options.length_penalty, texts[row]))
            elif len(rows) < options.beam:
                rows.append(row)
                next_texts.append([*texts[row], token])
                next_sums.append(total)
        if _is_decided(ended, next_sums, length, options):
            break
        texts, sums = next_texts, torch.tensor(next_sums, device=last.device)
        chosen = torch.tensor(rows, device=last.device)
        seen, progress = seen.of(chosen), progress.of(chosen)
        last = torch.tensor([text[-1] for text in texts], device=last.device)
    else:
        penalty = options.longest**options.length_penalty
        ended += [_Ended(total / penalty, text) for total, text in zip(sums.tolist(), texts, strict=True)]
    return max(ended, key=lambda each: each.score).tokens


def _is_decided(ended: list[_Ended], sums: list[float], length: int, options: SearchOptions) -> bool:
    """As many texts have ended as the beam is wide, and none that goes on stands better than the best of them."""
    if not sums:
        return True
    if len(ended) < options.beam:
        return False
    return max(each.score for each in ended) >= max(sums) / float(length**options.length_penalty)
