"""Every head beside a naive version of its equations, and what no score may depend on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from kataribe.captions.suisei.heads import HEADS, Texts
from kataribe.captions.suisei.options import ModelOptions, Widths
from tests.captions.suisei.naive import Naive, Text

WIDTHS = Widths(text=6, picture=5)
COMBINE = ("max", "mean", "concat", "set")
TOLERANCE = 1e-12


def random_head(options: ModelOptions, widths: Widths, seed: int = 0) -> Any:
    """All its weights are random: none is 0 as at the start of training."""
    torch.manual_seed(seed)
    head = HEADS[options.head](options, widths).double().eval()
    with torch.no_grad():
        for parameter in head.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.2)
    return head


def naive_of(head: Any) -> Naive:
    options = head.options
    weights = {name: tensor.numpy() for name, tensor in head.state_dict().items()}
    return Naive(options.head, options.combined_by, weights, options.uses_references, options.most_references)


def random_text(rng: np.random.Generator, options: ModelOptions, widths: Widths) -> Text:
    return Text(
        rng.normal(size=widths.text),
        rng.normal(size=widths.text) if options.uses_idf else None,
        rng.normal(size=(widths.layers, widths.text)) if widths.layers else None,
        rng.normal(size=widths.shared) if widths.shared else None,
    )


def stacked(texts: Sequence[Text]) -> Texts:
    columns = [[getattr(text, name) for text in texts] for name in Texts._fields]
    return Texts(*(None if column[0] is None else torch.from_numpy(np.stack(column)) for column in columns))


def run(head: Any, candidates: list[Text], references: list[list[Text]], pictures: list[Any]) -> np.ndarray:
    """As a batch in which lists of references are filled up with nonsense."""
    most = max(1, *map(len, references))
    nonsense = Text(*(None if part is None else part * 0 + 1e3 for part in vars(candidates[0]).values()))
    filled = [[*found, *[nonsense] * (most - len(found))] for found in references]
    table = stacked([text for found in filled for text in found])
    is_reference = torch.tensor([[place < len(found) for place in range(most)] for found in references])
    shaped = Texts(*(None if c is None else c.reshape(len(candidates), most, *c.shape[1:]) for c in table))
    seen = None if pictures[0] is None else torch.from_numpy(np.stack(pictures))
    with torch.inference_mode():
        found: np.ndarray = head(stacked(candidates), shaped, is_reference, seen).numpy()
    return found


def cases() -> list[tuple[ModelOptions, Widths]]:
    found = []
    for image in (True, False):
        for combine in COMBINE:
            for head in ("suisei", "set", "residual"):
                for without in ((), ("idf",)):
                    model = ModelOptions(head=head, combine=combine, without=without, hidden=7, most_references=4)
                    found.append((model, Widths(6, 5 * image)))
            for shared in (0, 4):
                model = ModelOptions(head="polos", combine=combine, hidden=7, most_references=4)
                found.append((model, Widths(6, 5 * image, shared * image)))
            for layers in (0, 3):
                model = ModelOptions(head="comet", combine=combine, hidden=7, most_references=4)
                found.append((model, Widths(6, 0, 0, layers)))
    for head in ("suisei", "polos", "set", "residual"):
        found.append((ModelOptions(head=head, without=("references",), hidden=7), Widths(6, 5)))
    return found


def name_of(case: Any) -> str:
    if isinstance(case, ModelOptions):
        return "-".join([case.head, case.combined_by, *(f"no {part}" for part in case.without)])
    return "-".join(f"{name}{width}" for name, width in case._asdict().items() if width)


@pytest.mark.parametrize(("options", "widths"), cases(), ids=name_of)
def test_head_is_its_equation(options: ModelOptions, widths: Widths) -> None:
    rng = np.random.default_rng(1)
    head = random_head(options, widths)
    naive = naive_of(head)
    candidates = [random_text(rng, options, widths) for _ in range(5)]
    references = [[random_text(rng, options, widths) for _ in range(count)] for count in (1, 3, 4, 2, 1)]
    pictures = [rng.normal(size=widths.picture) if widths.picture else None for _ in candidates]
    scores = run(head, candidates, references, pictures)
    expected = [naive.score(*case) for case in zip(candidates, references, pictures, strict=True)]
    np.testing.assert_allclose(scores, expected, atol=TOLERANCE)
    assert np.ptp(expected) > 1e-3, "the heads tell captions apart"


def test_concatenated_features_are_those_of_equation_4() -> None:
    """h = RUSE of all references and the picture, the candidate, the references; the same of h' beside it."""
    options = ModelOptions(head="suisei", combine="concat", most_references=3)
    rng = np.random.default_rng(2)
    head = random_head(options, WIDTHS)
    c, *r = (random_text(rng, options, WIDTHS) for _ in range(4))
    v = rng.normal(size=5)
    seen: list[torch.Tensor] = []
    hook = head.ffn.register_forward_pre_hook(lambda module, inputs: seen.append(torch.cat(inputs[:2], dim=-1)))
    run(head, [c], [r], [v])
    hook.remove()
    image = head.see.weight.detach().numpy() @ v + head.see.bias.detach().numpy()
    expected = []
    for h, references in ((c.plain, [text.plain for text in r]), (c.weighted, [text.weighted for text in r])):
        assert h is not None
        expected += [h * reference for reference in references] + [abs(h - reference) for reference in references]
        expected += [h * image, abs(h - image), h, *references]
    np.testing.assert_allclose(np.sort(seen[0][0].numpy()), np.sort(np.concatenate(expected)), atol=TOLERANCE)


def test_a_missing_reference_is_zeros_in_concatenated_features() -> None:
    options = ModelOptions(head="suisei", combine="concat", most_references=3)
    rng = np.random.default_rng(2)
    head = random_head(options, WIDTHS)
    seen: list[torch.Tensor] = []
    head.ffn.register_forward_pre_hook(lambda module, inputs: seen.append(torch.cat(inputs[:2], dim=-1)))
    run(head, [random_text(rng, options, WIDTHS)], [[random_text(rng, options, WIDTHS)]], [rng.normal(size=5)])
    of_one = 6 * WIDTHS.text
    assert not seen[0][0, of_one : 3 * of_one].any()
    assert seen[0][0, 3 * of_one :].all()


HEAD_AND_WAY = st.sampled_from(
    [(head, combine) for head in ("suisei", "comet", "polos", "set", "residual") for combine in COMBINE]
)


@given(way=HEAD_AND_WAY, counts=st.lists(st.integers(1, 4), min_size=2, max_size=6), data=st.data())
def test_order_size_and_company_of_a_batch_change_no_score(way: Any, counts: list[int], data: st.DataObject) -> None:
    head, candidates, references, pictures = random_case(way, counts)
    whole = run(head, candidates, references, pictures)
    order = data.draw(st.permutations(range(len(counts))))
    some = order[: data.draw(st.integers(1, len(counts)))]
    scores = run(head, [candidates[n] for n in some], [references[n] for n in some], [pictures[n] for n in some])
    np.testing.assert_allclose(scores, whole[some], atol=TOLERANCE)
    assert ((whole > 0) & (whole < 1)).all()


@given(
    way=HEAD_AND_WAY.filter(lambda way: way[1] != "concat"),
    counts=st.lists(st.integers(1, 4), min_size=1, max_size=4),
    data=st.data(),
)
def test_order_of_references_changes_no_score(way: Any, counts: list[int], data: st.DataObject) -> None:
    head, candidates, references, pictures = random_case(way, counts)
    shuffled = [data.draw(st.permutations(found)) for found in references]
    scores = run(head, candidates, references, pictures)
    np.testing.assert_allclose(run(head, candidates, shuffled, pictures), scores, atol=TOLERANCE)


def random_case(way: tuple[str, str], counts: list[int]) -> tuple[Any, list[Text], list[list[Text]], list[Any]]:
    rng = np.random.default_rng(len(counts))
    options = ModelOptions(head=way[0], combine=way[1], hidden=7, most_references=4)  # type: ignore[arg-type]
    widths = Widths(6) if way[0] == "comet" else WIDTHS
    candidates = [random_text(rng, options, widths) for _ in counts]
    references = [[random_text(rng, options, widths) for _ in range(count)] for count in counts]
    pictures = [rng.normal(size=5) if widths.picture else None for _ in counts]
    return random_head(options, widths), candidates, references, pictures


@pytest.mark.parametrize("combine", COMBINE)
def test_residual_is_the_cosine_before_it_is_trained(combine: Any) -> None:
    options = ModelOptions(head="residual", combine=combine)
    rng = np.random.default_rng(4)
    head = HEADS["residual"](options, Widths(6)).double().eval()
    candidates = [random_text(rng, options, Widths(6)) for _ in range(30)]
    references = [[random_text(rng, options, Widths(6))] for _ in candidates]
    scores = run(head, candidates, references, [None] * len(candidates))
    pairs = [(c.plain, r.plain) for c, (r,) in zip(candidates, references, strict=True)]
    cosines = np.array([c @ r / np.linalg.norm(c) / np.linalg.norm(r) for c, r in pairs])
    np.testing.assert_allclose(scores, 1 / (1 + np.exp(4 - 8 * cosines)), atol=1e-7)


def test_switched_off_units_are_the_same_for_every_caption() -> None:
    options = ModelOptions(head="suisei", dropout=0.5, hidden=8)
    rng = np.random.default_rng(5)
    head = random_head(options, WIDTHS)
    kept = torch.tensor([1.0, 0, 1, 1, 0, 0, 1, 0], dtype=torch.float64)
    features = torch.from_numpy(rng.normal(size=(3, head.ffn[0].in_features)))
    hidden = torch.tanh(head.ffn[0](features)) * kept * 2
    expected = head.ffn[3](hidden)[:, 0]
    torch.testing.assert_close(head.ffn(features[:, :9], features[:, 9:], kept), expected)
