"""Metrics as text: the grammar behind `soda(a, tiou=0.3+0.5)`.

    spec   = name [ "(" [ argument { "," argument } ] ")" ]
    argument = [ key "=" ] value
    value  = item { "+" item }            several items make a list
    item   = number | word | "quoted text" | spec

This module knows the grammar only. Which names and options exist is the registry's business.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from kataribe.core.errors import UsageError, shorten

_TOKEN = re.compile(r"""\s*(?:(?P<quoted>"[^"]*")|(?P<word>[^\s(),=+"]+)|(?P<mark>[(),=+]))""")
_BARE_WORD = re.compile(r'[^\s(),=+"]+')


@dataclass(frozen=True)
class Spec:
    """A parsed metric expression.

    >>> spec = parse_spec("soda(a,tiou=0.3+0.5, text=cider(plain))")
    >>> spec.name, spec.positional, spec.named[0]
    ('soda', ('a',), ('tiou', ('0.3', '0.5')))
    >>> str(spec)
    'soda(a, tiou=0.3+0.5, text=cider(plain))'
    """

    name: str
    positional: tuple[Value, ...] = ()
    named: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        arguments = [print_value(value) for value in self.positional]
        arguments += [f"{key}={print_value(value)}" for key, value in self.named]
        return f"{self.name}({', '.join(arguments)})" if arguments else self.name


Item = str | Spec
Value = Item | tuple[Item, ...]


def print_value(value: Value) -> str:
    if isinstance(value, tuple):
        return "+".join(print_value(item) for item in value)
    if isinstance(value, Spec):
        return str(value)
    return value if _BARE_WORD.fullmatch(value) else f'"{value}"'


def parse_spec(text: str) -> Spec:
    parser = _Parser(text)
    spec = parser.spec()
    parser.expect_end()
    return spec


def split_specs(text: str) -> list[str]:
    """Several metrics in one text, with commas between them.

    >>> split_specs("meteor, soda(a, tiou=0.3+0.5),cider")
    ['meteor', 'soda(a, tiou=0.3+0.5)', 'cider']
    """
    parts, depth, is_quoted = [""], 0, False
    for character in text:
        is_quoted ^= character == '"'
        depth += 0 if is_quoted else (character == "(") - (character == ")")
        if character == "," and depth <= 0 and not is_quoted:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[str] = []
        position = 0
        stripped = text.rstrip()
        while position < len(stripped):
            match = _TOKEN.match(stripped, position)
            if match is None:
                raise self.error("a quote is not closed")
            self.tokens.append(match.group().strip())
            position = match.end()
        self.next = 0

    def error(self, what: str) -> UsageError:
        return UsageError(
            f"cannot read the metric {shorten(self.text)!r}: {what}",
            hint="write it like meteor, cider(plain) or soda(a, tiou=0.3+0.5)",
        )

    def peek(self) -> str:
        return self.tokens[self.next] if self.next < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.next += 1
        return token

    def take_if(self, mark: str) -> bool:
        if self.peek() == mark:
            self.next += 1
            return True
        return False

    def spec(self) -> Spec:
        name = self.take()
        if not re.fullmatch(r"[A-Za-z][\w\-.]*", name):
            raise self.error("it should start with a name" if not name else f"{shorten(name)!r} is not a name")
        if not self.take_if("("):
            return Spec(name)
        positional: list[Value] = []
        named: dict[str, Value] = {}
        while not self.take_if(")"):
            if positional or named:
                self.expect(",")
            value = self.value()
            if isinstance(value, str) and self.take_if("="):
                if value in named:
                    raise self.error(f"{value} is given twice")
                named[value] = self.value()
            elif named:
                raise self.error("options without a name come first")
            else:
                positional.append(value)
        return Spec(name, tuple(positional), tuple(named.items()))

    def value(self) -> Value:
        items = [self.item()]
        while self.take_if("+"):
            items.append(self.item())
        return items[0] if len(items) == 1 else tuple(items)

    def item(self) -> Item:
        token = self.peek()
        if token.startswith('"'):
            return self.take()[1:-1]
        if not token or token in "(),=+":
            raise self.error("a value is missing")
        if self.next + 1 < len(self.tokens) and self.tokens[self.next + 1] == "(":
            return self.spec()
        return self.take()

    def expect(self, mark: str) -> None:
        if not self.take_if(mark):
            raise self.error(f"{mark!r} is missing" if not self.peek() else f"{mark!r} expected before {self.peek()!r}")

    def expect_end(self) -> None:
        if self.peek():
            raise self.error(f"{self.peek()!r} is left over")
