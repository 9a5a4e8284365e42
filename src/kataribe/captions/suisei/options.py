"""What a learned metric is made of, and how it is trained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from kataribe.core.errors import UsageError
from kataribe.core.options import Options, option
from kataribe.encoders import loading
from kataribe.learning.options import FitOptions
from kataribe.stats.choices import Statistic

Head = Literal["mix", "suisei", "comet", "polos", "set", "residual", "blend"]
References = Literal["max", "mean", "concat", "set"]
Pool = Literal["mean", "cls", "max"]
Switch = Literal["image", "idf", "references"]
Linear = Literal["ridge", "monotone"]
Blend = Literal["ridge", "monotone", "boosting"]
Split = Literal["component", "picture"]
StopBy = Literal["last"] | Statistic

# Vectors of pictures that somebody extracted elsewhere.
GIVEN = "given"


class Widths(NamedTuple):
    """How wide vectors are: of texts, of pictures, of texts in the pictures' space; 0 where there are none.

    `layers` is the number of the encoder's layers, where a head mixes them.
    """

    text: int = 0
    picture: int = 0
    shared: int = 0
    layers: int = 0


@dataclass(frozen=True)
class ModelOptions(Options):
    """What decides the numbers of a model; it stands on the model's card."""

    head: Head = option(
        "mix", "mix (a blend and a residual head), suisei, comet, polos, set, residual or blend.", noun="head"
    )
    encoder: str = option(loading.DEFAULT, "Text encoder: minilm, e5, a folder or a name of the hub.")
    picture_encoder: str = option(
        "efficientnet-lite0", "Of pictures: efficientnet-lite0, histogram, timm:NAME or transformers:NAME."
    )
    combine: References | None = option(
        None, "Several references: max, mean, concat (equation 4) or set; default: what suits the head.", noun="way"
    )
    most_references: int = option(5, "Of concat: how many references there may be.", minimum=1)
    without: tuple[Switch, ...] = option((), "Leave out image, idf or references; repeatable.", noun="part", many=True)
    pool: Pool = option("mean", "A text's vector of its tokens': mean, cls or max.", noun="way")
    hidden: int = option(0, "Width of the head's hidden layer; 0: what suits the head.", minimum=0)
    dropout: float = option(0.1, "Share of hidden units that are switched off in training.")
    finetune: int = option(
        0, "Train the top so many layers of the text encoder, too; 0: none, -1: all of it.", minimum=-1, hint="-1: all"
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "without", tuple(self.without or ()))
        super().__post_init__()
        if not 0 <= self.dropout < 1:
            raise UsageError(f"<dropout {self.dropout:g}>: is not a share below 1", options=["dropout"])
        if self.head == "blend":
            self._refuse("blend has no network, only other metrics", "finetune", "without", "combine")
        elif self.head == "mix":
            if self.finetune:
                problem = "<finetune>: half of mix is other metrics, which are not trained"
                raise UsageError(problem, hint="take <head residual>", options=["finetune", "head"])
            if not self.uses_references:
                problem = "<without references>: half of mix is metrics that compare with references"
                raise UsageError(problem, hint="take <head suisei>", options=["without", "head"])
        if self.head == "blend":
            return
        if self.uses_layers and self.pool != "mean":
            raise UsageError(
                f"<pool {self.pool}>: comet mixes the means of its encoder's layers",
                hint="take <pool mean>",
                options=["pool"],
            )
        if self.pool == "cls" and self.uses_idf:
            raise UsageError(
                "<pool cls> leaves nothing of the idf branch: special tokens weigh 0",
                hint="leave the branch out with <without idf>, or take <pool mean>",
                options=["pool", "without"],
            )

    def _refuse(self, reason: str, *names: str) -> None:
        for name in names:
            if getattr(self, name):
                raise UsageError(f"<{name}>: {reason}", hint=f"leave out <{name}>", options=[name])

    @property
    def uses_references(self) -> bool:
        return "references" not in self.without

    @property
    def uses_idf(self) -> bool:
        """Only the heads of SuiSei have the branch."""
        return "idf" not in self.without and self.head in ("suisei", "set", "residual", "mix")

    @property
    def uses_layers(self) -> bool:
        """COMET mixes the layers of its encoder; an encoder that is trained needs no mix."""
        return self.head == "comet" and not self.finetune

    @property
    def combined_by(self) -> References:
        suits: dict[str, References] = {"set": "set", "residual": "mean", "mix": "mean"}
        return self.combine or suits.get(self.head, "max")

    @property
    def hidden_width(self) -> int:
        return self.hidden or {"comet": 1024, "polos": 512, "suisei": 512}.get(self.head, 64)


@dataclass(frozen=True)
class TrainingOptions(Options):
    """How a model is trained. What is None depends on the head: see `fit_options`."""

    epochs: int | None = option(
        None, "How often every caption is seen, at most; default: what suits the head.", minimum=1
    )
    batch: int | None = option(None, "Captions in one step; default: what suits the head.", minimum=1)
    rate: float | None = option(None, "Learning rate; default: what suits the head.")
    encoder_rate: float = option(1e-5, "Of --finetune: the learning rate of the encoder.")
    decay: float = option(0.01, "Weight decay.")
    patience: int = option(5, "Stop after so many epochs without a better correlation; 0: never.", minimum=0)
    stop_by: StopBy | None = option(
        None,
        "Keep the epoch with the best pearson, spearman, tau_b or tau_c, or the last; default: last of mix and "
        "residual, else pearson.",
        noun="way",
    )
    seeds: int = option(5, "How many networks are trained; the model is their mean.", minimum=1)
    seed: int = option(0, "The first seed.", minimum=0)
    validation: float = option(0.1, "Share of the captions that decides when to stop.")
    held_out: float = option(0.1, "Share that is only scored in the end; 0 with a --test file.")
    split: Split = option(
        "component", "Nothing shared between the parts: component (pictures and texts), or picture alone.", noun="split"
    )
    negatives: float = option(2.0, "So many captions of other pictures for each caption, rated lowest.")
    positives: float = option(1.0, "So many references for each caption, left out of its references, rated highest.")
    ranking: float = option(
        0.0, "Weight of the ranking loss between captions of one picture; a batch then counts pictures."
    )
    blend: Blend = option(
        "boosting",
        "Of blend and mix: ridge, monotone (no metric may count against a caption) or boosting (monotone trees).",
        noun="blend",
    )
    device: Literal["auto", "cpu"] = option("auto", "auto: what accelerate finds (GPUs first); cpu.", noun="device")
    precision: Literal["no", "fp16", "bf16"] = option("no", "Mixed precision: no, fp16 or bf16.", noun="precision")
    tracker: str | None = option(None, "Also log to tensorboard, wandb or whatever accelerate knows.")

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("validation", "held_out"):
            if not 0 <= getattr(self, name) < 0.9:
                raise UsageError(f"<{name} {getattr(self, name):g}>: is not a share below 0.9", options=[name])
        if not self.validation > 0:
            raise UsageError("<validation>: something must decide when to stop", options=["validation"])
        for name in ("negatives", "positives", "ranking", "decay"):
            if not getattr(self, name) >= 0:
                raise UsageError(f"<{name} {getattr(self, name):g}>: cannot be negative", options=[name])

    def stops_by(self, model: ModelOptions) -> Statistic | None:
        """What decides which epoch is kept; None: it is the last."""
        if self.stop_by is None:
            return None if model.head in ("mix", "residual") else "pearson"
        return None if self.stop_by == "last" else self.stop_by

    def fit_options(self, model: ModelOptions, seed: int, log_folder: Any = None) -> FitOptions:
        """The paper trains its whole network for 9 epochs at 3e-5; a head alone on frozen vectors wants more."""
        is_residual = model.head in ("mix", "residual")
        epochs, rate = (9, 3e-5) if model.finetune else (6, 2e-3) if is_residual else (30, 3e-4)
        return FitOptions(
            epochs=self.epochs or epochs,
            batch=self.batch or (128 if is_residual else 32),
            rate=self.rate or rate,
            decay=self.decay,
            schedule="cosine" if is_residual else "constant",
            patience=self.patience,
            seed=seed,
            device=self.device,
            precision=self.precision,
            tracker=self.tracker,
            log_folder=log_folder,
        )
