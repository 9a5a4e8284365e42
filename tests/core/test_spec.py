from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.core.errors import UsageError
from kataribe.core.spec import Spec, parse_spec

NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
PLAIN = st.from_regex(r"[a-z0-9./_-]{1,8}", fullmatch=True)
QUOTED = st.text(alphabet=st.characters(exclude_characters='"', exclude_categories=["Cs"]), max_size=8)


def specs() -> st.SearchStrategy[Spec]:
    def arguments(inner: st.SearchStrategy[Spec]) -> st.SearchStrategy[Spec]:
        item = PLAIN | QUOTED | inner.filter(lambda spec: spec.positional or spec.named)
        value = item | st.lists(item, min_size=2, max_size=3).map(tuple)
        named = st.lists(st.tuples(NAMES, value), max_size=3, unique_by=lambda pair: pair[0]).map(tuple)
        return st.builds(Spec, NAMES, st.lists(value, max_size=3).map(tuple), named)

    return st.recursive(st.builds(Spec, NAMES), arguments, max_leaves=8)


@given(specs())
def test_printing_and_parsing_are_inverse(spec: Spec) -> None:
    assert parse_spec(str(spec)) == spec


def test_blanks_do_not_matter() -> None:
    assert str(parse_spec("  soda( a,tiou = 0.3 + 0.5 ) ")) == "soda(a, tiou=0.3+0.5)"


@pytest.mark.parametrize(
    "text",
    ["", "  ", "()", "soda(", "soda(a", "soda(a))", "soda(a b)", "soda(,)", "soda(a=)", "soda(=a)", "soda(x=1, a)",
     "soda(x=1, x=2)", 'soda("a)', "4soda", "soda+x", "soda(a,)"],
)  # fmt: skip
def test_malformed_text_is_one_clear_line(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_spec(text)
    assert "\n" not in str(caught.value)
    assert "cannot read the metric" in str(caught.value)


@given(st.text(max_size=30))
def test_any_text_parses_or_is_a_usage_error(text: str) -> None:
    with contextlib.suppress(UsageError):
        assert isinstance(parse_spec(text), Spec)
