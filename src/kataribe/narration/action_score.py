"""Action score: is what the reference says is done also what the prediction says is done?

    a      an action of the reference; p an action, a clause or the whole of the prediction; sim a sentence metric
    score  = .8 max over p of sim(p, a) + .2 max over predicted actions p with the verb of a of sim(p, a)
    line   = mean of the score over the reference's actions; action score = 2 (mean over lines - .25)

Xie, J., Han, T., Bain, M., Nagrani, A., Khandelwal, E., Varol, G., Xie, W., Zisserman, A. (2025). Shot-by-Shot:
film-grammar-aware training-free audio description generation. ICCV.

Quirks. A prediction that tells more than its reference loses nothing. Who does it plays no part: names of the film's
cast are left out on both sides, where it is known. Lines whose reference has no action are left out, and a warning
counts them. A prediction that says nothing has similarity 0 to everything; the published tool skips it. After the
rescaling, which is the paper's, a prediction equal to its only action has 1.5 and nothing in common is -0.5: tables
show up to 150.

The paper has a language model list the reference's actions, and encodes texts with gte-Qwen2-7B-instruct after an
instruction. Here a rule finds actions on both sides (`narration/actions.py`), in Chinese and English, and any caption
metric is the similarity: numbers cannot be compared with the paper's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from kataribe.captions.cautions import cut_by
from kataribe.captions.items import CaptionPairs, pool_pairs
from kataribe.core.caution import Caution
from kataribe.core.errors import InputError, counted
from kataribe.core.metric import Measured, Metric, option
from kataribe.core.spec import Spec
from kataribe.core.types import Array, Bools, Floats, Int64s
from kataribe.films.names import Names
from kataribe.narration.actions import Action, clauses, find_actions
from kataribe.narration.cast_scan import CastScan, fingerprint_of_casts, scan_casts
from kataribe.narration.items import Narrations
from kataribe.narration.paired_lines import own_pairs, sentence_metric
from kataribe.narration.word_kinds import Language, language_of, open_tagger
from kataribe.text.pool import TextPool
from kataribe.text.scripts import says_something

SIMILARITY, VERB = 0.8, 0.2
SCALE, OFFSET = 2.0, 0.25


class _Facts(NamedTuple):
    """What was scanned of one side, or concluded from both: of the references also which language the lines with
    actions are in, how many have none, and the casts whose names are left out; `text` is the sentence metric's."""

    text: Any
    casts: CastScan = CastScan()
    languages: Counter[Language] = Counter()  # noqa: RUF012 - never changed
    without: int = 0


class _Context(NamedTuple):
    """Everything that a prediction says beside every action of its reference, in `pairs`.

    For each pair, in the same order: which action it is about, and whether it is an action with the same verb;
    `line_of[action]` is the row of an action's line.
    """

    line_of: Int64s
    pairs: CaptionPairs
    action: Int64s
    is_same_verb: Bools
    text: Any


@dataclass(frozen=True)
class ActionScore(Metric):
    name: ClassVar[str] = "action_score"
    task: ClassVar[str] = "narration"
    title: ClassVar[str] = "Action score"
    bounds: ClassVar[tuple[float, float]] = (SCALE * (-1 - OFFSET), SCALE * (1 - OFFSET))
    columns: ClassVar[tuple[str, ...]] = ("lines", "similarity", "same_verb")

    text: Spec = option(Spec("sentence_cosine"), "the sentence metric that says how similar two actions are")
    language: Literal["auto", "zh", "en"] = option("auto", "of the actions: by each reference's letters, or this one")

    @property
    def sentence(self) -> Metric:
        return sentence_metric(self.text, self.name)

    @property
    def vectors(self) -> Literal["tokens", "sentences"] | None:  # type: ignore[override]
        return self.sentence.vectors

    @property
    def tokenizer_name(self) -> str | None:
        return cut_by(self.sentence)

    def scan_references(self, items: Narrations) -> _Facts:
        found = self._reference_actions(items)
        lines = zip(items.written, found, strict=True)
        return _Facts(
            self.sentence.scan_references(own_pairs(items)),
            scan_casts(items),
            Counter(self._language_of(text) for text, actions in lines if actions),
            sum(not actions for actions in found),
        )

    def scan_predictions(self, items: Narrations) -> _Facts:
        return _Facts(self.sentence.scan_predictions(own_pairs(items)))

    def merge(self, scanned: Sequence[_Facts]) -> _Facts:
        return _Facts(
            self.sentence.merge([shard.text for shard in scanned]),
            sum((shard.casts for shard in scanned), CastScan()),
            sum((shard.languages for shard in scanned), Counter[Language]()),
            sum(shard.without for shard in scanned),
        )

    def conclude(self, references: _Facts, predictions: _Facts) -> _Facts:
        if not references.languages:
            raise InputError(f"{self.name}: no reference names an action", hint="use another metric")
        return references._replace(text=self.sentence.conclude(references.text, predictions.text))

    def prepare(self, items: Narrations, facts: _Facts) -> _Context:
        index_of: dict[str, int] = {}
        line_of: list[int] = []
        rows: list[tuple[int, int, int, bool]] = []  # said, action's text, action, same verb
        for row, actions in enumerate(self._reference_actions(items)):
            said = self._said(items, row) if actions else []
            for action in actions:
                wanted = index_of.setdefault(action.text, len(index_of))
                for text, verb in said:
                    spoken = index_of.setdefault(text, len(index_of))
                    rows.append((spoken, wanted, len(line_of), verb == action.verb))
                line_of.append(row)
        table = np.array(rows, dtype=np.int64).reshape(-1, 4)
        pairs = pool_pairs(TextPool(list(index_of)), table[:, 0].copy(), table[:, 1].copy())
        text = self.sentence.prepare(pairs, facts.text)
        return _Context(np.array(line_of, dtype=np.int64), pairs, table[:, 2], table[:, 3].astype(bool), text)

    def stats(self, items: Narrations, context: _Context) -> Array:
        metric, actions = self.sentence, len(context.line_of)
        similarity = metric.per_item(metric.stats(context.pairs, context.text)).value
        best, same = np.full(actions, -np.inf), np.zeros(actions)
        np.maximum.at(best, context.action, similarity)
        np.maximum.at(same, context.action[context.is_same_verb], similarity[context.is_same_verb])
        best[np.isinf(best)] = 0.0  # the prediction says nothing
        counts = np.maximum(np.bincount(context.line_of, minlength=len(items)), 1)
        means = [np.bincount(context.line_of, values, len(items)) / counts for values in (best, same)]
        has_action = np.bincount(context.line_of, minlength=len(items)) > 0
        return np.column_stack([has_action.astype(np.float64), *means])

    def measure(self, totals: Floats) -> Measured:
        with np.errstate(invalid="ignore", divide="ignore"):  # a line without actions has no score: 0/0
            similarity, same = totals[..., 1] / totals[..., 0], totals[..., 2] / totals[..., 0]
        value = SCALE * (SIMILARITY * similarity + VERB * same - OFFSET)
        return Measured(np.asarray(value), {"similarity": similarity, "same verb": same})

    def signature(self, facts: _Facts) -> dict[str, str]:
        inner = self.sentence.signature(facts.text)
        return {
            "actions": "+".join(open_tagger(language).signature for language in sorted(facts.languages)),
            "cast": f"own-{fingerprint_of_casts(facts.casts)}" if facts.casts.casts else "none",
            "scale": f"{SCALE:g}(x-{OFFSET:g})",
            "text": self.text.name,
            **{f"text.{key}": value for key, value in inner.items()},
        }

    def warnings(self, facts: _Facts) -> Sequence[Caution]:
        cautions = list(self.sentence.warnings(facts.text))
        if facts.without:
            lines = counted(facts.without, "reference names", "references name")
            text = f"{lines} no action, and {self.name} leaves them out"
            cautions.append(Caution("no-actions", text))
        return cautions

    def _language_of(self, text: str) -> Language:
        return language_of([text]) if self.language == "auto" else self.language

    def _reference_actions(self, items: Narrations) -> list[list[Action]]:
        def find() -> list[list[Action]]:
            names = _names(items)
            lines = zip(items.films, items.written, strict=True)
            return [
                find_actions(text, names(film), self._language_of(text)) if says_something(text) else []
                for film, text in lines
            ]

        return items.memo.keep(("reference actions", self.language), find)

    def _said(self, items: Narrations, row: int) -> list[tuple[str, str]]:
        """What a prediction says, in the language of its reference: actions with their verbs, clauses, all of it."""
        text, language = items.candidates[row], self._language_of(items.written[row])
        if not says_something(text):
            return []
        names = _names(items)(items.films[row])
        parts = clauses(text, names, language)
        whole = [" ".join(parts) if language == "en" else "，".join(parts)] if len(parts) > 1 else []
        actions = find_actions(text, names, language)
        known = {action.text for action in actions}
        return [*actions, *((part, "") for part in dict.fromkeys([*parts, *whole]) if part not in known)]


def _names(items: Narrations) -> Callable[[str | None], Names]:
    """The names of a film's roles; nobody's where its cast is not known."""
    known = items.memo.keep("names", lambda: {film: Names.of_cast(cast) for film, cast in items.casts.items()})
    nobody = Names({})
    return lambda film: known.get(film or "", nobody)
