"""The heads: vectors of a candidate, its references and its picture in, a score between 0 and 1 out.

    RUSE(a, b) = [a * b, |a - b|]
    each head gives   f(c, r_i)   what is seen of the candidate beside one reference
                      g(c, v)     what is seen of it without references
    max, mean         y = max_i or mean_i of sigmoid(FFN([f(c, r_i), g(c, v)]))
    concat            y = sigmoid(FFN([f(c, r_1), ..., f(c, r_N), g(c, v)])); missing references are zeros
    set               y = sigmoid(FFN([T(f(c, r_1), ..., f(c, r_n)), g(c, v)])); T: a small transformer, no order

    head       f(c, r)                                                g(c, v)
    suisei     [RUSE(c, r), r], the same of c', r'                    [RUSE(c, v), c], the same of c'
    comet      [r, c * r, |c - r|], c and r a learned mix of layers   [c]
    polos      [r, |c - r|, c * r, |r~ - c~|, r~ * c~]                [c, v, c~, |v - c~|, v * c~]
    set        RUSE(Pc, Pr), the same of c', r'                       RUSE(Pc, v), the same of c'
    residual   as set, of vectors scaled to length sqrt(d)            as set, of vectors scaled to length sqrt(d)

    residual corrects the cosine, and never by much:
        y = sigmoid(a max_i cos(c, r_i) + b + mean_i tanh(FFN([f(c, r_i), g(c, v)])))
        The last layer of FFN = 0 before training: it then is the cosine. a and b start as the line that fits the
        ratings of training best, because encoders differ: cosines of one lie around 0.5, of another around 0.9. Its FFN
        has dropout before the hidden layer, too. Instead of the mean, max, concat and set combine the corrections as
        above.

c, r: pooled vectors h of the candidate and a reference; c', r': of idf-weighted tokens (h'); v: the picture's vector,
through a learned linear map P_v to the width of c; c~, r~: vectors in the picture's own space where one model knows
texts and pictures (CLIP), else c and r. P: a learned projection to 64 dimensions. The parts of a branch that is
switched off (image, idf, references) are left out.

Equation 4 of SuiSei concatenates the features of all references: `concat`. With one reference suisei's [f, g] is, up
to the order of its entries, the paper's h. The paper and COMET have one network each; `max` is Polos' choice.

Wada, Y., Kaneda, K., Saito, D., Sugiura, K. (2024). Polos: multimodal metric learning from human feedback for image
captioning. CVPR. Matsuda, K., Wada, Y., Sugiura, K. (2024). DENEB: a hallucination-robust automatic evaluation metric
for image captioning. ACCV.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from kataribe.captions.suisei.options import ModelOptions, Widths

PROJECTED = 64
_ATTENTION_HEADS = 4
# Until the ratings are known: a cosine of 0.5 is the middle of the scale, and sigmoid(6 (cos - 0.5)) spans most of it.
_SLOPE, _OFFSET = 6.0, -3.0


class Texts(NamedTuple):
    """Vectors of texts, as `vectors.TextVectors` has them; the leading axes are the batch and, of references, R."""

    plain: Tensor
    weighted: Tensor | None
    layers: Tensor | None
    shared: Tensor | None

    def at(self, rows: Tensor) -> Texts:
        return Texts(*(None if column is None else column[rows] for column in self))

    def branches(self) -> list[Tensor]:
        """h and, where there is an idf branch, h'."""
        return [self.plain] if self.weighted is None else [self.plain, self.weighted]

    def beside(self, references: Texts) -> Texts:
        """The candidate once more for each of its references."""
        count = references.plain.shape[1]
        return Texts(
            *(None if c is None else c.unsqueeze(1).expand(-1, count, *c.shape[1:]) for c in self)  # (B, R, ...)
        )


def ruse(one: Tensor, other: Tensor) -> Tensor:
    """RUSE(a, b) = [a * b, |a - b|]."""
    return torch.cat([one * other, (one - other).abs()], dim=-1)


class Head(nn.Module):
    """What all heads share: how references are combined, and the feed-forward network.

    A head defines f and g; `answer` makes a score of what the feed-forward network says.
    """

    drops_features: bool = False

    def __init__(self, options: ModelOptions, widths: Widths) -> None:
        super().__init__()
        self.options, self.widths = options, widths
        self.see = nn.Linear(widths.picture, self.picture_width) if widths.picture else None
        self.define()
        f, g = self._widths_of_features()
        by = options.combined_by if options.uses_references else None
        if by == "set":
            self.set = SetPooling(f, PROJECTED)
        into = {None: g, "concat": options.most_references * f + g, "set": PROJECTED + g}.get(by, f + g)
        before = options.dropout if self.drops_features else 0.0
        self.ffn = FeedForward(into, options.hidden_width, options.dropout, before)

    @property
    def picture_width(self) -> int:
        """What the picture's vector is mapped to."""
        return self.widths.text

    def define(self) -> None:
        """Parameters of the head's own."""

    def f(self, c: Texts, r: Texts) -> Tensor:
        raise NotImplementedError

    def g(self, c: Texts, v: Tensor | None) -> list[Tensor]:
        raise NotImplementedError

    def answer(self, logits: Tensor, c: Texts, r: Texts, is_reference: Tensor) -> Tensor:
        """The score; `logits` are of each reference (B, R), or one of all of them (B)."""
        return reduce(torch.sigmoid(logits), is_reference, self.options.combined_by)

    def forward(
        self, c: Texts, r: Texts, is_reference: Tensor, picture: Tensor | None, kept: Tensor | None = None
    ) -> Tensor:
        """c: (B, ...), r: (B, R, ...), is_reference: (B, R) -> scores (B). `kept` is as of `FeedForward`."""
        v = self.see(picture) if self.see is not None else None
        g = torch.cat([*self.g(c, v), c.plain[:, :0]], dim=-1)  # of a head without g: nothing, (B, 0)
        if not self.options.uses_references:
            return torch.sigmoid(self.ffn(g[:, :0], g, kept))
        beside = c.beside(r)
        f = self.f(beside, r) * is_reference.unsqueeze(-1)
        if self.options.combined_by in ("max", "mean"):
            seen, g = f, g.unsqueeze(1)
        elif self.options.combined_by == "concat":
            missing = self.options.most_references - f.shape[1]
            seen = nn.functional.pad(f, (0, 0, 0, missing)).flatten(1)
        else:
            seen = self.set(f, is_reference)
        return self.answer(self.ffn(seen, g, kept), beside, r, is_reference)

    def _widths_of_features(self) -> tuple[int, int]:
        """Of f and g, by trying them on one caption of zeros."""
        widths = self.widths
        width = {"layers": (widths.layers, widths.text), "shared": (widths.shared,)}
        weighted = torch.zeros(1, widths.text) if self.options.uses_idf else None
        layers, shared = (torch.zeros(1, *width[name]) if width[name][0] else None for name in ("layers", "shared"))
        c = Texts(torch.zeros(1, widths.text), weighted, layers, shared)
        v = torch.zeros(1, self.picture_width) if widths.picture else None
        with torch.no_grad():
            f = self.f(c, c).shape[-1] if self.options.uses_references else 0
            return f, sum(part.shape[-1] for part in self.g(c, v))


def reduce(scores: Tensor, is_reference: Tensor, by: str) -> Tensor:
    """The best or the mean score over an item's references; what is of all of them stays as it is."""
    if scores.ndim == 1:
        return scores
    if by == "max":
        return scores.masked_fill(~is_reference, -torch.inf).amax(dim=1)
    return (scores * is_reference).sum(dim=1) / is_reference.sum(dim=1)


class FeedForward(nn.Sequential):
    """Linear, Tanh, dropout, Linear: one number of each row of features [f, g].

    In training `before` of the features are switched off, too.
    """

    def __init__(self, into: int, hidden: int, dropout: float, before: float = 0.0) -> None:
        super().__init__(nn.Linear(into, hidden), nn.Tanh(), nn.Dropout(dropout), nn.Linear(hidden, 1))
        self.before = before

    def forward(self, f: Tensor, g: Tensor, kept: Tensor | None = None) -> Tensor:
        """`kept` says which hidden units are not switched off, the same for every row; None: as in training or not."""
        first, tanh, dropout, last = self
        f, g = (nn.functional.dropout(each, self.before, self.training) for each in (f, g))
        # As of f and g side by side, but g, which is the same beside every reference, is multiplied once.
        of_f, of_g = first.weight.split([f.shape[-1], g.shape[-1]], dim=1)
        hidden = tanh(nn.functional.linear(f, of_f) + nn.functional.linear(g, of_g, first.bias))
        hidden = dropout(hidden) if kept is None else hidden * kept / (1 - dropout.p)
        return last(hidden).squeeze(-1)


class SetPooling(nn.Module):
    """Any number of vectors to one, whatever their order: a transformer layer, and a learned query that looks at it."""

    def __init__(self, into: int, width: int) -> None:
        super().__init__()
        self.into = nn.Linear(into, width)
        self.query = nn.Parameter(torch.zeros(1, 1, width))
        # Without dropout inside: the set is a handful of references.
        self.layer = nn.TransformerEncoderLayer(width, _ATTENTION_HEADS, 2 * width, dropout=0.0, batch_first=True)

    def forward(self, f: Tensor, is_reference: Tensor) -> Tensor:
        tokens = torch.cat([self.query.expand(len(f), -1, -1), self.into(f)], dim=1)
        is_padding = nn.functional.pad(~is_reference, (1, 0), value=False)
        return self.layer(tokens, src_key_padding_mask=is_padding)[:, 0]


class SuiSeiHead(Head):
    def f(self, c: Texts, r: Texts) -> Tensor:
        pairs = zip(c.branches(), r.branches(), strict=True)
        return torch.cat([part for one, other in pairs for part in (ruse(one, other), other)], dim=-1)

    def g(self, c: Texts, v: Tensor | None) -> list[Tensor]:
        parts = []
        for one in c.branches():
            parts += [one] if v is None else [ruse(one, v), one]
        return parts


class CometHead(Head):
    def define(self) -> None:
        if self.widths.layers:
            self.mix = nn.Parameter(torch.zeros(self.widths.layers))
            self.scale = nn.Parameter(torch.ones(1))

    def mixed(self, texts: Texts) -> Tensor:
        """gamma sum_k softmax(s)_k h_k, over the layers k of the encoder."""
        if texts.layers is None:
            return texts.plain
        return self.scale * torch.einsum("k,...kd->...d", torch.softmax(self.mix, dim=0), texts.layers)

    def f(self, c: Texts, r: Texts) -> Tensor:
        one, other = self.mixed(c), self.mixed(r)
        return torch.cat([other, ruse(one, other)], dim=-1)

    def g(self, c: Texts, v: Tensor | None) -> list[Tensor]:
        return [self.mixed(c)]


class PolosHead(Head):
    @property
    def picture_width(self) -> int:
        return self.widths.shared or self.widths.text

    @staticmethod
    def in_picture_space(texts: Texts) -> Tensor:
        return texts.plain if texts.shared is None else texts.shared

    def f(self, c: Texts, r: Texts) -> Tensor:
        parts = [r.plain, ruse(c.plain, r.plain)]
        if self.widths.picture:
            parts.append(ruse(self.in_picture_space(r), self.in_picture_space(c)))
        return torch.cat(parts, dim=-1)

    def g(self, c: Texts, v: Tensor | None) -> list[Tensor]:
        if v is None:
            return [c.plain]
        seen = self.in_picture_space(c)
        return [c.plain, v, seen, ruse(v, seen)]


class SetHead(Head):
    """Similarities of learned projections; its references are a set."""

    @property
    def picture_width(self) -> int:
        return PROJECTED

    def define(self) -> None:
        self.project = nn.ModuleList(
            nn.Linear(self.widths.text, PROJECTED, bias=False) for _ in range(1 + self.options.uses_idf)
        )

    def projected(self, texts: Texts) -> list[Tensor]:
        return [project(branch) for project, branch in zip(self.project, texts.branches(), strict=True)]

    def f(self, c: Texts, r: Texts) -> Tensor:
        pairs = zip(self.projected(c), self.projected(r), strict=True)
        return torch.cat([ruse(one, other) for one, other in pairs], dim=-1)

    def g(self, c: Texts, v: Tensor | None) -> list[Tensor]:
        if v is None:
            return [] if self.options.uses_references else self.projected(c)
        return [ruse(one, v) for one in self.projected(c)]


class ResidualHead(SetHead):
    """What the cosine does not see: before training it is the cosine, on a scale from 0 to 1."""

    drops_features = True

    def __init__(self, options: ModelOptions, widths: Widths) -> None:
        super().__init__(options, widths)
        nn.init.zeros_(self.ffn[-1].weight)
        nn.init.zeros_(self.ffn[-1].bias)

    def define(self) -> None:
        super().define()
        self.slope = nn.Parameter(torch.tensor(_SLOPE))
        self.offset = nn.Parameter(torch.tensor(_OFFSET))

    def start_with(self, slope: float, offset: float) -> None:
        """Before training: the line through the cosines."""
        with torch.no_grad():
            self.slope.fill_(slope)
            self.offset.fill_(offset)

    def projected(self, texts: Texts) -> list[Tensor]:
        scaled = texts._replace(plain=_unit_sized(texts.plain))
        return super().projected(
            scaled if texts.weighted is None else scaled._replace(weighted=_unit_sized(texts.weighted))
        )

    def answer(self, logits: Tensor, c: Texts, r: Texts, is_reference: Tensor) -> Tensor:
        cosines = torch.cosine_similarity(c.plain, r.plain, dim=-1)
        correction = reduce(torch.tanh(logits), is_reference, self.options.combined_by)
        return torch.sigmoid(self.slope * reduce(cosines, is_reference, "max") + self.offset + correction)


def _unit_sized(vectors: Tensor) -> Tensor:
    """Scaled so that the mean square of their entries is 1."""
    return nn.functional.normalize(vectors, dim=-1) * vectors.shape[-1] ** 0.5


HEADS: dict[str, Any] = {
    "suisei": SuiSeiHead,
    "comet": CometHead,
    "polos": PolosHead,
    "set": SetHead,
    "residual": ResidualHead,
}
