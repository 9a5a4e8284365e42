"""The PTB tokenizer: examples by rule, golden output of the original tool, and what holds for any text."""

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kataribe.text.ptb import tokenize

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "ptb.json").read_text(encoding="utf-8"))

NBSP = "\u00a0"

EXAMPLES = {
    "plain words": {
        "A man is playing the guitar.": "a man is playing the guitar",
        "  two\tblanks  ": "two blanks",
        "café ÉCLAIR naïve": "café éclair naïve",
        "日本語 の 文": "日本語 の 文",
        "1990s 5mm 20x20 3pm": "1990s 5mm 20x20 3pm",
        "": "",
    },
    "punctuation": {
        "Wait, what? No!": "wait what no",
        "stop!! really?!": "stop !! really ?!",
        "well... ok -- fine": "well ok fine",
        "a ----- b": "a ----- b",
        "(an aside) [x] {y}": "-lrb- an aside -rrb- -lsb- x -rsb- -lcb- y -rcb-",
        "100% of = ~ a*b": "100 % of = ~ a * b",
        "«so» “he” said": "so he said",
        "“” ””": "``'' ''''",
    },
    "hyphens and slashes": {
        "a well-known a_b 3-year-old": "a well-known a_b 3-year-old",
        "U.S.-based 5,000-foot ab,cd-ef": "u.s.-based 5,000-foot ab,cd-ef",
        "5.5-6.5": "5.5-6 .5",
        "and/or a/b/c a/b/c/d w/ it": "and/or a/b/c a/b/c / d w / it",
        "pro- and pre-": "pro- and pre",
        "co\u00adop": "coop",
    },
    "contractions": {
        "don't can't ain't": "do n't ca n't ai n't",
        "it's I'm we're they'd": "it 's i 'm we 're they 'd",
        "it’s don’t": "it 's do n't",
        "cannot gonna wanna gimme": "can not gon na wan na gim me",
        "'tis 'twas": "'t is 't was",
        "y'all o'clock ma'am O'Neil c'mon": "y' all o'clock ma'am o'neil c'mon",
        "goin' somethin' gov't": "goin somethin' gov t",
        "in the '90s of '98 or so": "in the '90s of '98 or so",
        "rock 'n' roll": "rock 'n' roll",
    },
    "full stops": {
        "end.Next foo.py": "end.next foo.py",
        "U.S. p.m. u.s": "u.s. p.m. u.s",
        "Mr. Smith of Acme Inc. etc.": "mr. smith of acme inc. etc.",
        "a car wash. Car Wash. x": "a car wash car wash. x",
        "no. 5 and no.": "no. 5 and no",
        "foo., bar": "foo. bar",
        "1.txt or 1.ab": "1.txt or 1 ab",
    },
    "numbers": {
        "-5 .5 3:30 1,000.5 1+1": "-5 .5 3:30 1,000.5 1 +1",
        "3:30pm 5.5mm": "3:30 pm 5.5 mm",
        "3 1/2 cups, 2 1/2-inch": f"3{NBSP}1/2 cups 2{NBSP}1/2 inch",
        "3½ cups": "3 1/2 cups",
        "(406) 294-5530": f"-lrb-406-rrb-{NBSP}294-5530",
        "$5 US$5 £3 €2 4¢": "$ 5 us$ 5 # 3 $ 2 4 cents",
    },
    "the Web": {
        "see http://ab.c/d?e=f.": "see http://ab.c/d?e=f",
        "foo.com/bar www.foo.info": "foo.com/bar www.foo.info",
        "mail foo@bar.com now": "mail foo@bar.com now",
        "@user #tag #1": "@user #tag # 1",
        '<b>bold</b> <a href="x">': f'<b> bold </b> <a{NBSP}href="x">',
        "AT&amp;T &lt;3 &quot;x&quot;": "at&t < 3 x",
        "caf&eacute;": "caf&eacute;",
    },
    "smileys": {
        ":) ;-D :o( x": ":-rrb- ;-d :o-lrb- x",
        "^_^ (^_^) x_x": "^_^ -lrb-^_^-rrb- x_x",
    },
    "characters of no rule": {
        "a😀b": "a b",
        "x\x00y\x07z": "x y z",
        "© 2020 ×2": "© 2020 × 2",
    },
}


@pytest.mark.parametrize(
    ("caption", "tokens"),
    [pytest.param(*pair, id=f"{rule}: {pair[0]}") for rule, pairs in EXAMPLES.items() for pair in pairs.items()],
)
def test_example(caption: str, tokens: str) -> None:
    assert tokenize([caption], look_ahead=False) == [tokens]


def test_equals_the_golden_output_of_the_original() -> None:
    assert tokenize(GOLDEN["captions"]) == GOLDEN["tokenized"]


@pytest.mark.parametrize("following", ["The end.", " \t", "the end."])
def test_looks_ahead_to_the_next_caption_that_is_not_blank(following: str) -> None:
    captions = ["Plan A.", following, "The end."]
    expected = "plan a." if following == "the end." else "plan a"
    assert tokenize(captions)[0] == expected
    assert tokenize(captions, look_ahead=False)[0] == "plan a."


def test_nothing_follows_the_last_caption() -> None:
    assert tokenize(["a :)", "a :)"]) == ["a :-rrb-", "a -rrb-"]
    assert tokenize(["a :)", "a :)"], look_ahead=False) == ["a :-rrb-", "a :-rrb-"]


@pytest.mark.parametrize("separator", ["\n", "\r", "\r\n", "\v", "\f", "\u2028", "\u2029"])
def test_line_separator_inside_a_caption_is_a_blank(separator: str) -> None:
    assert tokenize([f"one{separator}two", "three"]) == ["one two", "three"]


@pytest.mark.parametrize("look_ahead", [True, False])
def test_keeps_blank_captions_in_their_places(look_ahead: bool) -> None:
    assert tokenize([], look_ahead=look_ahead) == []
    assert tokenize(["", "a", " ", ".", "b", ""], look_ahead=look_ahead) == ["", "a", "", "", "b", ""]


def test_attribute_may_run_over_the_end_of_a_caption() -> None:
    assert tokenize(['x <a b="y', '. z">', "w"]) == [f'x <a{NBSP}b="y', f'.{NBSP}z">', "w"]


def test_lone_surrogate_is_refused() -> None:
    with pytest.raises(UnicodeEncodeError):
        tokenize(["fine", "\ud800"])


def test_anything_but_text_is_refused() -> None:
    with pytest.raises(TypeError):
        tokenize([b"bytes"])  # type: ignore[list-item]


# Starts of long matches that come to nothing: each would make a naive longest-match search quadratic.
@pytest.mark.parametrize("unit", ["a,", '<a b="', 'J. <a b="', "<!a ", "a'", "~.", "\u2028", "(", "99-"])
@pytest.mark.timeout(300)  # quadratic, it would take hours
def test_two_million_characters_come_to_an_end(unit: str) -> None:
    assert len(tokenize([unit * (2_000_000 // len(unit))])) == 1


# Characters that the rules are about make far better counter-examples than characters at large.
captions = st.one_of(
    st.text(max_size=40),
    st.text(alphabet="aAbnstT'’‘`\".,:;!?-_/\\&@#$%()[]{}<>|=^~*+019 \t\n\u00a0\u00adé日\u0301½…😀", max_size=40),
    st.lists(st.sampled_from(GOLDEN["captions"]), max_size=3).map("".join),
)


@given(st.lists(captions, max_size=6), st.booleans())
@example(["\x85"], True)
def test_any_text_gives_one_line_of_single_spaced_tokens(texts: list[str], look_ahead: bool) -> None:
    lines = tokenize(texts, look_ahead=look_ahead)
    assert len(lines) == len(texts)
    for line in lines:
        assert "\n" not in line
        assert "" not in line.split(" ") or line == ""
        assert line == line.lower()


@given(st.lists(captions, max_size=6))
def test_neighbours_do_not_matter_without_look_ahead(texts: list[str]) -> None:
    alone = [tokenize([text], look_ahead=False)[0] for text in texts]
    assert tokenize(texts, look_ahead=False) == alone
