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

from collections.abc import Sequence

from kataribe import _native


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
