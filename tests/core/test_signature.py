from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kataribe.core.signature import differences, fingerprint, format_signature, parse_signature

FIELDS = st.dictionaries(st.from_regex(r"[a-z]{1,6}", fullmatch=True), st.text(), max_size=4)


@given(FIELDS)
def test_a_signature_is_one_line_whose_fields_come_back(fields: dict[str, str]) -> None:
    text = format_signature("soda", fields)
    assert text.count("|") == len(fields)
    assert "\n" not in text
    name, parsed = parse_signature(text)
    assert (name, list(parsed)) == ("soda", list(fields))


def test_differences_name_the_field() -> None:
    assert differences("bleu|n:4|tok:ptb", "meteor|tok:ptb|lang:en") == {
        "metric": ("bleu", "meteor"),
        "n": ("4", None),
        "lang": (None, "en"),
    }
    assert differences("bleu|n:4", "bleu|n:4") == {}


@given(st.lists(st.text(), max_size=5), st.lists(st.text(), max_size=5))
def test_fingerprints_tell_sequences_apart(one: list[str], other: list[str]) -> None:
    assert (fingerprint(one) == fingerprint(other)) == (one == other)
