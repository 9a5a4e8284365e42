"""The heads once more, from the paper's equations 2 to 4 and the table of heads: in numpy, one caption at a time.

Only the weights are those of the network, by the names they have in its state_dict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

Vector = np.ndarray


@dataclass(frozen=True)
class Text:
    """h, h', h of each layer, and the vector in the pictures' space."""

    plain: Vector
    weighted: Vector | None = None
    layers: Vector | None = None
    shared: Vector | None = None


@dataclass(frozen=True)
class Naive:
    head: str
    combine: str
    weights: Mapping[str, np.ndarray]
    uses_references: bool = True
    most_references: int = 5

    def score(self, candidate: Text, references: Sequence[Text], picture: Vector | None) -> float:
        seen = None if picture is None else self.linear("see", picture)
        about_picture = self.about_picture(candidate, seen)
        if not self.uses_references:
            return sigmoid(self.feed_forward(about_picture))
        pairs = [self.about_reference(candidate, reference, seen is not None) for reference in references]
        added = [self.cosine_part(candidate, reference) for reference in references]
        if self.combine in ("max", "mean"):
            scores = [
                sigmoid(self.feed_forward(np.concatenate([pair, about_picture])) + skip)
                for pair, skip in zip(pairs, added, strict=True)
            ]
            return max(scores) if self.combine == "max" else sum(scores) / len(scores)
        if self.combine == "concat":
            nothing = [np.zeros(len(pairs[0]))] * (self.most_references - len(pairs))
            features = np.concatenate([*pairs, *nothing, about_picture])
        else:
            features = np.concatenate([self.set_of(pairs), about_picture])
        return sigmoid(self.feed_forward(features) + max(added))

    def about_reference(self, c: Text, r: Text, sees: bool) -> Vector:
        if self.head == "suisei":
            features = [c.plain * r.plain, abs(c.plain - r.plain), r.plain]
            if c.weighted is not None:
                features += [c.weighted * r.weighted, abs(c.weighted - r.weighted), r.weighted]
        elif self.head == "comet":
            one, other = self.mix(c), self.mix(r)
            features = [other, one * other, abs(one - other)]
        elif self.head == "polos":
            features = [r.plain, c.plain * r.plain, abs(c.plain - r.plain)]
            if sees:
                one, other = (text.plain if text.shared is None else text.shared for text in (c, r))
                features += [one * other, abs(one - other)]
        else:
            one, other = self.linear("project.0", c.plain), self.linear("project.0", r.plain)
            features = [one * other, abs(one - other)]
            if c.weighted is not None:
                one, other = self.linear("project.1", c.weighted), self.linear("project.1", r.weighted)
                features += [one * other, abs(one - other)]
        return np.concatenate(features)

    def about_picture(self, c: Text, v: Vector | None) -> Vector:
        branches = [c.plain] if c.weighted is None else [c.plain, c.weighted]
        features = []
        if self.head == "suisei":
            for h in branches:
                features += [h] if v is None else [h * v, abs(h - v), h]
        elif self.head == "comet":
            features = [self.mix(c)]
        elif self.head == "polos":
            features = [c.plain]
            if v is not None:
                own = c.plain if c.shared is None else c.shared
                features += [v, own, v * own, abs(v - own)]
        else:
            for number, h in enumerate(branches):
                projected = self.linear(f"project.{number}", h)
                if v is not None:
                    features += [projected * v, abs(projected - v)]
                elif not self.uses_references:
                    features += [projected]
        return np.concatenate([*features, np.zeros(0)])

    def cosine_part(self, c: Text, r: Text) -> float:
        if self.head != "residual":
            return 0.0
        cosine = c.plain @ r.plain / np.sqrt((c.plain @ c.plain) * (r.plain @ r.plain))
        return float(self.weights["slope"] * cosine + self.weights["offset"])

    def mix(self, text: Text) -> Vector:
        if text.layers is None:
            return text.plain
        shares = np.exp(self.weights["mix"]) / np.exp(self.weights["mix"]).sum()
        mixed = sum(share * layer for share, layer in zip(shares, text.layers, strict=True))
        return self.weights["scale"] * mixed

    def linear(self, name: str, vector: Vector) -> Vector:
        return self.weights[f"{name}.weight"] @ vector + self.weights.get(f"{name}.bias", 0.0)

    def feed_forward(self, features: Vector) -> float:
        return float(self.linear("ffn.3", np.tanh(self.linear("ffn.0", features)))[0])

    def set_of(self, pairs: Sequence[Vector]) -> Vector:
        """One layer of a transformer over a learned query and the references; what the query became."""
        tokens = np.stack([self.weights["set.query"][0, 0], *(self.linear("set.into", pair) for pair in pairs)])
        attended = np.stack([self.attend(token, tokens) for token in tokens])
        tokens = self.normed("norm1", tokens + attended)
        wide = [np.maximum(self.linear("set.layer.linear1", token), 0) for token in tokens]
        further = np.stack([self.linear("set.layer.linear2", each) for each in wide])
        return self.normed("norm2", tokens + further)[0]

    def attend(self, token: Vector, tokens: np.ndarray, heads: int = 4) -> Vector:
        start = "set.layer.self_attn."
        width = len(token)
        of = [
            (
                self.weights[f"{start}in_proj_weight"][n * width : (n + 1) * width],
                self.weights[f"{start}in_proj_bias"][n * width : (n + 1) * width],
            )
            for n in range(3)
        ]
        query = of[0][0] @ token + of[0][1]
        keys, values = ([weight @ each + bias for each in tokens] for weight, bias in of[1:])
        found = []
        for part in np.split(np.arange(width), heads):
            strength = np.array([query[part] @ key[part] / np.sqrt(width / heads) for key in keys])
            strength = np.exp(strength - strength.max())
            found.append(sum(s * value[part] for s, value in zip(strength / strength.sum(), values, strict=True)))
        return self.linear(f"{start}out_proj", np.concatenate(found))

    def normed(self, name: str, tokens: np.ndarray) -> np.ndarray:
        scaled = [(token - token.mean()) / np.sqrt(token.var() + 1e-5) for token in tokens]
        weight, bias = (self.weights[f"set.layer.{name}.{part}"] for part in ("weight", "bias"))
        return np.stack([each * weight + bias for each in scaled])


def sigmoid(value: float) -> float:
    return float(1 / (1 + np.exp(-value)))
