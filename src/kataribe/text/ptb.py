"""The PTB tokenizer of the caption metrics, without Java.

Gives what pycocoevalcap 1.2 gives: the tokens of CoreNLP 3.4.1's ``PTBTokenizer -preserveLines -lowerCase``,
filtered by a list of punctuation. Published scores of BLEU, METEOR, ROUGE-L and CIDEr rest on it.

>>> tokenize(["A man's dog doesn't like U.S. snow, does it?"])
["a man 's dog does n't like u.s. snow does it"]

The original has quirks that scores depend on, so they are kept:

* The filter knows brackets only in capitals, and the tokens are lower-case: brackets stay, as ``-lrb-`` and
  ``-rrb-``. Repeated punctuation (``!!``) is not on the list and stays as well.
* "3 1/2" is one token with a no-break space inside. Split the result at ``" "``, never with ``split()``.
* A rule may look ahead into the next caption. "Plan A." loses its full stop where the next caption starts
  with "The". Nothing follows the last caption of all, and some endings come apart there: ":)", "we're".

One is not kept: CR, VT, FF, U+2028 and U+2029 end a caption in the original, and what follows shifts to the
next one. Here they are blanks, as newlines are in both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kataribe import _native

# What follows a text as far as it can matter: the next texts up to the second one with something in it, of blank ones
# in a row one. Whether there is a blank line, and whether the text after the next one is there, can matter too.
Following = tuple[str, ...]

# Where a text ends like this, the next one never decides anything...
_SETTLED = re.compile(
    r"(?:.*[ \t])?(?!(?:art|ca|figs?|nos?|op|pp|prop)\.)[a-z0-9]{2,}[.!?]?[ \t]*|[ \t]*",
    re.ASCII | re.DOTALL | re.IGNORECASE,
)
# ... unless there is none.
_MOST_SAID = 2


def tokenize(texts: Sequence[str], *, look_ahead: bool = True) -> list[str]:
    """Return, for each text, its tokens joined by one space.

    With ``look_ahead`` the result is that of the original tool for these texts in this order. Without it,
    each text is tokenized as though an unrelated one followed: its neighbours do not matter.

    A lone surrogate in a text raises UnicodeEncodeError.

    >>> tokenize(["Plan A.", "The end."])
    ['plan a', 'the end']
    >>> tokenize(["Plan A.", "The end."], look_ahead=False)
    ['plan a.', 'the end']
    """
    return _native.ptb_tokenize(list(texts), look_ahead)


def find_following(texts: Sequence[str]) -> list[Following | None]:
    """What follows each text, where that may matter to how it is cut; None where it does not.

    >>> find_following(["Plan A.", "", "The end.", "Over."])
    [('', 'The end.', 'Over.'), None, None, ()]
    """
    settled = enumerate(map(_SETTLED.fullmatch, texts))
    found = [None if is_settled else _following(texts, index) for index, is_settled in settled]
    last = next((index for index in range(len(texts) - 1, -1, -1) if texts[index].strip()), None)
    if last is not None:
        found[last] = _following(texts, last)
    return found


def _following(texts: Sequence[str], index: int) -> Following:
    following: list[str] = []
    said = 0
    for later in range(index + 1, len(texts)):
        if texts[later].strip():
            following.append(texts[later])
            said += 1
            if said == _MOST_SAID:
                break
        elif not following or following[-1]:
            following.append("")
    return tuple(following)


def tokenize_before(texts: Sequence[str], following: Sequence[Following | None]) -> list[str]:
    """Each text as it is cut in its corpus, of which only what `find_following` found there is known.

    >>> corpus = ["Plan A.", "The end."]
    >>> tokenize_before(corpus[:1], find_following(corpus)[:1])
    ['plan a']
    """
    tokens = tokenize(texts, look_ahead=False)
    for index, after in enumerate(following):
        if after is not None:
            tokens[index] = tokenize([texts[index], *after])[0]
    return tokens
