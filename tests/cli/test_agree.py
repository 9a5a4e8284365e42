"""`kataribe agree` and `kataribe judge agreement` as a stranger meets them."""

from __future__ import annotations

import json
import re
import shutil
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from kataribe.formats.results import read_result

SAMPLES = Path(str(files("kataribe") / "samples"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call) -> Path:
    """Two systems, scored, and what four people said about three."""
    monkeypatch.chdir(tmp_path)
    predictions = json.loads((SAMPLES / "captions_pred.json").read_text())
    short = [entry | {"caption": " ".join(entry["caption"].split()[:5])} for entry in predictions]
    for name, captions in (("whole", predictions), ("short", short)):
        Path(f"{name}_pred.json").write_text(json.dumps(captions))
        code, _, err = call(
            "score", "captions", f"{name}_pred.json", "-r", str(SAMPLES / "captions_refs.json"), "-m", "rouge_l",
            "-m", "cider", "-q", "-o", f"{name}.json",
        )  # fmt: skip
        assert (code, err) == (0, "")
    shutil.copy(SAMPLES / "captions_ratings.csv", "ratings.csv")
    entries = [
        {"imgid": "1", "mt": "a dog runs", "refs": ["a dog runs fast"], "score": 0.9},
        {"imgid": "2", "mt": "a cat", "refs": ["rain falls"], "score": 0.1},
        {"imgid": "3", "mt": "rain", "refs": ["rain falls"], "score": 0.6},
    ]
    Path("rated.json").write_text(json.dumps(entries))
    return tmp_path


@pytest.mark.parametrize("format", ["table", "markdown", "latex", "csv", "json"])
def test_agree_prints_every_format(call, folder: Path, format: str) -> None:
    arguments = ["whole.json", "short.json", "--human", "ratings.csv", "-f", format, "--bootstrap", "50", "-q"]
    code, out, err = call("agree", *arguments)
    assert (code, err) == (0, "")
    for name in ("content", "fluency", "cider", "people"):
        assert name in out
    if format == "json":
        found = json.loads(out)
        assert found["coverage"] == {"judged": 36, "scored": 24, "both": 24}
        assert set(found["dimensions"]["content"]["metrics"]["cider"]) == {
            "pearson", "spearman", "tau_b", "tau_c", "accuracy",
        }  # fmt: skip


def test_agree_writes_json_and_page_and_says_what_is_missing(call, folder: Path) -> None:
    code, out, err = call(
        "agree", "whole.json", "short.json", "--human", "ratings.csv", "-m", "cider", "--without", "dan",
        "--bootstrap", "0", "-o", "agreement.json", "--report", "page.html",
    )  # fmt: skip
    assert code == 0
    assert "12 of 36 judged texts lack a score and are left out" in err
    assert "rouge_l" not in out
    written = json.loads(Path("agreement.json").read_text())
    assert written["metrics"] == ["cider"]
    assert written["dimensions"]["content"]["raters"] == 3
    assert "agreement with people" in Path("page.html").read_text()


def test_a_report_shows_the_agreement_that_agree_prints(call, folder: Path) -> None:
    judged = ["--human", "ratings.csv", "--without", "dan"]
    code, out, err = call("report", "whole.json", "short.json", *judged, "--replicates", "0", "-o", "page.html")
    assert (code, "page.html: " in out) == (0, True)
    assert "12 of 36 judged texts lack a score and are left out" in err
    embedded = re.search(r'id="data-agreement">(.*?)</script>', Path("page.html").read_text())
    assert embedded is not None
    shown = json.loads(embedded[1])
    _, printed, _ = call("agree", "whole.json", "short.json", *judged, "-f", "json", "-q")
    found = json.loads(printed)
    assert shown["signatures"] == [found["signature"], *found["signatures"].values()]
    for dimension in shown["dimensions"]:
        expected = found["dimensions"][dimension["name"]]
        assert {key: dimension[key] for key in ("metrics", "people", "tests")} == {
            key: expected[key] for key in ("metrics", "people", "tests")
        }


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["whole.json", "--human", "absent.csv"], "absent.csv: there is no such file"),
        (["whole.json", "--without", "dan"], "there is no --human RATINGS"),
        (["base=whole.json", "--human", "ratings.csv"], "systems judged: 'whole', 'short', 'wrong'; scored: 'base'"),
        (["a=whole.json", "a=short.json"], "two results are called 'a'"),
        (["=whole.json"], "'=whole.json' is neither FILE nor NAME=FILE"),
    ],
)
def test_a_report_with_people_names_mistakes_in_one_line(call, folder: Path, arguments: list[str], says: str) -> None:
    code, out, err = call("report", *arguments, "-o", "page.html")
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1
    assert not Path("page.html").exists()


def test_agree_scores_a_data_set_by_itself(call, folder: Path) -> None:
    code, out, err = call("agree", "rated.json", "--metrics", "rouge_l,bleu(1)", "--bootstrap", "0", "-f", "json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["metrics"] == ["rouge_l", "bleu(1)"]
    assert found["dimensions"]["overall"]["metrics"]["rouge_l"]["tau_b"]["value"] == pytest.approx(1.0)
    assert found["signatures"]["bleu(1)"].startswith("bleu|n:1")


def test_perplexity_is_read_upside_down_and_shown_as_it_is(call, folder: Path) -> None:
    refs = str(SAMPLES / "captions_refs.json")
    for name in ("whole", "short"):
        call("score", "captions", f"{name}_pred.json", "-r", refs, "-m", "ppl", "-q", "-o", f"{name}.json")
    arguments = ["whole.json", "short.json", "--human", "ratings.csv", "--bootstrap", "0", "-q"]
    code, out, _ = call("agree", *arguments)
    assert code == 0
    assert "lower is better, so read upside down: ppl" in out
    table = ["item,system,ppl"]
    for name in ("whole", "short"):
        metric = read_result(Path(f"{name}.json"))["ppl"]
        table += [f"{id},{name},{value}" for id, value in zip(metric.ids, metric.item_values, strict=True)]
    Path("table.csv").write_text("\n".join(table))
    values = []
    for arguments in (["whole.json", "short.json"], ["table.csv", "--lower", "ppl"], ["table.csv"]):
        code, out, _ = call("agree", *arguments, "--human", "ratings.csv", "--bootstrap", "0", "-q", "-f", "json")
        assert code == 0
        values.append(json.loads(out)["dimensions"]["content"]["metrics"]["ppl"]["tau_b"]["value"])
    assert values[0] == pytest.approx(values[1]) == pytest.approx(-values[2])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["whole.json", "--human", "ratings.csv", "--lower", "pll"], "no score is called 'pll'"),
        (["whole.json", "short.json"], "scores need --human RATINGS"),
        (["whole.json"], "has no human_judgement and ground_truth - scores of a metric need --human RATINGS"),
        (["rated.json", "-m", "soda(c)"], "does not score captions but stories"),
        (["whole.json", "--human", "absent.csv"], "absent.csv: there is no such file"),
        (["whole.json", "--human", "ratings.csv", "-m", "ciderr"], "no score is called 'ciderr'"),
        (["whole.json", "--human", "ratings.csv", "--without", "eve"], "no rater is called 'eve'"),
        (["whole.json", "--human", "ratings.csv", "--by", "rho"], "--by rho: there is no such measure"),
        (["whole.json", "--human", "ratings.csv", "-f", "xml"], "no format is called 'xml'"),
        (["whole.json", "--human", "ratings.csv", "-o", "nowhere/a.json"], "there is no folder nowhere"),
        (["base=whole.json", "--human", "ratings.csv"], "systems judged: 'whole', 'short', 'wrong'; scored: 'base'"),
    ],
)
def test_agree_names_mistakes_in_one_line(call, folder: Path, arguments: list[str], says: str) -> None:
    before = set(folder.iterdir())
    code, out, err = call("agree", *arguments)
    assert code == 2
    assert out == ""
    assert says in err
    assert err.count("\n") == 1
    assert set(folder.iterdir()) == before


@pytest.mark.parametrize("format", ["table", "markdown", "csv", "json"])
def test_judge_agreement_flags_the_rater_who_answers_at_random(call, folder: Path, format: str) -> None:
    code, out, err = call("judge", "agreement", "ratings.csv", "-f", format, "-o", "raters.json", "--draws", "2000")
    assert (code, err) == (0, "")
    assert "dan" in out
    found = json.loads(Path("raters.json").read_text())["dimensions"]["content"]
    assert {name: rater["screening"]["verdict"] for name, rater in found["raters"].items()} == {
        "ann": "agrees",
        "bob": "agrees",
        "cho": "agrees",
        "dan": "random",
    }
    assert set(found["alpha"]) == {"nominal", "ordinal", "interval"}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["absent.csv"], "there is no such file"),
        (["whole.json"], "is neither .csv, .tsv nor .jsonl"),
        (["ratings.csv", "--draws", "0"], "at least 1 is needed"),
        (["ratings.csv", "--alpha", "5"], "is not between 0 and 1"),
        (["ratings.csv", "-f", "latex"], "no format is called 'latex'"),
    ],
)
def test_judge_agreement_names_mistakes_in_one_line(call, folder: Path, arguments: list[str], says: str) -> None:
    code, out, err = call("judge", "agreement", *arguments)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1


def split_ratings(folder: Path) -> list[str]:
    """The ratings in two files, by rater."""
    header, *lines = (folder / "ratings.csv").read_text().splitlines()
    for name, chosen in (("one.csv", True), ("two.csv", False)):
        kept = [line for line in lines if (line.split(",")[0] in ("ann", "bob")) == chosen]
        (folder / name).write_text("\n".join([header, *kept]) + "\n")
    return ["--human", "one.csv", "--human", "two.csv"]


def test_ratings_in_two_files_are_those_in_one(call, folder: Path) -> None:
    options = ["whole.json", "short.json", "--bootstrap", "50", "-q", "-f", "json"]
    _, together, _ = call("agree", *options, "--human", "ratings.csv")
    code, apart, err = call("agree", *options, *split_ratings(folder))
    assert (code, err) == (0, "")
    # Raters come in another order, which moves nothing but the draws of no one.
    assert json.loads(apart)["signature"] == json.loads(together)["signature"]
    assert json.loads(apart)["dimensions"]["content"]["raters"] == 4


def test_report_joins_ratings_too(call, folder: Path) -> None:
    judged = split_ratings(folder)
    code, _, _ = call("report", "whole.json", "short.json", *judged, "--replicates", "0", "-o", "page.html")
    embedded = re.search(r'id="data-agreement">(.*?)</script>', Path("page.html").read_text())
    assert code == 0
    assert embedded is not None
    assert [found["raters"] for found in json.loads(embedded[1])["dimensions"]] == [4, 4]


def test_ratings_given_twice_are_refused(call, folder: Path) -> None:
    twice = ["--human", "ratings.csv", "--human", "ratings.csv"]
    code, out, err = call("agree", "whole.json", "short.json", *twice)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "answers again what ratings.csv line 2 answers" in err


def spoilt_ratings(folder: Path) -> Path:
    """Everything ann says about content is turned upside down; one answer of bob's is 99."""
    header, *lines = (folder / "ratings.csv").read_text().splitlines()
    columns = header.split(",")
    rows = [dict(zip(columns, line.split(","), strict=True)) for line in lines]
    for row in rows:
        if row["rater"] == "ann" and row["dimension"] == "content":
            row["value"] = str(6 - float(row["value"]))
    next(row for row in rows if row["rater"] == "bob")["value"] = "99"
    path = folder / "spoilt.csv"
    path.write_text("\n".join([header, *(",".join(row.values()) for row in rows)]) + "\n")
    return path


@pytest.mark.parametrize(
    "command", [["agree", "whole.json", "short.json", "--bootstrap", "0", "--human"], ["judge", "agreement"]]
)
def test_odd_ratings_are_said_by_id_and_can_be_silenced(call, folder: Path, command: list[str]) -> None:
    path = str(spoilt_ratings(folder))
    code, out, err = call(*command, path, "-f", "json")
    assert code == 0
    assert "ann answers against the others" in err
    assert "[reversed-rater]" in err
    assert "1 rating is 99" in err
    assert {"reversed-rater", "sentinel-ratings"} <= {warning["id"] for warning in json.loads(out)["warnings"]}
    silenced = call(*command, path, "-f", "json", "--silence", "reversed-rater", "--silence", "sentinel-ratings")
    assert silenced[1] == out
    assert "reversed-rater" not in silenced[2]
    assert "sentinel-ratings" not in silenced[2]


RATED = [
    {"image": "dog.png", "candidate": "a dog runs", "references": ["a dog runs fast"], "rating": 5},
    {"image": "cat.png", "candidate": "<b>a cat</b>", "references": ["rain falls"], "rating": 1},
    {"image": "rain.png", "candidate": "rain", "references": ["rain falls"], "rating": 3},
    {"image": "rain.png", "candidate": "rain falls on a dog", "references": ["rain falls"], "rating": 4},
]


@pytest.fixture
def pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    image = pytest.importorskip("PIL.Image", reason="needs kataribe[models]")
    monkeypatch.chdir(tmp_path)
    Path("rated.json").write_text(json.dumps(RATED))
    Path("pictures").mkdir()
    for number, name in enumerate(("dog", "cat", "rain")):
        image.new("RGBA", (900, 600), (80 * number, 10, 10, 128)).save(f"pictures/{name}.png")
    return tmp_path


def test_explain_shows_texts_and_the_page_their_pictures(call, pictures: Path) -> None:
    command = ["agree", "rated.json", "-m", "rouge_l", "--bootstrap", "0", "--explain", "1", "-q"]
    code, out, err = call(*command, "--images", "pictures", "-o", "found.json", "--report", "page.html")
    assert (code, err) == (0, "")
    assert "best agreement: rouge_l" in out
    assert "worst agreement: rouge_l" in out
    found = json.loads(Path("found.json").read_text())["dimensions"]["overall"]
    assert found["distinct"] == {"rouge_l": 4}
    examples = found["examples"]["rouge_l"]
    assert [example["candidate"] for example in examples["best"]] == ["<b>a cat</b>"]
    page = Path("page.html").read_text()
    assert page.count("data:image/jpeg;base64,") == 2
    assert "<b>a cat</b>" not in page
    code, out, _ = call(*command, "--report", "plain.html")
    assert (code, "best agreement" in out) == (0, True)
    assert "data:image" not in Path("plain.html").read_text().replace("img-src data:", "")


def test_a_page_without_pillow_says_why_it_has_no_pictures(
    call, pictures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    arguments = ["--images", "pictures", "--explain", "1", "--report", "page.html"]
    code, _, err = call("agree", "rated.json", "-m", "rouge_l", "--bootstrap", "0", *arguments)
    assert code == 0
    assert "the page shows no pictures, because Pillow is not installed" in err
    assert Path("page.html").is_file()


def test_explain_reads_the_captions_of_result_files(call, folder: Path) -> None:
    arguments = ["whole.json", "short.json", "--human", "ratings.csv", "-m", "cider", "--bootstrap", "0", "-q"]
    code, out, _ = call("agree", *arguments, "--explain", "1", "-f", "json")
    assert code == 0
    for dimension in json.loads(out)["dimensions"].values():
        for example in (*dimension["examples"]["cider"]["best"], *dimension["examples"]["cider"]["worst"]):
            assert example["candidate"]
            assert len(example["references"]) > 0


def test_references_may_stand_in_a_file_of_their_own(call, pictures: Path) -> None:
    bare = [{key: value for key, value in entry.items() if key != "references"} for entry in RATED]
    Path("bare.json").write_text(json.dumps(bare))
    Path("refs.json").write_text(
        json.dumps({"dog": ["a dog runs fast"], "cat.png": ["rain falls"], "rain": ["rain falls"]})
    )
    arguments = ["-m", "rouge_l", "--bootstrap", "0", "-q", "-f", "csv"]
    assert call("agree", "bare.json", "-r", "refs.json", *arguments)[:2] == call("agree", "rated.json", *arguments)[:2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rated.json", "--images", "absent"], "absent: there is no such folder"),
        (
            ["rated.json", "--images", "empty"],
            "empty: has no picture for 4 of 4 items: 'dog.png', 'cat.png', 'rain.png'",
        ),
        (["rated.json", "--images", "broken", "--explain", "1", "--report", "p.html"], "does not open as a picture"),
        (["rated.json", "--explain", "-1"], "--explain -1: cannot be negative"),
        (
            ["rated.json", "-r", "refs.json"],
            "has references of its own, and others were given - leave -r REFS out",
        ),
        (["table.csv", "--human", "ratings.csv", "--images", "pictures"], "--images belongs to a data set"),
        (
            ["table.csv", "--human", "ratings.csv", "--explain", "1"],
            "--explain shows texts, and tables of scores hold none",
        ),
        (["rated.json", "--images", "pictures", "--features", "v.npz"], "both say what the items show"),
    ],
)
def test_mistakes_with_pictures_and_examples_are_one_line(
    call, pictures: Path, arguments: list[str], message: str
) -> None:
    Path("empty").mkdir()
    shutil.copytree("pictures", "broken")
    for file in Path("broken").iterdir():
        file.write_bytes(b"no picture")
    Path("refs.json").write_text('{"dog": ["a dog"]}')
    Path("table.csv").write_text("item,m\n1,0.5\n2,0.6\n")
    Path("ratings.csv").write_text("rater,item,value\nann,1,2\nann,2,3\n")
    np.savez("v.npz", dog=np.ones(2), cat=np.ones(2), rain=np.ones(2))
    metrics = ["-m", "rouge_l"] if "--human" not in arguments else []
    code, out, err = call("agree", *arguments, *metrics, "--bootstrap", "0", "-q")
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.strip().splitlines()) == 1
    assert not Path("p.html").exists()
