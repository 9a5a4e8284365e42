"""Ratings, rankings and votes survive every form they are written in; every mistake is one line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kataribe.core.errors import InputError, UsageError
from kataribe.people.ratings import CHOICES, Rank, Rating, Ratings, Vote, read_ratings, write_ratings

ENDINGS = (".csv", ".tsv", ".jsonl", ".csv.gz", ".tsv.gz", ".jsonl.gz")

names = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=6)
numbers = st.floats(-1e6, 1e6, allow_subnormal=False)
rating_rows = st.lists(st.builds(Rating, names, names, names, names, numbers), min_size=1, unique_by=lambda r: r[:4])
rank_rows = st.lists(
    st.builds(Rank, names, names, names, names, st.integers(1, 9).map(float)), min_size=1, unique_by=lambda r: r[:4]
)
vote_rows = st.lists(
    st.builds(Vote, names, names, names, names, names, st.sampled_from(CHOICES)).filter(lambda v: v[3] != v[4]),
    min_size=1,
    unique_by=lambda v: (*v[:3], *sorted(v[3:5])),
)
any_ratings = st.one_of(
    rating_rows.map(lambda rows: Ratings("ratings", tuple(rows))),
    rank_rows.map(lambda rows: Ratings("rankings", tuple(rows))),
    vote_rows.map(lambda rows: Ratings("votes", tuple(rows))),
)


@pytest.mark.parametrize("ending", ENDINGS)
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ratings=any_ratings)
def test_what_is_written_is_read_again(tmp_path: Path, ending: str, ratings: Ratings) -> None:
    write_ratings(tmp_path / f"ratings{ending}", ratings)
    assert read_ratings(tmp_path / f"ratings{ending}") == ratings


def test_equal_judgements_give_equal_packed_files(tmp_path: Path) -> None:
    ratings = Ratings("ratings", (Rating("ann", "1", "base", "overall", 0.1),))
    for name in ("one.csv.gz", "two.csv.gz"):
        write_ratings(tmp_path / name, ratings)
    assert (tmp_path / "one.csv.gz").read_bytes() == (tmp_path / "two.csv.gz").read_bytes()


def test_dimension_and_system_may_be_absent_and_other_columns_are_not_read(tmp_path: Path) -> None:
    ratings = read_ratings(write(tmp_path, "r.csv", "item,rater,value,seconds\n7,ann,3,12\n8,ann,4.5,\n"))
    assert ratings.rows == (Rating("ann", "7", "", "overall", 3.0), Rating("ann", "8", "", "overall", 4.5))
    assert (ratings.kind, ratings.systems, ratings.dimensions) == ("ratings", [""], ["overall"])


def test_questions_without_an_answer_are_left_out(tmp_path: Path) -> None:
    assert len(read_ratings(write(tmp_path, "r.csv", "rater,item,value\nann,1,\nann,2,3\n"))) == 1
    lines = '{"rater": "ann", "item": 1, "value": null}\n{"rater": "ann", "item": 2, "value": 3}\n'
    assert len(read_ratings(write(tmp_path, "r.jsonl", lines))) == 1


def test_numbers_and_text_name_the_same_item(tmp_path: Path) -> None:
    lines = '{"rater": 5, "item": 42, "value": 1}\n{"rater": "5", "item": "43", "value": 2}\n'
    ratings = read_ratings(write(tmp_path, "r.jsonl", lines))
    assert (ratings.raters, ratings.items) == (["5"], ["42", "43"])


def test_votes_name_both_systems(tmp_path: Path) -> None:
    votes = read_ratings(
        write(tmp_path, "v.csv", "rater,item,system_a,system_b,choice\nann,1,x,y,A\nann,1,y,z,equal\n")
    )
    assert votes.systems == ["x", "y", "z"]
    assert [vote.choice for vote in votes.rows if isinstance(vote, Vote)] == ["a", "equal"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("r.csv", "", "r.csv: holds no judgements"),
        ("r.csv", "rater,item,value\n", "holds no judgements"),
        ("r.csv", "rater,item,value\nann,1,\n", "holds no judgements"),
        ("r.csv", "rater,item,score\nann,1,2\n", "has none of value, rank, choice and label among its columns"),
        ("r.csv", "rater,item,value,rank\nann,1,2,1\n", "has value and rank among its columns"),
        ("r.csv", "item,value\n1,2\n", "line 2 has no rater (ratings need rater, item, value)"),
        ("r.csv", "rater,item,rank\nann,1,2\n", "line 2 has no system (rankings need rater, item, system, rank)"),
        ("r.csv", "rater,item,value\nann,1,good\n", "line 2: value is 'good', not a number"),
        ("r.csv", "rater,item,value\nann,1,nan\n", "line 2: value is 'nan', not a number"),
        ("r.csv", "rater,item,value\nann,1,inf\n", "line 2: value is 'inf', not a number"),
        ("r.csv", "rater,item,value\n,1,2\n", "line 2: rater is empty"),
        ("r.csv", "rater,item,system,rank\nann,1,x,0\n", "line 2: rank is 0 - 1 is the best rank"),
        (
            "r.csv",
            "rater,item,value\nann,1,2\nbob,1,2\nann,1,3\n",
            "line 4 answers again what line 2 answers (rater 'ann', item '1', dimension 'overall')",
        ),
        (
            "v.csv",
            "rater,item,system_a,system_b,choice\nann,1,x,y,a\nann,1,y,x,b\n",
            "line 3 answers again what line 2 answers",
        ),
        ("v.csv", "rater,item,system_a,system_b,choice\nann,1,x,x,a\n", "line 2 compares 'x' with itself"),
        ("v.csv", "rater,item,system_a,system_b,choice\nann,1,x,y,c\n", "line 2: choice is 'c' - it is a, b or equal"),
        ("r.jsonl", "[1]\n", "line 1 is not an object"),
        ("r.jsonl", '{"rater": "ann", "item": 1, "value": true}\n', "value is True, not a number"),
        ("r.jsonl", '{"rater": null, "item": 1, "value": 1}\n', "line 1: rater: the id is null"),
        (
            "r.jsonl",
            '{"rater": "\\ud83d", "item": 1, "value": 1}\n',
            "line 1, rater: contains half of a surrogate pair",
        ),
        ("r.jsonl", '{"rater": "ann", "item": 1, "value": 1}\n{"item": 2, "value": 1}\n', "line 2 has no rater"),
        ("r.xlsx", "rater", "is neither .csv, .tsv nor .jsonl"),
    ],
)
def test_mistakes_are_named_in_one_line(tmp_path: Path, name: str, content: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_ratings(write(tmp_path, name, content))
    assert message in str(caught.value)
    assert name in str(caught.value)


def test_an_unknown_ending_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"written as .csv, .tsv or .jsonl"):
        write_ratings(tmp_path / "r.xml", Ratings("ratings", (Rating("a", "1", "", "overall", 1.0),)))
    assert not list(tmp_path.iterdir())


def test_a_packed_file_needs_no_gz_name(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_bytes(gzip.compress(b"rater,item,value\nann,1,2\n"))
    assert len(read_ratings(path)) == 1


def write(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def test_several_files_are_joined(tmp_path: Path) -> None:
    one = write(tmp_path, "one.csv", "rater,item,value\nann,1,3\nann,2,4\n")
    other = write(tmp_path, "other.jsonl", '{"rater": "bob", "item": "1", "value": 5}\n')
    joined = read_ratings([one, other])
    assert joined.raters == ["ann", "bob"]
    assert len(joined) == 3


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("rater,item,value\nann,2,5\n", "line 2 answers again what .*one.csv line 2 answers"),
        ("rater,item,dimension,system_a,system_b,choice\nann,1,d,x,y,a\n", "holds votes, .*one.csv holds ratings"),
    ],
)
def test_files_that_cannot_be_joined_are_refused(tmp_path: Path, content: str, says: str) -> None:
    one = write(tmp_path, "one.csv", "rater,item,value\nann,2,3\n")
    other = write(tmp_path, "other.csv", content)
    with pytest.raises(InputError, match=says):
        read_ratings([one, other])


def test_same_file_twice_is_refused(tmp_path: Path) -> None:
    one = write(tmp_path, "one.csv", "rater,item,value\nann,2,3\n")
    with pytest.raises(InputError, match="answers again"):
        read_ratings([one, one])
