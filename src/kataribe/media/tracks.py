"""Faces of one frame linked to those of the frames before: a track is one person, seen without a long break.

    d  = Euclidean distance of two face vectors;   iou = overlap of their boxes
    may link   if d <= 0.6 and iou >= 0.3, or d <= 0.45 wherever the boxes are
    who links  the assignment of a frame's faces to open tracks with the smallest sum of d - iou / 2

A track is open until nobody was linked to it for more than two steps. Its vector for comparison is its last one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from kataribe.core.types import Array, Floats, Int64s

_IMPOSSIBLE = 1e3


class Linking(NamedTuple):
    """When two faces may be one person's."""

    distance: float = 0.6
    overlap: float = 0.3
    distance_alone: float = 0.45
    steps: int = 2


class _Track(NamedTuple):
    number: int
    row: int
    time: float


def link(time: Array, box: Array, vector: Array, step: float, rule: Linking | None = None) -> Int64s:
    """The track of each face; rows are in order of time, `step` is the seconds between two frames.

    >>> boxes = np.array([[0, 0, 10, 10], [1, 0, 11, 10], [50, 0, 60, 10]])
    >>> vectors = np.array([[0, 0], [0, 0.2], [0, 0.9]])
    >>> link(np.array([0.0, 1.0, 1.0]), boxes, vectors, step=1.0).tolist()
    [0, 0, 1]
    """
    rule = rule or Linking()
    tracks = np.full(len(time), -1, dtype=np.int64)
    open_tracks: list[_Track] = []
    made = 0
    for now in np.unique(time):
        rows = np.flatnonzero(time == now)
        open_tracks = [track for track in open_tracks if now - track.time < (rule.steps + 0.5) * step]
        costs = _costs(np.array([track.row for track in open_tracks], dtype=np.int64), rows, box, vector, rule)
        for track, row in zip(*linear_sum_assignment(costs), strict=True):
            if costs[track, row] < _IMPOSSIBLE / 2:
                tracks[rows[row]] = open_tracks[track].number
        for row in rows[tracks[rows] < 0]:
            tracks[row] = made
            made += 1
        linked = {int(tracks[row]) for row in rows}
        open_tracks = [track for track in open_tracks if track.number not in linked]
        open_tracks += [_Track(int(tracks[row]), int(row), float(now)) for row in rows]
    return tracks


def _costs(before: Int64s, rows: Int64s, box: Array, vector: Array, rule: Linking) -> Floats:
    distances = np.linalg.norm(vector[before][:, None] - vector[rows][None], axis=2)
    overlaps = _overlaps(box[before], box[rows])
    near = (distances <= rule.distance) & (overlaps >= rule.overlap)
    return np.where(near | (distances <= rule.distance_alone), distances - overlaps / 2, _IMPOSSIBLE)


def _overlaps(one: Array, other: Array) -> Floats:
    """Intersection over union of each box with each other."""
    low = np.maximum(one[:, None, :2], other[None, :, :2])
    high = np.minimum(one[:, None, 2:], other[None, :, 2:])
    shared = np.clip(high - low, 0, None).prod(axis=2)
    areas = [(boxes[:, 2:] - boxes[:, :2]).prod(axis=1) for boxes in (one, other)]
    return np.asarray(shared / np.maximum(areas[0][:, None] + areas[1][None] - shared, 1e-9))
