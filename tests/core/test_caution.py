"""Every warning has an id of its own that the docs explain."""

import pickle
import re
from pathlib import Path

from kataribe.cli.flags import flag
from kataribe.core.caution import Caution, distinct
from kataribe.text.oddities import ODD_TEXTS

ROOT = Path(__file__).parents[2]


def test_caution_is_its_text_and_keeps_its_id_through_a_pickle() -> None:
    caution = Caution("missing", "2 of 5 videos have no prediction")
    copy = pickle.loads(pickle.dumps(caution))
    assert copy == caution == "2 of 5 videos have no prediction"
    assert copy.id == "missing"


def test_same_warning_is_said_once() -> None:
    assert distinct([Caution("a", "x"), Caution("b", "y"), Caution("a", "x")]) == ("x", "y")


def test_docs_explain_every_id_and_no_other() -> None:
    used = {
        id
        for file in (ROOT / "src").rglob("*.py")
        if file.name != "caution.py"
        for id in re.findall(r'Caution\(\s*"([^"]+)"', file.read_text(encoding="utf-8"))
    } | set(ODD_TEXTS)
    explained = re.findall(r"^\| `([a-z-]+)` \|", (ROOT / "docs" / "warnings.md").read_text(encoding="utf-8"), re.M)
    assert len(explained) == len(set(explained)), "each id is explained once"
    assert set(explained) == used


def test_options_are_written_as_the_reader_would_and_survive_a_name_and_pickling() -> None:
    caution = Caution("frame-column", "are they frames? <unit frames>, not <seed>", options=["unit"])
    for kept in (caution, pickle.loads(pickle.dumps(caution))):
        about = kept.about("ours")
        assert (about.id, str(about)) == ("frame-column", 'ours: are they frames? unit="frames", not <seed>')
        assert about.line(flag) == "ours: are they frames? --unit frames, not <seed>"
    assert caution.to_dict() == {"id": "frame-column", "text": 'are they frames? unit="frames", not <seed>'}
