"""Captions: each system's candidate, the references, and the words or tuples that a metric matched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kataribe.captions.result import SceneTuples, ScoredCaption, WordAlignment
from kataribe.core.result import Result
from kataribe.narration.result import ScoredNarration
from kataribe.report.views import Results, View


def _fits(result: Result) -> bool:
    return result.has_scored(ScoredCaption) or result.has_scored(ScoredNarration)


def _scored(result: Result, file: str) -> dict[str, ScoredCaption]:
    """Narrations are captions, too."""
    return result.scored(ScoredCaption, file=file) or {**result.scored(ScoredNarration, file=file)}


def _pack(results: Results, ids: Sequence[str]) -> dict[str, Any]:
    """References once, as the first system that has them; candidates and alignments for each system."""
    references: dict[str, list[str]] = {}
    systems = []
    for name, result in results.items():
        scored = _scored(result, file=name)
        for id, caption in scored.items():
            references.setdefault(id, caption.references)
        alignments = {metric.metric: metric.documents(WordAlignment, file=name) for metric in result}
        scenes = {metric.metric: metric.documents(SceneTuples, file=name) for metric in result}
        systems.append(
            {
                "candidates": [scored[id].candidate if id in scored else None for id in ids],
                "alignments": {
                    metric: [_pack_alignment(found[id][0]) if found.get(id) else None for id in ids]
                    for metric, found in alignments.items()
                    if found
                },
                "scenes": {
                    metric: [_pack_scene(found[id][0]) if found.get(id) else None for id in ids]
                    for metric, found in scenes.items()
                    if found
                },
            }
        )
    return {"references": [references.get(id, []) for id in ids], "systems": systems}


def _pack_alignment(alignment: WordAlignment) -> list[Any]:
    """[reference, candidate's words, reference's words, [[start, length, start, length, stage], ...]]."""
    matches = [[*match.candidate, *match.reference, match.stage] for match in alignment.matches]
    return [alignment.reference, alignment.candidate_tokens, alignment.reference_tokens, matches]


def _pack_scene(scene: SceneTuples) -> list[Any]:
    """[[[words, matched], ...] of the candidate, the same of the references]."""
    sides = (scene.candidate_tuples, scene.reference_tuples)
    return [[["-".join(entry.words), entry.matched] for entry in side] for side in sides]


VIEW = View("captions", _fits, _pack)
