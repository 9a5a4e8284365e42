"""Finding words: whole names of the cast, and nobody who is not in it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from kataribe.core.types import Segment  # noqa: E402
from kataribe.narration.narrators.examples import Reader, as_batch  # noqa: E402
from kataribe.narration.narrators.network import NarratorNetwork, Sizes  # noqa: E402
from kataribe.narration.narrators.options import NarratorOptions, SearchOptions  # noqa: E402
from kataribe.narration.narrators.search import search  # noqa: E402
from kataribe.narration.narrators.vocabulary import BEGIN, END, Vocabulary  # noqa: E402
from tests.narration.narrators.made import FACE, FRAME, made_film  # noqa: E402

LONG = "阿不都热依木江托合提吾守尔"
WORDS = Vocabulary.of(["跑开了。", "弹起吉他。"])


def network(**options: object) -> NarratorNetwork:
    torch.manual_seed(3)
    chosen = NarratorOptions(**{"width": 8, "heads": 2, "layers": 1, "genres": False, **options})
    return NarratorNetwork(chosen, Sizes(FRAME, FACE, WORDS.size, 0)).eval()


def film(roles: int, seed: int = 0) -> object:
    rng = np.random.default_rng(seed)
    names = [LONG, *(f"角{number}" for number in range(1, roles))][:roles]
    return made_film(
        "f", names, rng.normal(size=(roles, FACE)), rng.normal(size=(6, FRAME)), rng.normal(size=(6, FACE))
    )


def batch_of(net: NarratorNetwork, *films: object) -> object:
    reader = Reader(net.options, WORDS, (), FACE)
    nothing = reader.context(films[0], Segment(0, 6), [])
    return as_batch([reader.shown(each, Segment(0, 6), nothing) for each in films])


def log_probability(net: NarratorNetwork, batch: object, tokens: list[int]) -> float:
    text = torch.tensor([[BEGIN, *tokens, END]])
    with torch.no_grad():
        return float(net(batch._replace(text=text)).gather(2, text[:, 1:, None]).sum())


def always_names(net: NarratorNetwork) -> NarratorNetwork:
    """Every token is a role."""
    with torch.no_grad():
        net.pointer.gate.bias.fill_(50.0)
    return net


@pytest.mark.parametrize("beam", [1, 3])
def test_roles_that_only_fill_a_batch_are_never_chosen(beam: int) -> None:
    net = always_names(network())
    batch = batch_of(net, film(2), film(30))
    few, many = search(net, batch, SearchOptions(beam=beam, longest=5))
    assert {token - WORDS.size for token in few} <= {0, 1}
    assert {token - WORDS.size for token in many} <= set(range(30))


def test_a_name_of_13_characters_is_told_whole() -> None:
    net = always_names(network())
    (tokens,) = search(net, batch_of(net, film(1)), SearchOptions(longest=2))
    assert WORDS.decode(tokens, [LONG]) == LONG * 2


@pytest.mark.parametrize("model", ["vt", "ovp", "rmn"])
@pytest.mark.parametrize("beam", [1, 2])
def test_a_film_without_a_cast_is_told_in_words(model: str, beam: int) -> None:
    net = network(model=model)
    (tokens,) = search(net, batch_of(net, film(0)), SearchOptions(beam=beam, longest=6))
    assert all(END < token < WORDS.size for token in tokens)


@pytest.mark.parametrize("model", ["vt", "ovp", "rmn"])
def test_a_text_does_not_depend_on_what_else_is_told(model: str) -> None:
    net = network(model=model)
    films = [film(3, seed) for seed in range(3)]
    together = search(net, batch_of(net, *films), SearchOptions(longest=8))
    assert together == [search(net, batch_of(net, each), SearchOptions(longest=8))[0] for each in films]


def test_a_wide_beam_finds_the_most_probable_text() -> None:
    net = network()
    batch = batch_of(net, film(2))
    sure = SearchOptions(beam=1, longest=3, length_penalty=0.0)
    greedy = search(net, batch, sure)[0]
    wide = search(net, batch, replace(sure, beam=60))[0]
    assert log_probability(net, batch, wide) >= log_probability(net, batch, greedy) - 1e-5


@pytest.mark.parametrize("model", ["vt", "ovp", "rmn"])
def test_training_and_telling_compute_the_same(model: str) -> None:
    """Texts of different lengths in one batch, all tokens given, beside one token after the other."""
    net = network(model=model)
    batch = batch_of(net, film(2), film(3, 1))
    role = [WORDS.size] if model == "rmn" else [7]
    text = torch.tensor([[BEGIN, 5, END, 0, 0], [BEGIN, 6, *role, 5, END]])
    with torch.no_grad():
        given = net(batch._replace(text=text))
        seen = net.see(batch)
        progress = net.start(seen)
        for position in range(4):
            logs, progress = net.step(seen, progress, text[:, position])
            rows = slice(1, 2) if position > 1 else slice(0, 2)  # the first text has ended
            torch.testing.assert_close(logs[rows].exp(), given[rows, position].exp(), atol=1e-5, rtol=1e-4)
