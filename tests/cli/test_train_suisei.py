"""`kataribe train suisei`: what it writes and prints, what it refuses before training, and that it can be resumed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from kataribe.learning.folder import read_card, read_model
from tests.encoders.tiny import tiny_bert, tiny_clip, tiny_xlm_roberta
from tests.people.rated_by_rule import write_ratings

pytest.importorskip("torch", reason="needs kataribe[models]")
pytest.importorskip("accelerate", reason="needs kataribe[models]")

Call = Callable[..., tuple[int, str, str]]
QUICK = ("--head", "residual", "--scale", "1", "5", "--epochs", "2", "--seeds", "2", "--device", "cpu", "-q")
BLEND = ("--head", "blend", "-m", "rouge_l,cider", "--scale", "1", "5", "--seeds", "2", "-q")


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> str:
    return tiny_bert(tmp_path_factory.mktemp("bert"))


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KATARIBE_CACHE", str(tmp_path / "cache"))
    write_ratings(Path("ratings.csv"), 40)


def test_a_trained_model_scores_captions(call: Call, bert: str) -> None:
    code, out, err = call("train", "suisei", "ratings.csv", "--encoder", bert, "-o", "model", *QUICK)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("captions: 64 train, 8 validation, 8 held out")
    assert any(line.startswith("held out shares with train: 0 of") for line in lines)
    assert lines[-2].startswith("model: residual, 2 members, trained on ratings.csv, suisei-")
    assert lines[-1] == 'use it: kataribe score captions PRED -r REFS -m "suisei(model)"'
    assert {path.name for path in Path("model").iterdir()} == {"card.json", "weights.safetensors", "curves.png"}
    Path("pred.json").write_text(json.dumps({"1": "a dog runs", "2": "a cat"}))
    Path("refs.json").write_text(json.dumps({"1": ["the dog runs"], "2": ["a cat sleeps"]}))
    options = ("-m", "suisei(model)", "--uncertainty", "ensemble", "-o", "items.csv", "-f", "json")
    code, out, _ = call("score", "captions", "pred.json", "-r", "refs.json", *options)
    assert code == 0
    (found,) = json.loads(out)["metrics"].values()
    assert found["signature"].startswith(f"suisei|model:{lines[-2].rpartition(', ')[2]}|")
    header, first, _ = Path("items.csv").read_text().splitlines()
    assert header == "item,suisei(model),suisei(model).low,suisei(model).high"
    score, low, high = map(float, first.split(",")[1:])
    assert low <= score <= high


def test_scores_on_held_out_captions_and_tests_are_on_the_card_and_printed(call: Call) -> None:
    write_ratings(Path("test.csv"), 12, seed=1)
    options = ("--held-out", "0.2", "--test", "test.csv", "-o", "model", "-f", "json", *BLEND)
    code, out, err = call("train", "suisei", "ratings.csv", *options)
    assert (code, err) == (0, "")
    answer, card = json.loads(out), read_card("model")
    assert {scored["data"] for scored in answer["scored"]} == {"held out", "test.csv"}
    assert answer["scored"][1]["count"] == 24
    on_card = {(score.data, score.measure): score for score in card.scores}
    mine = answer["scored"][1]
    assert on_card["test.csv", "tau_b"].value == mine["values"]["tau_b"]
    assert list(on_card["test.csv", "tau_b"].interval or ()) == mine["intervals"]["tau_b"]
    assert answer["signature"] == f"suisei-{card.fingerprint}"


@pytest.mark.parametrize("format", ["markdown", "latex", "csv"])
def test_other_formats(call: Call, format: str) -> None:
    code, out, _ = call("train", "suisei", "ratings.csv", "-o", "model", "-f", format, *BLEND)
    assert code == 0
    assert "held out" in out


def test_with_a_test_file_nothing_is_held_out_unless_asked_for(call: Call) -> None:
    write_ratings(Path("test.csv"), 6, seed=1)
    _, out, _ = call("train", "suisei", "ratings.csv", "--test", "test.csv", "-o", "model", *BLEND)
    assert out.splitlines()[0] == "captions: 72 train, 8 validation"


def test_several_files_are_joined(call: Call) -> None:
    write_ratings(Path("more.csv"), 10, seed=3)
    code, out, _ = call("train", "suisei", "ratings.csv", "more.csv", "-o", "model", *BLEND)
    assert code == 0
    assert "trained on ratings.csv + more.csv" in out
    assert read_card("model").data[0]["captions"] == 100


def test_what_a_test_shares_with_training_is_refused_or_on_the_card(call: Call) -> None:
    lines = Path("ratings.csv").read_text().splitlines()
    Path("test.csv").write_text("\n".join(lines[:9]) + "\n")
    given = ("train", "suisei", "ratings.csv", "--test", "test.csv", "-o", "model", *BLEND)
    code, _, err = call(*given)
    assert code == 2
    assert "test.csv and ratings.csv share 4 of 4 pictures, 8 of 8 candidates" in err
    assert "say --allow-overlap" in err
    assert not Path("model").exists()
    code, out, _ = call(*given, "--allow-overlap")
    assert code == 0
    (note,) = [note for note in read_card("model").notes if note.startswith("test.csv shares")]
    assert note == "test.csv shares with the training file: 4 of 4 pictures, 8 of 8 candidates, 8 of 8 references"
    assert note in out


def test_pictures_are_found_for_training_and_tests(call: Call, bert: str) -> None:
    write_ratings(Path("seen.csv"), 20, images=Path("images"))
    write_ratings(Path("test.csv"), 6, images=Path("others"), seed=2)
    pictures = ("--images", "images", "--picture-encoder", "histogram")
    given = ("train", "suisei", "seen.csv", *pictures, "--encoder", bert, "--test", "test.csv", "-o", "model", *QUICK)
    code, _, err = call(*given)
    assert code == 2
    assert "test0.png" in err
    code, _, err = call(*given, "--test-images", "others")
    assert (code, err) == (0, "")
    assert read_card("model").options["pictures"].startswith("histogram")
    Path("pred.json").write_text(json.dumps({"1": "a dog runs"}))
    code, _, err = call("score", "captions", "pred.json", "-r", "pred.json", "-m", "suisei(model)")
    assert code == 2
    assert "nothing says where they are - give --images FOLDER" in err


def test_given_vectors_stand_for_pictures(call: Call, bert: str) -> None:
    rng = np.random.default_rng(0)
    np.savez("vectors.npz", **{f"ratings{number}": rng.normal(size=5) for number in range(40)})
    given = ("train", "suisei", "ratings.csv", "--features", "vectors.npz", "--encoder", bert, "-o", "model", *QUICK)
    code, _, err = call(*given)
    assert (code, err) == (0, "")
    assert read_card("model").options["model"]["picture_encoder"] == "given"


@pytest.mark.parametrize(
    ("change", "options", "problem"),
    [
        (lambda text: text, ("--scale", "1", "3"), "the rating is 4, outside the scale from 1 to 3"),
        (lambda text: text, ("--scale", "5", "1"), "--scale: 5 to 1 is no scale"),
        (lambda text: text, ("--head", "comett"), "--head: no head is called 'comett' - there are: mix, suisei, comet"),
        (lambda text: text, ("--images", "."), "ratings0.png"),
        (lambda text: text, ("--from", "nowhere"), "nowhere: there is no such model folder"),
        (lambda text: text, ("--head", "blend", "--from", "nowhere"), "a blend has no weights to start from"),
        (lambda text: text, ("--curves", "curves.pdf"), "curves are drawn as png or svg"),
        (lambda text: text, ("-f", "html"), "no format is called 'html'"),
        (lambda text: text, ("-o", "none/model"), "there is no folder none"),
        (lambda text: text, ("-o", "ratings.csv"), "ratings.csv: ratings.csv is used by this call"),
        (lambda text: text.replace("rating_1,rating_2", "a,b"), (), "has no column for ratings"),
        (lambda text: text.replace("\n", "\nx.png,a dog, , ,3,3\n", 1), (), "holds nothing but empty references"),
    ],
)
def test_bad_input_is_one_line_before_anything_is_trained(
    call: Call, change: Callable[[str], str], options: tuple[str, ...], problem: str
) -> None:
    path = Path("ratings.csv")
    path.write_text(change(path.read_text()))
    output = () if "-o" in options else ("-o", "model")
    code, out, err = call("train", "suisei", "ratings.csv", *output, *options)
    assert (code, out) == (2, "")
    assert problem in err
    assert err.count("\n") == 1
    assert not Path("model").exists()


def test_constant_ratings_teach_nothing(call: Call) -> None:
    rows = [f"{n}.png,a dog {n},the dog {n},3" for n in range(6)]
    Path("same.csv").write_text("\n".join(["image,caption,references,rating", *rows]) + "\n")
    code, _, err = call("train", "suisei", "same.csv", "-o", "model", "-q")
    assert code == 2
    assert "same.csv: every text is rated 3, so there is nothing to learn from it" in err


def test_a_folder_with_other_things_is_not_touched(call: Call) -> None:
    Path("mine").mkdir()
    Path("mine/thesis.txt").write_text("years of work")
    for options in ((), ("--ablate",)):
        code, _, err = call("train", "suisei", "ratings.csv", "-o", "mine", *BLEND, *options)
        assert code == 2
        assert "mine: holds other things" in err
    assert Path("mine/thesis.txt").read_text() == "years of work"


class TestWarmStart:
    def test_weights_that_fit_are_taken_and_the_rest_is_named(self, call: Call, bert: str) -> None:
        given = ("train", "suisei", "ratings.csv", "--encoder", bert, *QUICK)
        assert call(*given, "-o", "first")[0] == 0
        code, out, _ = call(*given, "--from", "first", "-o", "second", "--without", "idf")
        assert code == 0
        (note,) = [line for line in out.splitlines() if line.startswith("started from suisei-")]
        assert "not found there: head." in note

    def test_a_damaged_model_is_refused(self, call: Call, bert: str) -> None:
        given = ("train", "suisei", "ratings.csv", "--encoder", bert, *QUICK)
        assert call(*given, "-o", "first")[0] == 0
        weights = Path("first/weights.safetensors")
        weights.write_bytes(weights.read_bytes()[:-7])
        code, _, err = call(*given, "--from", "first", "-o", "second")
        assert code == 2
        assert "first: its weights.safetensors is damaged" in err
        assert not Path("second").exists()


class TestInterrupts:
    @pytest.fixture
    def stopped_after(self, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
        """Ctrl-C after so many epochs."""
        from kataribe.learning import fit

        real = fit._Run._epoch

        def stop_after(epochs: int) -> None:
            count = iter(range(epochs))

            def epoch(run: object, number: int) -> object:
                if next(count, None) is None:
                    raise KeyboardInterrupt
                return real(run, number)  # type: ignore[arg-type]

            monkeypatch.setattr(fit._Run, "_epoch", epoch)

        return stop_after

    def test_without_a_state_nothing_is_written(
        self, call: Call, bert: str, stopped_after: Callable[[int], None]
    ) -> None:
        stopped_after(1)
        code, out, err = call("train", "suisei", "ratings.csv", "--encoder", bert, "-o", "model", *QUICK)
        assert (code, out) == (130, "")
        assert "interrupted; nothing was written" in err
        assert not Path("model").exists()

    def test_a_state_goes_on_to_the_same_weights(
        self, call: Call, bert: str, stopped_after: Callable[[int], None]
    ) -> None:
        given = ("train", "suisei", "ratings.csv", "--encoder", bert, *QUICK)
        assert call(*given, "-o", "whole")[0] == 0
        stopped_after(3)
        code, _, err = call(*given, "-o", "model", "--state", "state")
        assert code == 130
        assert "the same command goes on from state" in err
        assert not Path("model").exists()
        stopped_after(1)  # of four epochs one is left
        code, _, err = call(*given, "-o", "model", "--state", "state")
        assert (code, err) == (0, "")
        assert read_card("model").fingerprint == read_card("whole").fingerprint

    def test_an_ablation_goes_on_too(self, call: Call, bert: str, stopped_after: Callable[[int], None]) -> None:
        given = (
            "train",
            "suisei",
            "ratings.csv",
            "--encoder",
            bert,
            "--ablate",
            "-m",
            "rouge_l",
            "-o",
            "table",
            *QUICK,
        )
        stopped_after(3)
        code, _, err = call(*given, "--bootstrap", "0")
        assert code == 130
        assert "the same command goes on from table" in err
        stopped_after(100)
        assert call(*given, "--bootstrap", "0")[0] == 0
        assert not Path("table/.states").exists()


def test_an_ablation_leaves_tables_models_and_curves(call: Call, bert: str) -> None:
    options = ("--ablate", "-m", "rouge_l", "--bootstrap", "40", "--held-out", "0.3", "--curves", "all.svg")
    given = ("train", "suisei", "ratings.csv", "--encoder", bert, "-o", "table", *options, *QUICK)
    code, out, err = call(*given)
    assert (code, err) == (0, "")
    assert out.startswith("trained on ratings.csv: 80 captions of 40 pictures")
    names = {path.name for path in Path("table").iterdir()}
    assert {
        "table.md",
        "table.tex",
        "table.json",
        "table.csv",
        "table.txt",
        "comet",
        "suisei-i-no-image",
        "blend",
    } <= names
    assert Path("table/set/curves.png").is_file()
    assert Path("table/table.txt").read_text() == out
    assert "comet 0" in Path("all.svg").read_text()
    code, again, _ = call(*given, "--only-cards")
    assert (code, again) == (0, out)
    assert not list(Path("table").glob("*/weights.safetensors"))
    assert read_card("table/set").title.startswith("set, 2 members")


def test_only_the_main_process_writes_and_prints(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "1")
    assert call("train", "suisei", "ratings.csv", "-o", "model", *BLEND) == (0, "", "")
    assert not Path("model").exists()


def test_xlm_r_and_clip_are_trained_on_japanese_captions_as_in_the_paper(call: Call, tmp_path: Path) -> None:
    """The real path with tiny models: all layers of XLM-R train, CLIP sees the pictures."""
    text, pictures = tiny_xlm_roberta(tmp_path / "xlm-r"), tiny_clip(tmp_path / "clip")
    write_ratings(Path("shichimi.csv"), 12, images=Path("images"), japanese=True)
    encoders = ("--encoder", text, "--finetune", "-1", "--picture-encoder", f"transformers:{pictures}")
    paper = ("--head", "suisei", "--epochs", "2", "--rate", "3e-5", "--encoder-rate", "3e-5", "--batch", "8")
    options = (*encoders, *paper, "--seeds", "1", "--decay", "0", "--scale", "1", "5", "--device", "cpu", "-q")
    code, out, err = call("train", "suisei", "shichimi.csv", "--images", "images", *options, "-o", "model")
    assert code == 0, err
    assert "model: suisei, 1 member, trained on shichimi.csv" in out
    model = read_model("model", "suisei")
    assert any(name.startswith("encoder.embeddings") for name in model.tensors)
    Path("pred.json").write_text(json.dumps({"shichimi0": "犬が走る", "shichimi1": "猫が眠る"}, ensure_ascii=False))
    code, out, err = call(
        "score", "captions", "pred.json", "-r", "pred.json", "--images", "images", "-m", "suisei(model)", "-f", "json"
    )
    assert code == 0, err
    (found,) = json.loads(out)["metrics"].values()
    assert 0 < found["value"] < 1
    assert "|pictures:clip" in found["signature"]
