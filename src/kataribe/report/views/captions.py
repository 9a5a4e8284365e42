"""Captions: each system's candidate, the references, and the words or tuples that a metric matched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from kataribe.core.result import MetricResult, Result
from kataribe.report.views import Results, View
from kataribe.report.views.packing import read_as


class _Content(msgspec.Struct):
    candidate: str
    references: list[str]


class _Match(msgspec.Struct):
    candidate: tuple[int, int]
    reference: tuple[int, int]
    stage: str


class _Alignment(msgspec.Struct):
    reference: int
    candidate_tokens: list[str]
    reference_tokens: list[str]
    matches: list[_Match]


class _Tuple(msgspec.Struct):
    words: list[str]
    matched: bool


class _Scene(msgspec.Struct):
    candidate_tuples: list[_Tuple]
    reference_tuples: list[_Tuple]


def _fits(result: Result) -> bool:
    return any(isinstance(entry, dict) and "candidate" in entry for entry in (result.content or {}).values())


def _pack(results: Results, ids: Sequence[str]) -> dict[str, Any]:
    """References once, as the first system that has them; candidates and alignments for each system."""
    references: dict[str, list[str]] = {}
    systems = []
    for name, result in results.items():
        content = read_as(result.content or {}, dict[str, _Content], name, "content")
        for id, entry in content.items():
            references.setdefault(id, entry.references)
        systems.append(
            {
                "candidates": [content[id].candidate if id in content else None for id in ids],
                "alignments": {
                    metric.metric: _pack_alignments(name, metric, ids) for metric in result if _has(metric, "matches")
                },
                "scenes": {
                    metric.metric: _pack_scenes(name, metric, ids)
                    for metric in result
                    if _has(metric, "candidate_tuples")
                },
            }
        )
    return {"references": [references.get(id, []) for id in ids], "systems": systems}


def _has(metric: MetricResult, field: str) -> bool:
    return any(isinstance(entry, dict) and field in entry for entry in metric.details or ())


def _pack_alignments(system: str, metric: MetricResult, ids: Sequence[str]) -> list[Any]:
    """[reference, candidate's words, reference's words, [[start, length, start, length, stage], ...]] for each item."""
    details = read_as(metric.details, list[_Alignment], system, f"details of {metric.metric}")
    by_id = dict(zip(metric.ids, details, strict=True))
    return [_pack_alignment(by_id[id]) if id in by_id else None for id in ids]


def _pack_alignment(entry: _Alignment) -> list[Any]:
    matches = [[*match.candidate, *match.reference, match.stage] for match in entry.matches]
    return [entry.reference, entry.candidate_tokens, entry.reference_tokens, matches]


def _pack_scenes(system: str, metric: MetricResult, ids: Sequence[str]) -> list[Any]:
    """[[[words, matched], ...] of the candidate, the same of the references] for each item."""
    details = read_as(metric.details, list[_Scene], system, f"details of {metric.metric}")
    by_id = dict(zip(metric.ids, details, strict=True))
    return [_pack_scene(by_id[id]) if id in by_id else None for id in ids]


def _pack_scene(scene: _Scene) -> list[Any]:
    sides = (scene.candidate_tuples, scene.reference_tuples)
    return [[["-".join(entry.words), entry.matched] for entry in side] for side in sides]


VIEW = View("captions", _fits, _pack)
