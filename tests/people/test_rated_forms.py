"""The rating files that people have: Polaris, Nebula, Flickr8k, Composite, pairs; and examples to learn from."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kataribe.core.errors import InputError, KataribeError, Location, UsageError
from kataribe.people.agreement import agree
from kataribe.people.cells import listed_texts
from kataribe.people.options import AgreementOptions
from kataribe.people.rated import RatedCaptions, read_rated
from kataribe.people.ratings import Rating, Ratings, Vote
from kataribe.people.result import Text
from kataribe.people.scores import Scores

DOG, CAT = Text("dog.jpg", "dog.jpg#1"), Text("dog.jpg", "dog.jpg#2")


def write(folder: Path, name: str, content: Any) -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def values(rated: RatedCaptions, text: Text) -> list[float]:
    return sorted(row.value for row in rated.ratings.rows if isinstance(row, Rating) and row.system == text.system)


PICTURED = {
    "polaris.csv": "refs,cand,img,human_score\n"
    '"[\'a dog runs\', ""it\'s one dog""]",a dog,dog.jpg,0.75\n'
    '"[""a dog runs"", ""it\'s one dog""]",a cat,dog.jpg,0.25\n',
    "nebula_hub.jsonl": "".join(
        json.dumps({"file_name": "dog.jpg", "mt": mt, "refs": ["a dog runs", "it's one dog"], "human_score": score})
        + "\n"
        for mt, score in (("a dog", 0.75), ("a cat", 0.25))
    ),
    "own.tsv": "item\timage\tcaption\treference_1\treference_2\trating\n"
    "dog.jpg\tdog.jpg\ta dog\ta dog runs\tit's one dog\t0.75\n"
    "dog.jpg\tdog.jpg\ta cat\ta dog runs\tit's one dog\t0.25\n",
    "bars.csv": "image,candidate,references,rating\ndog.jpg,a dog,a dog runs|it's one dog,0.75\n"
    "dog.jpg,a cat,a dog runs | it's one dog,0.25\n",
    "numbered.json": [
        {"img": "dog.jpg", "cand": mt, "reference_1": "a dog runs", "reference_2": "it's one dog", "rating_1": score}
        for mt, score in (("a dog", 0.75), ("a cat", 0.25))
    ],
}


@pytest.mark.parametrize("name", PICTURED)
def test_every_form_names_pictures(tmp_path: Path, name: str) -> None:
    rated = read_rated(write(tmp_path, name, PICTURED[name]))
    assert rated.captions == {DOG: "a dog", CAT: "a cat"}
    assert rated.references == {text: ["a dog runs", "it's one dog"] for text in (DOG, CAT)}
    assert rated.pictures == {DOG: "dog.jpg", CAT: "dog.jpg"}
    assert (values(rated, DOG), values(rated, CAT)) == ([0.75], [0.25])
    assert rated.warnings == []


def test_a_table_as_polos_publishes_it_has_one_row_for_each_judgement(tmp_path: Path) -> None:
    table = "imgid,mt,refs,score\n" + "".join(f"ab12,a dog,\"['dogs', 'one dog']\",{score}\n" for score in (0.5, 1.0))
    rated = read_rated(write(tmp_path, "polaris_test.csv", table))
    assert rated.pictures == {Text("ab12", "ab12#1"): "ab12"}
    assert values(rated, Text("ab12", "ab12#1")) == [0.5, 1.0]


def test_a_row_for_each_rater_says_who_it_was(tmp_path: Path) -> None:
    lines = [("花子", 4), ("太郎", 5)]
    content = "".join(
        json.dumps({"image": "犬.jpg", "candidate": "犬が走る", "references": ["走る犬"], "rating": v, "rater": who})
        + "\n"
        for who, v in lines
    )
    rated = read_rated(write(tmp_path, "shichimi.jsonl", content))
    assert [(row.rater, row[4]) for row in rated.ratings.rows] == lines
    table = "image,candidate,references,rating,rater\n犬.jpg,犬が走る,走る犬,4,花子\n犬.jpg,犬が走る,走る犬,5,太郎\n"
    assert read_rated(write(tmp_path, "shichimi.csv", table)).ratings == rated.ratings
    with pytest.raises(InputError, match="rates '犬が走る' in two lines"):
        read_rated(write(tmp_path, "twice.csv", table + "犬.jpg,犬が走る,走る犬,3,太郎\n"))


def test_what_people_said_counts_before_what_a_metric_scored(tmp_path: Path) -> None:
    path = write(tmp_path, "d.json", [{"id": 1, "mt": "a", "refs": ["b"], "score": 99, "human_score": 3}])
    assert values(read_rated(path), Text("1", "1#1")) == [3]


@pytest.mark.parametrize(
    ("cell", "texts"),
    [
        ("['a', 'b']", ["a", "b"]),
        ('["a", "b"]', ["a", "b"]),
        ("['a' 'b'\n \"it's\"]", ["a", "b", "it's"]),
        ("a [brown] dog", ["a [brown] dog"]),
        ("(a dog)", ["(a dog)"]),
        ('[\'__import__("os").system("false")\']', ['__import__("os").system("false")']),
    ],
)
def test_lists_in_cells_are_read_and_never_run(cell: str, texts: list[str]) -> None:
    assert listed_texts(cell, Location("t.csv")) == texts


@pytest.mark.parametrize(
    "cell",
    [
        "[__import__('os').getcwd()]",
        "['a', 1]",
        "['a', ['b']]",
        "[b'a']",
        "[f'{1}']",
        "['a' + 'b']",
        "['a'",
        "[" * 999 + "]",
    ],
)
def test_cells_that_hold_anything_else_are_refused(tmp_path: Path, cell: str) -> None:
    rows = [["refs", "cand", "img", "human_score"], [cell, "a", "b", "1"]]
    text = "\n".join(",".join('"' + value.replace('"', '""') + '"' for value in row) for row in rows)
    if cell == "['a'":  # no list at all: one reference
        assert read_rated(write(tmp_path, "p.csv", text)).references == {Text("b", "b#1"): ["['a'"]}
        return
    with pytest.raises(InputError, match=r"id 'b': references: .* - write \[\"one\", \"two\"\]"):
        read_rated(write(tmp_path, "p.csv", text))


TOKENS = "1_ab.jpg#0\tA dog .\n1_ab.jpg#1\tOne dog runs .\n2_cd.jpg#0 Rain falls .\n2_cd.jpg#1\tIt rains .\n"


@pytest.fixture
def tokens(tmp_path: Path) -> Path:
    path = tmp_path / "Flickr8k.token.txt.gz"
    path.write_bytes(gzip.compress(TOKENS.encode()))
    return path


def test_composite_takes_references_by_picture(tmp_path: Path, tokens: Path) -> None:
    lines = [
        {"id": "0", "image": "flickr8k_1_ab", "caption": "one dog runs .", "human": 5},
        {"id": "1", "image": "flickr8k_1_ab", "caption": "a cat", "human": 1},
        {"id": "2", "image": "flickr8k_2_cd", "caption": "rain", "human": 3},
    ]
    path = write(tmp_path, "composite.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    rated = read_rated(path, references=tokens)
    assert list(rated.references.values()) == [
        ["A dog ."],
        ["A dog .", "One dog runs ."],
        ["Rain falls .", "It rains ."],
    ]
    assert rated.warnings == ["1 captions are among their own references, and left out there"]
    assert rated.examples((1, 5)).groups == ["flickr8k_1_ab", "flickr8k_1_ab", "flickr8k_2_cd"]
    # Any file of references will do.
    other = write(
        tmp_path, "refs.json", {"1_ab": ["A dog .", "One dog runs ."], "2_cd.jpg": ["Rain falls .", "It rains ."]}
    )
    assert read_rated(path, references=other).references == rated.references


def test_experts_and_crowds_rate_captions_by_name(tmp_path: Path, tokens: Path) -> None:
    experts = write(tmp_path, "ExpertAnnotations.txt", "1_ab.jpg\t2_cd.jpg#0\t1\t1\t2\n2_cd.jpg\t1_ab.jpg#1\t3\t4\t4\n")
    rated = read_rated(experts, references=tokens)
    first = Text("1_ab.jpg", "1_ab.jpg#1")
    assert rated.captions[first] == "Rain falls ."
    assert rated.references[first] == ["A dog .", "One dog runs ."]
    assert rated.pictures[first] == "1_ab.jpg"
    assert values(rated, first) == [1, 1, 2]
    crowd = write(
        tmp_path,
        "CrowdFlowerAnnotations.txt",
        "1_ab.jpg\t2_cd.jpg#0\t0\t0\t3\n1_ab.jpg\t2_cd.jpg#1\t0.333333333333\t1\t2\n2_cd.jpg\t1_ab.jpg#0\t1\t3\t0\n",
    )
    assert [row[4] for row in read_rated(crowd, references=tokens).ratings.rows] == [0, 0.333333333333, 1]


PAIR = {"image": "p.jpg", "candidate_a": "a dog", "candidate_b": "a cat", "references": ["one dog"]}


@pytest.mark.parametrize(
    "entries",
    [
        [PAIR | {"votes_a": 3, "votes_b": 1}],
        [PAIR | {"votes": ["a", "b", "a", "a"]}],
        [PAIR | {"choice": choice} for choice in "abaa"],
        [PAIR | {"choice": choice, "rater": who} for choice, who in zip("abaa", "wxyz", strict=True)],
        [
            {
                "image": "p.jpg",
                "caption_1": "a dog",
                "caption_2": "a cat",
                "votes_1": 3,
                "votes_2": 1,
                "refs": ["one dog"],
            }
        ],
    ],
)
def test_choices_between_two_captions_are_votes(tmp_path: Path, entries: list[Any]) -> None:
    rated = read_rated(write(tmp_path, "pairs.json", entries))
    dog, cat = Text("p.jpg", "p.jpg#1"), Text("p.jpg", "p.jpg#2")
    assert rated.captions == {dog: "a dog", cat: "a cat"}
    assert rated.ratings.kind == "votes"
    assert len(rated.ratings.raters) == 4
    votes = [row for row in rated.ratings.rows if isinstance(row, Vote)]
    assert sorted(vote.choice for vote in votes) == ["a", "a", "a", "b"]
    examples = rated.examples()
    assert (examples.ratings.tolist(), examples.raters) == ([0.75, 0.25], [4, 4])
    assert (examples.lowest, examples.highest, examples.warnings) == (0.0, 1.0, ())


def test_agreement_reads_pairs_by_category(tmp_path: Path) -> None:
    """The metric prefers the longer caption: right in one category, wrong in the other."""
    table = "image,candidate_a,candidate_b,references,votes_a,votes_b,category\n" + "".join(
        f"{n}.jpg,a dog runs {n},dog {n},one dog,{a},{4 - a},{category}\n"
        for n, (a, category) in enumerate([(4, "HC"), (3, "HC"), (0, "HM"), (1, "HM")])
    )
    rated = read_rated(write(tmp_path, "pascal.csv", table))
    texts = list(rated.captions)
    scores = Scores(texts, {"length": np.array([float(len(rated.captions[text])) for text in texts])})
    found = agree(scores, rated.ratings, options=AgreementOptions(bootstrap=0)).dimensions
    assert {name: each.metrics["length"].values["accuracy"] for name, each in found.items()} == {
        "HC": 7 / 8,
        "HM": 1 / 8,
    }


def test_the_scale_is_given_or_guessed_and_said(tmp_path: Path) -> None:
    rated = read_rated(write(tmp_path, "own.csv", "item,caption,reference,rating\n1,a,b,2\n2,c,d,4\n"))
    given = rated.examples((1, 5))
    assert (given.lowest, given.highest, given.targets.tolist(), given.warnings) == (1, 5, [0.25, 0.75], ())
    guessed = rated.examples()
    assert (guessed.lowest, guessed.highest, guessed.targets.tolist()) == (2, 4, [0, 1])
    assert [caution.id for caution in guessed.warnings] == ["guessed-scale"]
    assert "2 to 4" in guessed.warnings[0]


def test_examples_have_a_row_for_each_rated_text(tmp_path: Path) -> None:
    table = "item,image,caption,reference,rating_1,rating_2\n1,x.jpg,a,b,2,5\n1,x.jpg,c,b,,\n2,,d,e,,1\n"
    examples = read_rated(write(tmp_path, "own.csv", table)).examples((1, 5))
    assert examples.ids == ["1#1", "2#1"]
    assert examples.groups == ["1", "2"]
    assert (examples.ratings.tolist(), examples.raters) == ([3.5, 1.0], [2, 1])
    assert examples.pictures == ["x.jpg", None]
    assert [caution.id for caution in examples.warnings] == ["missing-ratings"]
    chosen = examples[np.array([1])]
    assert (chosen.ids, chosen.references, chosen.lowest, chosen.raters) == (["2#1"], [["e"]], 1, [1])


def test_empty_references_are_left_out_and_counted(tmp_path: Path) -> None:
    rated = read_rated(write(tmp_path, "d.json", [{"id": 1, "mt": "a", "refs": ["b", " "], "score": 3}]))
    assert rated.references == {Text("1", "1#1"): ["b"]}
    assert rated.warnings == ["1 reference is empty and left out"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("d.json", [{"id": 1, "mt": "a", "refs": [""], "score": 1}], "id '1': references: holds nothing but empty"),
        ("d.json", [{"id": 1, "mt": "a", "score": 1}], "id '1': has no column for references"),
        (
            "d.json",
            [{"img": {"bytes": 1}, "mt": "a", "refs": ["b"], "score": 1}],
            "entry 1: img is not the name of a file",
        ),
        ("d.csv", "picture_file,cand,refs,human_score\nx,a,b,1\n", "has no field for the item (it has 'picture_file'"),
        ("d.csv", "img,cand,refs,stars\nx,a,b,1\n", "the header (img, cand, refs, stars) has no column for ratings"),
        ("d.json", [PAIR], "entry 1 has two captions and no choice between them"),
        ("d.json", [PAIR | {"choice": "left"}], "entry 1: the choice is 'left' - it is a, b or equal"),
        ("d.json", [PAIR | {"votes_a": -1, "votes_b": 2}], "entry 1, votes_a: is -1 - a number of votes is 0, 1, 2"),
        ("d.json", [PAIR | {"candidate_b": "A  dog", "choice": "a"}], "id 'p.jpg': compares 'a dog' with itself"),
        ("d.json", [PAIR | {"choice": "a", "rater": "w"}] * 2, "id 'p.jpg': rates 'a dog' in two lines"),
        ("d.json", [PAIR | {"choice": None}], "holds no rated captions"),
        ("d.json", [PAIR | {"choice": "a"}, {"id": 1, "mt": "a", "refs": ["b"], "score": 1}], "holds both ratings and"),
    ],
)
def test_mistakes_are_named_in_one_line(tmp_path: Path, name: str, content: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_rated(write(tmp_path, name, content))
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / name))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "references", "message"),
    [
        (
            "x.jpg\t1_ab.jpg#0\t1\t1\t1\n",
            None,
            "names captions and does not hold them - they are in Flickr8k.token.txt: give",
        ),
        ("x.jpg\t1_ab.jpg#0\t1\t1\t1\n", TOKENS, "id 'x.jpg': has no references, and "),
        ("2_cd.jpg\t1_ab.jpg#7\t1\t1\t1\n", TOKENS, "line 1: the caption '1_ab.jpg#7' is not among the references"),
        ("2_cd.jpg\t1_ab.jpg#0\t1\t1\n", TOKENS, "line 1 is not a picture, PICTURE#NUMBER and three numbers"),
        ("2_cd.jpg\t1_ab.jpg#0\t1\tx\t1\n", TOKENS, "line 1 is 'x', not a number"),
        ("2_cd.jpg\t1_ab.jpg#0\t1\t1\t1\n", "no tabs here\n", "line 1 is not PICTURE#NUMBER, a tab and a caption"),
        ("2_cd.jpg\t1_ab.jpg#0\t1\t1\t1\n", "a.jpg#0\tx\na.jpg#0\ty\n", "id 'a.jpg#0': is there twice"),
        ("1_ab.jpg\t1_ab.jpg#0\t1\t1\t1\n", "1_ab.jpg#0\tx\n", "the only reference is the caption, 'x'"),
    ],
)
def test_mistakes_in_annotations_are_named(tmp_path: Path, content: str, references: str | None, message: str) -> None:
    given = write(tmp_path, "tokens.txt", references) if references is not None else None
    with pytest.raises(KataribeError) as caught:
        read_rated(write(tmp_path, "ExpertAnnotations.txt", content), references=given)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_references_in_two_places_are_refused(tmp_path: Path, tokens: Path) -> None:
    path = write(tmp_path, "d.json", [{"imgid": "1_ab", "mt": "a", "refs": ["b"], "score": 1}])
    with pytest.raises(InputError, match="has references of its own, and others were given - leave references out"):
        read_rated(path, references=tokens)


@pytest.mark.parametrize(
    ("ratings", "scale", "message"),
    [
        ((1, 6), (1, 5), "id '2': the rating is 6, outside the scale from 1 to 5"),
        ((3, 3), None, "every text is rated 3, so there is nothing to learn from it"),
        ((1, 3), (5, 1), "scale: 5 to 1 is no scale - give its lowest and its highest end"),
    ],
)
def test_ratings_that_nothing_can_be_learned_from_are_refused(
    ratings: tuple[int, int], scale: tuple[float, float] | None, message: str
) -> None:
    texts = [Text("1", "1#1"), Text("2", "2#1")]
    rows = tuple(Rating("ann", *text, "overall", float(v)) for text, v in zip(texts, ratings, strict=True))
    rated = RatedCaptions(dict.fromkeys(texts, "a"), {text: ["b"] for text in texts}, Ratings("ratings", rows))
    with pytest.raises((InputError, UsageError)) as caught:
        rated.examples(scale)
    assert message in str(caught.value)


@pytest.mark.data
def test_composite_is_read_with_flickr8ks_references(data_folder: Path) -> None:
    rated = read_rated(
        data_folder / "composite" / "composite_flickr8k.jsonl.gz",
        references=data_folder / "flickr8k" / "Flickr8k.token.txt.gz",
    )
    assert len(rated.captions) == len(rated.ratings) == 2991
    assert len({text.item for text in rated.captions}) == 997
    assert {len(texts) for texts in rated.references.values()} <= {4, 5}
    assert rated.warnings == ["998 captions are among their own references, and left out there"]
    examples = rated.examples((1, 5))
    assert (min(examples.targets), max(examples.targets)) == (0, 1)


@pytest.mark.data
def test_the_original_annotations_hold_what_the_json_holds(data_folder: Path, tmp_path: Path) -> None:
    """ExpertAnnotations.txt made from the JSON by looking captions up in the token file."""
    from kataribe.people.flickr8k import read_token_file

    expert = read_rated(data_folder / "human-judgements" / "flickr8k_expert.json")
    tokens = data_folder / "flickr8k" / "Flickr8k.token.txt.gz"
    name_of = {text: name for name, text in read_token_file(tokens).items()}
    lines, known = [], []
    for text, caption in expert.captions.items():
        if caption in name_of:
            known.append(text)
            ratings = "\t".join(f"{value:g}" for value in values(expert, text)) if len(known) < 50 else "1\t2\t3"
            lines.append(f"{text.item}.jpg\t{name_of[caption]}\t{ratings}\n")
    assert len(known) > 5000
    rated = read_rated(write(tmp_path, "ExpertAnnotations.txt", "".join(lines)), references=tokens)
    assert list(rated.captions.values()) == [expert.captions[text] for text in known]
    for text, original in list(zip(rated.captions, known, strict=True))[:49]:
        assert values(rated, text) == values(expert, original)
    same = [rated.references[a] == expert.references[b] for a, b in zip(rated.captions, known, strict=True)]
    assert np.mean(same) > 0.99
