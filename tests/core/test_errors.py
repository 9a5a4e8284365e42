from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kataribe.core.errors import InputError, KataribeError, nearest, some


@given(st.text(), st.text(), st.text(), st.text())
def test_every_error_is_one_line_whatever_strangers_wrote(message: str, file: str, id: str, hint: str) -> None:
    assert len(str(InputError(message, file=file, id=id, field="caption", hint=hint)).splitlines()) <= 1
    assert len(str(KataribeError(message, hint=hint)).splitlines()) <= 1


def test_a_giant_id_is_shortened() -> None:
    assert len(str(InputError("is null", id="x" * 10_000))) < 200


def test_some_lists_few_and_counts_the_rest() -> None:
    assert some(["a"]) == "'a'"
    assert some(range(10)) == "'0', '1', '2' and 7 more"


def test_nearest_lists_everything_when_nothing_is_near() -> None:
    assert nearest("zzz", ["bleu", "meteor"]) == "there are: bleu, meteor"
