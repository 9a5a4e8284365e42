from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from kataribe.captions.bleu import Bleu
from kataribe.captions.cider import Cider
from kataribe.core import plugins, registry
from kataribe.core.errors import UsageError


@pytest.mark.parametrize(
    "text", ["bleu", "bleu(2)", "cider(plain)", "cider(idf=tables/coco.json.gz)", "rouge_l(refs=best)"]
)
def test_a_metric_prints_as_it_was_written(text: str) -> None:
    assert str(registry.parse(text)) == text


def test_equal_metrics_are_equal_values_with_equal_hashes() -> None:
    one, other = registry.parse("bleu( 4, tok = ptb )"), registry.parse("bleu")
    assert one == other == Bleu()
    assert hash(one) == hash(other)


def test_names_forgive_case_and_dashes() -> None:
    assert registry.parse("ROUGE-L") == registry.parse("rouge_l")


def test_unknown_metric_suggests_the_nearest_name() -> None:
    with pytest.raises(UsageError, match="did you mean 'meteor'"):
        registry.parse("meteo")


def test_unknown_option_names_the_options_there_are() -> None:
    with pytest.raises(UsageError, match=r"cider has no option 'varant' - did you mean 'variant'"):
        registry.parse("cider(varant=plain)")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("cider(fancy)", "none of d, plain"),
        ("bleu(four)", "not a int"),
        ("bleu(9)", "1 to 4"),
        ("bleu(4, 5)", "takes 1 option"),
        ("bleu(4, n=3)", "given twice"),
    ],
)
def test_bad_values_say_what_would_be_good(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        registry.parse(text)


def test_protocol_presets_options_that_are_not_written() -> None:
    assert registry.parse("bleu", protocol="paper") == Bleu(smooth="none")
    assert registry.parse("bleu(smooth=tool)", protocol="paper") == Bleu()
    with pytest.raises(UsageError, match="there are: official, paper"):
        registry.parse("bleu", protocol="offical")


def test_defaults_fill_options_that_are_not_written() -> None:
    assert registry.parse("cider", defaults={"tok": "zh", "unheard_of": 1}) == Cider(tok="zh")
    assert registry.parse("cider(tok=char)", defaults={"tok": "zh"}) == Cider(tok="char")


def test_third_parties_add_metrics_through_entry_points(tmp_path: Path) -> None:
    """A package that only declares an entry point is listed, parsed and scored like our own."""
    (tmp_path / "vowels.py").write_text(
        textwrap.dedent('''
            """vowels: the share of items whose caption starts with a vowel."""
            from dataclasses import dataclass
            import numpy as np
            from kataribe.core.metric import Measured, Metric

            @dataclass(frozen=True)
            class Vowels(Metric):
                name, task, title, columns = "vowels", "captions", "Vowels", ("items", "vowels")

                def stats(self, items, context):
                    return np.array([[1.0, text[:1].lower() in "aeiou"] for text in items.candidates])

                def measure(self, totals):
                    return Measured(totals[..., 1] / totals[..., 0], {})
        ''')
    )
    info = tmp_path / "vowels-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: vowels\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[kataribe.metrics]\nvowels = vowels:Vowels\nbroken = nowhere:Nothing\n")
    program = (
        "import kataribe; result = kataribe.evaluate('captions', {'1': 'a dog', '2': 'the cat'}, "
        "{'1': 'x', '2': 'y'}, metrics=['vowels']); print(result['vowels'].value, result['vowels'].signature)"
    )
    environment = {"PYTHONPATH": str(tmp_path), "PATH": ""}
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=True)
    assert ran.stdout.startswith("0.5 vowels|missing:error|data:2/2|hash:")
    listed = subprocess.run(
        [sys.executable, "-c", "from kataribe.cli.main import main; main(['metrics'])"],
        capture_output=True, text=True, env=environment, check=True,
    )  # fmt: skip
    assert "vowels" in listed.stdout
    assert "bleu" in listed.stdout
    assert "'broken' cannot be loaded" in listed.stderr


def test_a_metric_of_an_older_version_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    class Old(Bleu):
        def prepare(self, items: object) -> None:  # type: ignore[override]
            """As metrics were written for 0.2."""

    monkeypatch.setattr(plugins, "load", lambda group, name, kind: Old)
    with pytest.raises(UsageError, match=r"the metric 'old' was written for kataribe 0\.2.* - see docs/extending\.md"):
        registry.load.__wrapped__("old")


def test_metrics_that_differ_only_under_the_protocol_do_not_replace_each_other() -> None:
    chosen = registry.parse_all(["bleu", "bleu(smooth=tool)"], "captions", protocol="paper")
    assert {name: metric.smooth for name, metric in chosen.items()} == {"bleu": "none", "bleu(smooth=tool)": "tool"}


def test_one_metric_in_two_spellings_is_scored_once() -> None:
    assert list(registry.parse_all(["bleu", "bleu(4)"], "captions")) == ["bleu"]
