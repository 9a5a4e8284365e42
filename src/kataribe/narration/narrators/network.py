"""VT, OVP and RMN, composed of the shared transformer, the video memory and the role pointer.

    frame j     W picture + U (face 1 + face 2 + face 3) + position              (faces where they are looked at)
    seen        encoder(frames ; a learned vector for each genre ; tokens of the context)
    slots       the encoded frames as the memory shows them, m_j E_j, and the encoded context as it is
    token       its embedding, or of a role linear(portrait), + position -> decoder over the slots -> h
    y_voc       h . embedding, tied
    vt          m_j = 1:                  all tokens of a text are computed at once
    ovp         m_j from `memory.py`:     token after token, as each changes what the next one sees
    rmn         ovp, and names from `pointer.py`

The paper joins a frame's picture and faces before one linear layer: W picture + U1 face1 + U2 face2 + U3 face3. Here
one U serves all three faces and the portraits, so that a face and a portrait of one person are alike from the start.
Pictures and faces are scaled by the training films' mean and spread, which are part of the weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from kataribe.narration.narrators.memory import Keys, MemoryState, VideoMemory
from kataribe.narration.narrators.options import NarratorOptions
from kataribe.narration.narrators.pointer import RolePointer, Roles
from kataribe.narration.narrators.transformer import Decoder, Encoder, Listened, Projected, Rows, positions
from kataribe.narration.narrators.vocabulary import PAD


@dataclass(frozen=True)
class Sizes:
    """How wide the features are, and how many words and genres there are."""

    frame: int
    face: int
    words: int
    genres: int


class Batch(NamedTuple):
    """Clips, padded; masks are true of what is real. `text` begins with BEGIN and ends with END."""

    frames: Tensor  # batch x frames x width
    faces: Tensor  # batch x frames x 3 x width
    has_face: Tensor
    frame_mask: Tensor
    portraits: Tensor  # batch x roles x width, at least one role
    has_portrait: Tensor
    role_mask: Tensor
    genres: Tensor  # batch x genres, 0 where there is none
    context: Tensor  # batch x tokens; PAD where there is none
    context_kind: Tensor  # 0: what was told before; 1: what is said before; 2: what is said after
    text: Tensor  # batch x tokens
    rows: Tensor  # which examples these are


class Seen(NamedTuple):
    """What the decoder can look at: slots, their projections, which only fill up, the memory's keys and the roles."""

    slots: Tensor
    projected: tuple[Projected, ...]
    hidden: Tensor
    frames: int
    keys: Keys | None
    roles: Roles | None

    def of(self, rows: Rows) -> Seen:
        keys = None if self.keys is None else Keys(*(each[rows] for each in self.keys))
        projected = tuple(each.of(rows) for each in self.projected)
        roles = None if self.roles is None else self.roles.of(rows)
        return Seen(self.slots[rows], projected, self.hidden[rows], self.frames, keys, roles)


class Progress(NamedTuple):
    """Where a text stands: the tokens so far, as the decoder needs them, and the memory."""

    tokens: tuple[Projected, ...]
    memory: MemoryState | None
    length: int

    def of(self, rows: Rows) -> Progress:
        memory = None if self.memory is None else self.memory.of(rows)
        return Progress(tuple(each.of(rows) for each in self.tokens), memory, self.length)


class Thought(NamedTuple):
    """Of each token: the decoder's state, and what it looks at, sum_j alpha_j M_j."""

    states: Tensor
    looked_at: Tensor


class NarratorNetwork(nn.Module):
    def __init__(self, options: NarratorOptions, sizes: Sizes) -> None:
        super().__init__()
        self.options, self.sizes = options, sizes
        width, heads, layers, dropout = options.width, options.heads, options.layers, options.dropout
        for name, count in (("frame", sizes.frame), ("face", sizes.face)):
            self.register_buffer(f"{name}_mean", torch.zeros(count))
            self.register_buffer(f"{name}_spread", torch.ones(count))
        self.frame = nn.Linear(sizes.frame, width)
        self.face = nn.Linear(sizes.face, width, bias=False) if options.faces or options.points else None
        self.genre = nn.Embedding(sizes.genres + 1, width, padding_idx=0) if options.genres else None
        self.context_kind = nn.Embedding(3, width) if options.context != "none" else None
        self.encoder = Encoder(width, heads, layers, dropout)
        self.decoder = Decoder(width, heads, layers, dropout)
        self.words = nn.Embedding(sizes.words, width)
        nn.init.normal_(self.words.weight, std=width**-0.5)
        self.bias = nn.Parameter(torch.zeros(sizes.words))
        self.memory = VideoMemory(width) if options.model != "vt" else None
        self.pointer = (
            RolePointer(width, heads, dropout, options.pointer, options.billing == "fixed") if options.points else None
        )
        self.dropout = nn.Dropout(dropout)

    def forward(self, batch: Batch) -> Tensor:
        """Log-probabilities of each token of the texts after the first: batch x tokens x (words and roles)."""
        seen, given = self.see(batch), batch.text[:, :-1]
        if self.memory is None:
            return self.say(self._think(seen, self.start(seen), self._listen(seen, given, self.start(seen)))[0], seen)
        return self.say(self._one_by_one(seen, given), seen)

    def _one_by_one(self, seen: Seen, given: Tensor) -> Thought:
        """Token after token, the longest texts first: those that have ended are not computed any more."""
        lengths = (given != PAD).sum(1)
        order = lengths.argsort(descending=True, stable=True)
        sizes = [int((lengths > position).sum()) for position in range(given.shape[1])]
        seen, given = seen.of(order), given[order]
        progress = self.start(seen)
        listened = self._listen(seen, given, progress)
        states: list[Tensor] = []
        looked_at: list[Tensor] = []
        for position, size in enumerate(sizes):
            rows = slice(0, size)
            if size < len(order) and (not position or size < sizes[position - 1]):
                seen, progress = seen.of(rows), progress.of(rows)
            thought, progress = self._think(seen, progress, listened.at(position, rows))
            for found, kept in zip(thought, (states, looked_at), strict=True):
                kept.append(nn.functional.pad(found[:, 0], (0, 0, 0, len(order) - size)))
        back = order.argsort()
        return Thought(torch.stack(states, 1)[back], torch.stack(looked_at, 1)[back])

    def see(self, batch: Batch) -> Seen:
        """Encode the clips; a text is then told token by token from what is seen."""
        roles = None
        if self.pointer is not None:
            assert self.face is not None
            portraits = self.face(self._scaled("face", batch.portraits))
            roles = self.pointer.roles(portraits, batch.has_portrait & batch.role_mask, batch.role_mask)
        entered, masks = [self._frames(batch)], [batch.frame_mask]
        if self.context_kind is not None and batch.context.shape[1]:
            context = self._embed(batch.context, roles) + self.context_kind(batch.context_kind)
            entered.append(context + positions(context.shape[1], context.shape[2], context))
            masks.append(batch.context != 0)
        if self.genre is not None and batch.genres.shape[1]:
            entered.append(self.genre(batch.genres))
            masks.append(batch.genres != 0)
        encoded = self.encoder(self.dropout(torch.cat(entered, 1)), torch.cat(masks, 1))
        genres = batch.genres.shape[1] if self.genre is not None else 0
        slots = encoded[:, : encoded.shape[1] - genres]
        hidden = ~torch.cat(masks, 1)[:, : slots.shape[1]]
        frames = batch.frames.shape[1]
        keys = None if self.memory is None else self.memory.keys(slots[:, :frames])
        return Seen(slots, self.decoder.project(slots), hidden, frames, keys, roles)

    def start(self, seen: Seen) -> Progress:
        memory = None if self.memory is None else self.memory.start(seen.slots[:, : seen.frames])
        return Progress((), memory, 0)

    def step(self, seen: Seen, progress: Progress, tokens: Tensor) -> tuple[Tensor, Progress]:
        """What may follow a new token of each text (batch): log-probabilities, batch x (words and roles)."""
        thought, after = self._think(seen, progress, self._listen(seen, tokens[:, None], progress))
        return self.say(thought, seen)[:, 0], after

    def say(self, thought: Thought, seen: Seen) -> Tensor:
        words = thought.states @ self.words.weight.T + self.bias
        if self.pointer is None:
            return words.log_softmax(2)
        assert seen.roles is not None
        return self.pointer(words, thought.states, thought.looked_at, seen.roles)

    def _listen(self, seen: Seen, tokens: Tensor, progress: Progress) -> Listened:
        entered = self._embed(tokens, seen.roles)
        entered = entered + positions(tokens.shape[1], entered.shape[2], entered, progress.length)
        return self.decoder.listen(self.dropout(entered), progress.tokens)

    def _think(self, seen: Seen, progress: Progress, listened: Listened) -> tuple[Thought, Progress]:
        """New tokens, and where the text stands after them; with a memory, one new token at a time."""
        visible, memory = self._visible(seen, progress.memory), progress.memory
        decoded = self.decoder(listened, progress.tokens, seen.projected, seen.hidden, visible)
        if self.memory is not None:
            assert seen.keys is not None
            assert memory is not None
            memory = self.memory(seen.keys, memory, decoded.looked[:, 0, : seen.frames], decoded.states[:, 0])
        thought = Thought(decoded.states, (decoded.looked * visible[:, None]) @ seen.slots)
        return thought, Progress(decoded.tokens, memory, progress.length + decoded.states.shape[1])

    def _frames(self, batch: Batch) -> Tensor:
        frames = self.frame(self._scaled("frame", batch.frames))
        if self.options.faces:
            assert self.face is not None
            faces = self._scaled("face", batch.faces) * batch.has_face[..., None]
            frames = frames + self.face(faces.sum(2))
        return frames + positions(frames.shape[1], frames.shape[2], frames)

    def _scaled(self, name: str, features: Tensor) -> Tensor:
        return (features - getattr(self, f"{name}_mean")) / getattr(self, f"{name}_spread")

    def _visible(self, seen: Seen, memory: MemoryState | None) -> Tensor:
        """m of each slot; the context is always visible."""
        if memory is None:
            return seen.slots.new_ones(seen.slots.shape[:2])
        others = seen.slots.shape[1] - seen.frames
        return nn.functional.pad(memory.visible, (0, others), value=1.0) if others else memory.visible

    def _embed(self, tokens: Tensor, roles: Roles | None) -> Tensor:
        words = self.words(tokens.clamp(max=self.sizes.words - 1)) * self.options.width**0.5
        if roles is None:
            return words
        role = (tokens - self.sizes.words).clamp(min=0)[:, :, None].expand(-1, -1, words.shape[2])
        return torch.where((tokens >= self.sizes.words)[:, :, None], roles.vectors.gather(1, role), words)
