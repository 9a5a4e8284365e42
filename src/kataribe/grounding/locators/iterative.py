"""IA-Net, and RNL, which is IA-Net that sees faces.

    x = z + BiGRU(z),  z = two self-attentions over +-3 frames (W_f frames)       V
    RNL, faces in the video:    x = V + sum of FC(face) over the faces of a frame
    y = W_t tokens of the query
    RNL, faces in the query:    y = [y ; FC(portraits of the roles that the query names)]

    three rounds, each with weights of its own and a calibration after every attention (`parts.py`):
        x <- attention(x, y),  y <- attention(y, x)         between frames and words, both from before the round, each
                                                            with a learned vector more, for what fits nothing
        x <- attention(x, x),  y <- attention(y, y)         among themselves
    c = additive attention of frames to words, and c' to portraits,     h = BiGRU([x ; c ; x * c ; x . c ; c' ; ...])

    For each frame t and each anchor a of 4, 8, 16, 32, 64 seconds round its middle, all counted in frames:
        score = sigmoid(w_a . h_t),   span = [t + (1 - a) / 2 + a d_1, t + (1 + a) / 2 + a d_2],   d = W_a h_t

    loss = BCE(score, IoU / max IoU) + .001 SmoothL1(span - target) where IoU >= .45 max IoU

IoU is that of the anchor before it is moved, cut at the ends of the window; the maximum is over the anchors of a
window. `faces` and `projection` are RNL's switches: by default one FC serves faces and portraits, so that a face and
the portrait of the same person are near each other from the start, whoever it is.

Liu, D., Qu, X., Zhou, P. (2021). Progressively guide to attend: an iterative alignment framework for temporal sentence
grounding. EMNLP. Yue, Z., Zhang, Q., Hu, A., Zhang, L., Wang, Z., Jin, Q. (2023). Movie101: a new movie understanding
benchmark. ACL, section 5.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from kataribe.grounding.locators.options import Faces, Projection
from kataribe.grounding.locators.parts import (
    AdditiveAttention,
    Attention,
    Batch,
    BothWays,
    Calibration,
    FaceLayer,
    Found,
    LocalAttention,
    candidates_iou,
    linear,
    mean_where,
)

ANCHORS = (4.0, 8.0, 16.0, 32.0, 64.0)  # seconds
_NEAR, _OFFSETS = 0.45, 0.001
# Few candidates are near the moment: a score begins at sigmoid(-3), about 5%.
RARE = -3.0


class Inputs(NamedTuple):
    """How wide what comes in is."""

    frames: int
    faces: int
    tokens: int


class IterativeLocator(nn.Module):
    def __init__(
        self,
        inputs: Inputs,
        width: int,
        heads: int,
        rounds: int,
        dropout: float,
        faces: Faces = "none",
        projection: Projection = "shared",
        rate: float = 1.0,
    ) -> None:
        """`rate` is the number of frames in a second."""
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.frames, self.words = linear(inputs.frames, width), linear(inputs.tokens, width)
        self.local = nn.ModuleList(LocalAttention(width, heads) for _ in range(2))
        self.over_time = BothWays(width, width)
        self.sees_faces, self.knows_portraits = faces in ("video", "both"), faces in ("query", "both")
        if self.sees_faces:
            self.faces = FaceLayer(inputs.faces, width)
        self.is_shared = faces == "both" and projection == "shared"
        if self.knows_portraits and not self.is_shared:
            self.own_portraits = FaceLayer(inputs.faces, width)
        self.rounds = nn.ModuleList(Round(width, heads) for _ in range(rounds))
        self.reading = AdditiveAttention(width)
        # A read vector, its product with the frame and how alike the two are: of words, and of portraits.
        self.deciding = BothWays(width + (1 + self.knows_portraits) * (2 * width + 1), width)
        self.score, self.offsets = nn.Linear(width, len(ANCHORS)), nn.Linear(width, 2 * len(ANCHORS))
        nn.init.constant_(self.score.bias, RARE)
        nn.init.zeros_(self.offsets.weight)  # anchors begin where they are
        nn.init.zeros_(self.offsets.bias)
        self.register_buffer("anchors", torch.tensor(ANCHORS) * rate, persistent=False)

    def forward(self, batch: Batch) -> Found:
        x, y = self.video(batch), self.query(batch)
        is_word = torch.cat([batch.is_token, batch.is_portrait], dim=1) if self.knows_portraits else batch.is_token
        for each in self.rounds:
            x, y = each(x, y, batch.is_row, is_word)
        h = self.deciding(torch.cat([x, *self.read(x, y, batch)], dim=-1), batch.is_row)
        anchors = self.anchor_spans(batch.is_row)
        moved = anchors + self.offsets(h).unflatten(-1, (-1, 2)) * self.anchors[:, None]
        is_there = batch.is_row[..., None].expand(anchors.shape[:-1])
        return Found(self.score(h).flatten(1), moved.flatten(1, 2), is_there.flatten(1))

    def read(self, x: Tensor, y: Tensor, batch: Batch) -> Iterator[Tensor]:
        """What each frame reads of the words and, apart, of the portraits, and how it fits the frame."""
        words = batch.is_token.shape[1]
        parts = [(y[:, :words], batch.is_token)]
        if self.knows_portraits:
            parts.append((y[:, words:], batch.is_portrait))
        for part, mask in parts:
            if not part.shape[1]:  # nobody in the batch is named
                part, mask = torch.zeros_like(y[:, :1]), torch.zeros_like(batch.is_token[:, :1])
            read = self.reading(x, part, mask) * mask.any(1)[:, None, None]
            both = x * read
            yield from (read, both, both.sum(-1, keepdim=True) / both.shape[-1] ** 0.5)

    def align(self, frames: Tensor, words: Tensor) -> None:
        """Begin with these weights of the layers of frames and words (`alignment.py`)."""
        with torch.no_grad():
            for layer, weight in ((self.frames, frames), (self.words, words)):
                layer.weight[: len(weight)] = weight

    def video(self, batch: Batch) -> Tensor:
        """V, with faces where they are seen."""
        x = self.frames(self.dropout(batch.frames))
        for each in self.local:
            x = each(x, batch.is_row)
        x = x + self.over_time(x, batch.is_row)
        return x + self.faces(batch.faces, batch.has_face).sum(2) if self.sees_faces else x

    def query(self, batch: Batch) -> Tensor:
        words = self.words(self.dropout(batch.tokens))
        if not self.knows_portraits:
            return words
        return torch.cat([words, self.portraits(batch.portraits, batch.is_portrait)], dim=1)

    @property
    def portraits(self) -> FaceLayer:
        return self.faces if self.is_shared else self.own_portraits

    def anchor_spans(self, is_row: Tensor) -> Tensor:
        """(batch, rows, anchors, 2), not cut."""
        middles = torch.arange(is_row.shape[1], device=is_row.device)[:, None] + 0.5
        spans = torch.stack([middles - self.anchors / 2, middles + self.anchors / 2], dim=-1)
        return spans.expand(is_row.shape[0], *spans.shape)

    def loss(self, found: Found, batch: Batch) -> Tensor:
        lengths = batch.is_row.sum(1)[:, None, None].float()
        anchors = self.anchor_spans(batch.is_row).flatten(1, 2).clamp(min=0)
        iou = candidates_iou(torch.minimum(anchors, lengths), batch.target) * found.is_there
        best = iou.amax(1, keepdim=True).clamp(min=1e-6)
        scores = functional.binary_cross_entropy_with_logits(found.logits, iou / best, reduction="none")
        wanted = batch.target[:, None].expand_as(found.spans)
        far = functional.smooth_l1_loss(found.spans, wanted, reduction="none").sum(-1)
        is_near = (iou >= _NEAR * best) & found.is_there
        return mean_where(scores, found.is_there) + _OFFSETS * mean_where(far, is_near)


class Round(nn.Module):
    """Attention between frames and words, then among each; every attention is calibrated."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.frames_read, self.words_read = (Attention(width, heads, nowhere=True) for _ in range(2))
        self.among_frames, self.among_words = Attention(width, heads), Attention(width, heads)
        self.calibrated = nn.ModuleList(Calibration(width) for _ in range(4))

    def forward(self, x: Tensor, y: Tensor, is_row: Tensor, is_word: Tensor) -> tuple[Tensor, Tensor]:
        read, heard = self.frames_read(x, y, is_word), self.words_read(y, x, is_row)
        x, y = self.calibrated[0](x, read), self.calibrated[1](y, heard)
        x = self.calibrated[2](x, self.among_frames(x, x, is_row))
        return x, self.calibrated[3](y, self.among_words(y, y, is_word))
