"""Our PTB tokenizer against the original, CoreNLP 3.4.1 in pycocoevalcap, on data sets and nasty text."""

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

from kataribe.text.ptb import tokenize

pytestmark = pytest.mark.java


def original(captions: list[str]) -> list[str]:
    tokenized = PTBTokenizer().tokenize({i: [{"caption": caption}] for i, caption in enumerate(captions)})
    return [tokenized[i][0] for i in range(len(captions))]


def differences(captions: list[str]) -> list[tuple[str, str, str]]:
    triples = zip(captions, tokenize(captions), original(captions), strict=True)
    return [(caption, ours, theirs) for caption, ours, theirs in triples if ours != theirs]


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def activitynet_references(data: Path) -> list[str]:
    splits = [load(data / f"activitynet-captions/{split}.json") for split in ("val_1", "val_2")]
    return [sentence for split in splits for video in split.values() for sentence in video["sentences"]]


def activitynet_model_output(data: Path) -> list[str]:
    results = load(data / "activitynet-captions/model_output_val_1.json")["results"]
    return [event["sentence"] for video in results.values() for event in video]


def flickr8k_expert(data: Path) -> list[str]:
    images = load(data / "human-judgements/flickr8k_expert.json").values()
    judged = [judgement["caption"] for image in images for judgement in image["human_judgement"]]
    return judged + [caption for image in images for caption in image["ground_truth"]]


def nebula(data: Path) -> list[str]:
    return [
        caption
        for image in load(data / "human-judgements/nebula_test.json")
        for caption in (image["mt"], *image["refs"])
    ]


@pytest.mark.data
@pytest.mark.parametrize(
    ("captions_of", "at_least"),
    [
        (activitynet_references, 34_536),
        (activitynet_model_output, 10_000),
        (flickr8k_expert, 20_000),
        (nebula, 15_000),
    ],
)
def test_equal_on_a_data_set(data_folder: Path, captions_of: Callable[[Path], list[str]], at_least: int) -> None:
    captions = captions_of(data_folder)
    assert len(captions) >= at_least
    assert differences(captions) == []


# Pieces that some rule is about. Left out on purpose: what ends a line in the original and so shifts the
# captions after it, and capital sigma, whose small form Java and Python choose differently next to digits.
WORDS = """
a b n I A s t d x zz The the He You café É ß İ 日本 の कि co-op well-known a_b and/or a/b/c w/
end.Next J. X. Mr mr. Inc. inc etc. no. No fig. Wash. wash. Ill. St. vs. co. Ph.D. U.S. u.s e.g.
p.m. don't can't cannot gonna wanna gimme lemme gotta 'tis 'twas more'n 's 'S 'll 're 've 'd 'm
n't N'T ’s ’ll n’t 'em 'til 'cause 'n' 'n '90s '98 ol' somethin' d' l' y' y'all o'clock O'Neil
ma'am Xi'an c'mon c'est s'mores cap'n gov't ain't ain'tcha
"""
NUMBERS = """
5 12 0 3.5 1/2 1,000 98 2000 7-11 3:30 3:30pm -5 +5 .5 :1 5'6" 1-800-555-1234 555-1234 (555) $
US$ £ € ¢ ½ ² ₂ ٣
"""
MARKS = r"""
" ' ` `` '' “ ” ‘ ’ « » ‹ › ‚ „ . .. ... ..... ...... , ; : ! ? !! ?! - -- ---- ----- – — _ __ *
** \* \ / // # @ @@ & % ^ = ~ + ++ < > << >> ( ) [ ] { } | … © ° × • 、 。 ！
"""
WEB = """
http:// https:// www. foo.com .org/ foo@bar.com @user #tag <b> </b> <br/> <!--x--> <?xml?> &amp;
&lt; &gt; &quot; &apos; &nbsp; &mdash; &#39; &eacute; &foo; foo.py 1.txt .zip C++ C# AT&T A+B
R&D -LRB- :) :-) ;D =P :o) ^_^ (^_^) >:( x_x
"""
WITH_BLANKS = ["(406) 294-5530", "925 606 0946", "+1 555-1234", "3 1/2", '<a href="x">', "no. 5", "A. The "]
BLANKS = [" ", "  ", "\t", "\u00a0", "\u2003", "\u3000", "\u200b", "\ufeff", "\x85"]
JOINERS = ["\u00ad", "\u2010", "\u0301", "\u0e31"]
ODDITIES = ["\x01", "\x7f", "\x80", "\x92", "\x93", "😀", "\U00020000", "\ue000", "\ufffe"]
FRAGMENTS = [*f"{WORDS}{NUMBERS}{MARKS}{WEB}".split(), *WITH_BLANKS, *BLANKS, *JOINERS, *ODDITIES]


def nasty_lines(count: int, seed: int) -> Iterator[str]:
    choice = random.Random(seed)
    for _ in range(count):
        glue = choice.choice(["", "", "", " "])
        fragments = choice.choices(FRAGMENTS, k=choice.randint(1, 6))
        yield glue.join(choice.choice([str, str, str, str.upper, str.capitalize])(f) for f in fragments)


@pytest.mark.parametrize("seed", range(3))
def test_equal_on_nasty_text(seed: int) -> None:
    assert differences(list(nasty_lines(4_000, seed))) == []


def test_equal_where_nothing_follows() -> None:
    # One run for each: only the last caption is at the end of the text.
    for ending in ("a :)", "we're", "he's", "of '98", "1.txt", "Acme Inc."):
        assert differences([ending]) == []
