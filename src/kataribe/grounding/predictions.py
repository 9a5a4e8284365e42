"""Predicted moments from every form the field uses, gz of any.

    QVHighlights    JSON lines: qid, pred_relevant_windows [[start, end, score], ...], pred_saliency_scores
    our own         {"id": ..., "windows": [[start, end, score], ...]}, and perhaps saliency (a score for each clip of
                    two seconds), shots (names, the best first), anchor [start, end] (the shot that a search started
                    from), curve {"times": [...], "scores": [...]}
    by id           {"id": [[start, end], ...]}, {"id": "from 12 to 20 s"}
    free text       {"id": ..., "answer": "The moment is from 12 to 20 seconds."}
    CSV, TSV        id, start, end, score: a row for each moment, in order; or id, answer

Entries without an id are found by `video` and `query`, where the references have that sentence once in that video.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kataribe.core.errors import InputError, Location, shorten, some
from kataribe.core.types import Moment, Segment
from kataribe.formats.source import (
    JSON_LINES,
    TABLES,
    check_id,
    check_text,
    entries_by_id,
    extension,
    first_field,
    listed_entries,
    read_json,
    read_json_lines,
    read_table,
)
from kataribe.grounding.annotated import Prediction, ScoreCurve, check_list, check_span, check_time, key_of
from kataribe.grounding.files import ID_FIELDS, VIDEO_FIELDS
from kataribe.grounding.free_text import read_moments

Source = str | Path | Mapping[Any, Any] | Iterable[Any]

QUERY_FIELDS = ("query", "sentence", "description")
WINDOWS_FIELDS = ("pred_relevant_windows", "windows", "moments", "predicted_times", "spans", "timestamps")
SALIENCY_FIELDS = ("pred_saliency_scores", "saliency")
ANSWER_FIELDS = ("answer", "response", "output", "prediction", "pred", "text")
_HINT = 'write {"id": ..., "windows": [[start, end, score], ...]} or {"id": ..., "answer": "from 12 to 20 s"}'


def read_predictions(source: Source) -> dict[str, Prediction]:
    """What was predicted for each query, by id; entries without one are kept under their video and sentence."""
    path = Path(source) if isinstance(source, str | Path) else None
    found: dict[str, Prediction] = {}
    for id, prediction in _read_file(path) if path else _of_data(source, None):
        if id in found:
            raise Location(path, id).error("is there twice", hint="keep one entry for each query")
        found[id] = prediction
    if not found:
        raise Location(path).error("holds no prediction", hint="did the program that wrote it stop early?")
    answers = [prediction for prediction in found.values() if prediction.answer is not None]
    if answers and not any(prediction.moments for prediction in found.values()):
        first = next((shorten(answer.answer, 50) for answer in answers if answer.answer), "")
        raise Location(path).error(
            f"holds {len(answers):,} answers, and none names a moment that can be read (the first: {first!r})",
            hint="ask the model for `from START to END seconds`; see docs/grounding.md for what is read",
        )
    return found


def _read_file(path: Path) -> Iterator[tuple[str, Prediction]]:
    kind = extension(path)
    if kind in JSON_LINES:
        return _of_listed(read_json_lines(path))
    if kind in TABLES:
        return _of_table(list(read_table(path)), path)
    return _of_data(read_json(path), path)


def _of_data(data: Any, file: Path | None) -> Iterator[tuple[str, Prediction]]:
    if isinstance(data, Mapping):
        for id, value in entries_by_id(data, file):
            location = Location(file, id)
            if isinstance(value, Prediction):
                yield id, value
            elif isinstance(value, Mapping):
                yield id, _of_object(value, location)
            elif isinstance(value, str):
                yield id, _of_answer(value, location)
            else:
                yield id, Prediction(_moments(value, None, location.at(field="windows")))
    elif isinstance(data, str | bytes) or not isinstance(data, Iterable):
        raise Location(file).error(f"holds a single {type(data).__name__}, not predictions", hint=_HINT)
    else:
        yield from _of_listed(listed_entries(data, file))


def _of_listed(entries: Iterable[tuple[Location, Any]]) -> Iterator[tuple[str, Prediction]]:
    for location, entry in entries:
        if not isinstance(entry, Mapping):
            raise InputError(f"{location} is not an object", hint=_HINT)
        id_field, video, query = (first_field(entry, names) for names in (ID_FIELDS, VIDEO_FIELDS, QUERY_FIELDS))
        if id_field is not None:
            id = check_id(entry[id_field], location)
            yield id, _of_object(entry, Location(location.file, id))
        elif video is not None and query is not None:
            key = key_of(check_id(entry[video], location), check_text(entry[query], location.within(query)))
            yield " | ".join(key), _of_object(entry, location, key)
        else:
            raise InputError(f"{location} has neither an id nor a video and its query", hint=_HINT)


def _of_object(entry: Mapping[str, Any], here: Location, key: tuple[str, str] | None = None) -> Prediction:
    windows, saliency, answer = (first_field(entry, n) for n in (WINDOWS_FIELDS, SALIENCY_FIELDS, ANSWER_FIELDS))
    if windows is not None and isinstance(entry[windows], str):
        windows, answer = None, windows
    if windows is None and answer is not None and not isinstance(entry[answer], str):
        windows = answer
    if windows is None and saliency is None and answer is None and "shots" not in entry:
        raise here.at(field="windows").error(f"is missing (there is {some(entry) or 'nothing'})", hint=_HINT)
    moments: tuple[Moment, ...] = ()
    said = None
    if windows is not None:
        moments = _moments(entry[windows], entry.get("scores"), here.at(field=windows))
    elif answer is not None:
        said = check_text(entry[answer], here.at(field=answer))
        moments = read_moments(said)
    anchor = entry.get("anchor")
    shots = entry.get("shots")
    return Prediction(
        moments,
        saliency=_numbers(entry[saliency], here.at(field=saliency)) if saliency else None,
        shots=None if shots is None else _names(shots, here.at(field="shots")),
        anchor=check_span(anchor, here.at(field="anchor")) if anchor is not None else None,
        curve=_curve(entry["curve"], here.at(field="curve")) if entry.get("curve") is not None else None,
        key=key,
        answer=said,
    )


def _of_answer(text: str, location: Location) -> Prediction:
    said = check_text(text, location.at(field="answer"))
    return Prediction(read_moments(said), answer=said)


def _moments(value: Any, scores: Any, location: Location) -> tuple[Moment, ...]:
    listed = check_list(value, location, "[start, end, score]")
    if len(listed) in (2, 3) and all(isinstance(each, int | float) for each in listed):
        listed = [listed]  # a single moment
    moments = [_one_moment(each, location) for each in listed]
    if scores is None:
        return tuple(moments)
    given = _numbers(scores, location.at(field="scores"))
    if len(given) != len(moments):
        raise location.at(field="scores").error(f"has {len(given)} scores for {len(moments)} moments")
    return tuple(Moment(moment.segment, score) for moment, score in zip(moments, given, strict=True))


def _one_moment(value: Any, location: Location) -> Moment:
    if isinstance(value, Moment):
        return value
    if isinstance(value, Segment):
        return Moment(value)
    if isinstance(value, Mapping):
        if not {"start", "end"} <= set(value):
            raise location.error(f"has {some(value) or 'nothing'}, not start and end")
        value = [value["start"], value["end"], *([value["score"]] if value.get("score") is not None else [])]
    if not isinstance(value, list | tuple) or len(value) not in (2, 3):
        raise location.error(f"has {shorten(repr(value), 40)}, not [start, end] or [start, end, score]")
    span = check_span(list(value[:2]), location)
    return Moment(span, check_time(value[2], location.within("score")) if len(value) == 3 else None)


def _numbers(value: Any, location: Location) -> tuple[float, ...]:
    return tuple(check_time(number, location) for number in check_list(value, location, "numbers"))


def _names(value: Any, location: Location) -> tuple[str, ...]:
    names = tuple(check_id(name, location) for name in check_list(value, location, "names of shots"))
    if len(set(names)) < len(names):
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise location.error(f"has {twice!r} twice", hint="rank each shot once")
    return names


def _curve(value: Any, location: Location) -> ScoreCurve:
    if not isinstance(value, Mapping) or not {"times", "scores"} <= set(value):
        raise location.error("is not a curve", hint='write {"times": [...], "scores": [...]}')
    curve = ScoreCurve(_numbers(value["times"], location), _numbers(value["scores"], location))
    if len(curve.times) != len(curve.scores):
        raise location.error(f"has {len(curve.scores)} scores for {len(curve.times)} times")
    return curve


def _of_table(rows: Sequence[tuple[Location, dict[str, str]]], file: Path) -> Iterator[tuple[str, Prediction]]:
    if rows and "start" not in rows[0][1]:
        for location, row in rows:
            yield from _of_listed([(location, row)])
        return
    moments: dict[str, list[Moment]] = {}
    for location, row in rows:
        field = first_field(row, ID_FIELDS)
        if field is None or "end" not in row:
            raise Location(file).error(f"the header ({', '.join(row)}) has no id or no end", hint="name them so")
        id = check_id(row[field], location)
        listed = moments.setdefault(id, [])
        if row["start"].strip():  # a query for which nothing was found is still a query
            given = [row["start"], row["end"], *([row["score"]] if row.get("score", "").strip() else [])]
            listed.append(_one_moment(given, location.at(id=id)))
    for id, found in moments.items():
        yield id, Prediction(tuple(found))
