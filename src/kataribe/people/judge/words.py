"""The interface in the rater's language: what the switch says, else the study, else the browser, else English."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from kataribe.people.judge.settings import LANGUAGES, Language, Words


@cache
def words(language: Language) -> dict[str, str]:
    """All texts of the interface."""
    content = files("kataribe.people.judge").joinpath("page", "words.toml").read_text(encoding="utf-8")
    texts: dict[str, str] = tomllib.loads(content)[language]
    return texts


def in_language(text: Words, language: Language) -> str:
    """
    >>> in_language({"en": "Which is better?", "ja": "どちらが良いですか"}, "ja"), in_language("Which?", "zh")
    ('どちらが良いですか', 'Which?')
    """
    if isinstance(text, str):
        return text
    return text.get(language) or text.get("en") or next(iter(text.values()), "")


def choose_language(chosen: str | None, study: str, accepted: str) -> Language:
    """
    >>> choose_language(None, "", "zh-TW;q=0.5, ja-JP;q=0.9, fr")
    'ja'
    >>> choose_language("zh", "ja", "en")
    'zh'
    """
    wanted = [chosen or "", study, *_by_preference(accepted)]
    return next((known for tag in wanted for known in LANGUAGES if tag.split("-")[0] == known), "en")


def _by_preference(accepted: str) -> list[str]:
    weighted: list[tuple[float, str]] = []
    for part in accepted.lower().split(",")[:20]:
        tag, _, weight = part.strip().partition(";q=")
        try:
            weighted.append((-float(weight or 1), tag))
        except ValueError:
            continue
    return [tag for _, tag in sorted(weighted, key=lambda pair: pair[0])]
