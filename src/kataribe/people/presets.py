"""How published studies read their judgements: options of `agree` under the study's name.

    movie101   rankings on three dimensions. A text's place is the mean over raters, Overall the mean over dimensions
               too. Of every two texts of a clip a metric must prefer the one that people prefer; a pair that it ties is
               wrong, and no pair is left out.
    soda       votes between two stories of a video. What people prefer is what the majority of the video's voters
               prefers; a metric is right where it prefers the same story.

Yue, Z., Zhang, Q., Hu, A., Zhang, L., Wang, Z., Jin, Q. (2023). Movie101: a new movie understanding benchmark. ACL,
Section 4.3 and Table 2. Fujita, S., Hirao, T., Kamigaito, H., Okumura, M., Nagata, M. (2020). SODA: story oriented
dense video captioning evaluation framework. ECCV: its two comparisons by people.

Neither paper says what a pair counts that people themselves tie. All forty figures of Movie101's Table 2 are multiples
of 1/300, and there are 300 pairs: none was left out, in no column. Here such a pair is right where the metric ties it
too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kataribe.core.errors import UsageError, nearest, shorten
from kataribe.people.options import AgreementOptions
from kataribe.people.ratings import Kind, Ratings


@dataclass(frozen=True)
class Preset:
    """`kind` are the judgements that the study has."""

    kind: Kind
    options: Mapping[str, Any]


_TOGETHER = {"against": "mean", "ties": "exact", "by": "accuracy"}
PRESETS: Mapping[str, Preset] = {
    "movie101": Preset("rankings", {**_TOGETHER, "overall": True}),
    "soda": Preset("votes", _TOGETHER),
}


def preset_options(preset: str, given: Mapping[str, Any] | None = None) -> AgreementOptions:
    """A study's options; what is `given` beside it is kept.

    >>> options = preset_options("movie101", {"seed": 7})
    >>> options.against, options.ties, options.overall, options.seed
    ('mean', 'exact', True, 7)
    """
    return AgreementOptions(**{**_find(preset).options, **(given or {})})


def check_kind(preset: str, ratings: Ratings) -> None:
    """A study that ranked cannot be read as one that voted."""
    wanted = _find(preset).kind
    if ratings.kind != wanted:
        raise UsageError(
            f"<preset {preset}> reads {wanted}, and these are {ratings.kind}",
            hint=f"leave it out, or use a preset for {ratings.kind}: {_presets_for(ratings.kind)}",
            options=["preset"],
        )


def _presets_for(kind: Kind) -> str:
    return ", ".join(name for name, preset in PRESETS.items() if preset.kind == kind) or "there is none"


def _find(preset: str) -> Preset:
    if preset not in PRESETS:
        raise UsageError(
            f"<preset>: no study is called {shorten(preset)!r}", hint=nearest(preset, PRESETS), options=["preset"]
        )
    return PRESETS[preset]
