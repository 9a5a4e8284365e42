"""CLIPScore, RefCLIPScore and EMScore equal their formulas, written out naively; media that do not fit are refused."""

from __future__ import annotations

from collections import Counter
from math import log
from pathlib import Path

import numpy as np
import pytest

import kataribe
from kataribe.core.errors import InputError, ResourceError, UsageError
from kataribe.core.signature import differences
from kataribe.encoders.clip import open_clip
from kataribe.formats.features import read_features
from tests.encoders.tiny import SENTENCES

pytestmark = pytest.mark.usefixtures("own_cache")
CANDIDATES = {str(i): text for i, text in enumerate(SENTENCES[:4])}
REFERENCES = {str(i): [SENTENCES[i], SENTENCES[i + 3]][i % 2 :] for i in range(4)}
WIDTH = 24


def cosine(one, other) -> float:
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def harmonic(a: float, b: float) -> float:
    return 2 * a * b / (a + b) if a > 0 and b > 0 else 0.0


def text_vectors(clip: str, text: str) -> tuple[list[int], np.ndarray, np.ndarray]:
    """Token ids, projected token vectors and the text's vector, from the model itself, one text at a time."""
    import torch
    from transformers import CLIPModel

    encoder = open_clip(clip)
    ids = encoder.tokenize([text])[0].ids.tolist()
    model = CLIPModel.from_pretrained(clip).eval()
    with torch.inference_mode():
        inputs = torch.tensor([ids])
        tokens = model.text_projection(model.text_model(input_ids=inputs).last_hidden_state)[0].numpy()
        whole = model.get_text_features(input_ids=inputs)
    return ids, tokens, getattr(whole, "pooler_output", whole)[0].numpy()


@pytest.fixture(scope="module")
def frames(clip: str) -> dict[str, np.ndarray]:
    """Random frames that have something in common with their captions."""
    rng = np.random.default_rng(0)
    return {
        id: np.stack([text_vectors(clip, text)[2] + 0.5 * rng.normal(size=WIDTH) for _ in range(2 + int(id))])
        for id, text in CANDIDATES.items()
    }


def evaluate(metric: str, references=REFERENCES, **media):
    return kataribe.evaluate("captions", CANDIDATES, references, [metric], **media)[metric]


def mean_frame(frames: np.ndarray) -> np.ndarray:
    return (frames / np.linalg.norm(frames, axis=1, keepdims=True)).mean(axis=0)


def test_clipscore_is_its_formula_and_needs_no_references(clip: str, frames: dict[str, np.ndarray]) -> None:
    result = evaluate(f"clipscore({clip})", None, features=frames)
    for id, text in CANDIDATES.items():
        vector = text_vectors(clip, f"A photo depicts {text}")[2]
        assert result.items[id].value == pytest.approx(2.5 * max(0, cosine(vector, mean_frame(frames[id]))), abs=1e-5)
    assert result.value == pytest.approx(np.mean(result.item_values))
    assert "|media:features-" in result.signature
    assert "|data:4|" in result.signature


def test_refclipscore_is_the_harmonic_mean_with_the_best_reference(clip: str, frames: dict[str, np.ndarray]) -> None:
    result = evaluate(f"refclipscore({clip})", features=frames)
    for id, text in CANDIDATES.items():
        vector = text_vectors(clip, f"A photo depicts {text}")[2]
        others = [text_vectors(clip, f"A photo depicts {other}")[2] for other in REFERENCES[id]]
        a = 2.5 * max(0, cosine(vector, mean_frame(frames[id])))
        b = max(0, *(cosine(vector, other) for other in [*others, others[0]]))
        assert result.items[id].value == pytest.approx(harmonic(a, b), abs=1e-5)
    worse = evaluate(f"refclipscore({clip})", {id: [SENTENCES[6]] for id in CANDIDATES}, features=frames)
    assert worse.value < result.value, "the references really count"


def naive_emscore(clip: str, text: str, frames: np.ndarray, weights: dict[int, float] | None) -> dict[str, float]:
    ids, tokens, whole = text_vectors(clip, text)
    weigh = [1.0 if weights is None else weights[id] for id in ids]
    best = [max(cosine(token, frame) for frame in frames) for token in tokens]
    precision = float(np.average(best, weights=weigh))
    recall = float(np.mean([max(cosine(token, frame) for token in tokens) for frame in frames]))
    return {
        "fine precision": precision,
        "fine recall": recall,
        "fine f": harmonic(precision, recall),
        "coarse": cosine(whole, mean_frame(frames)),
    }


def naive_idf(clip: str, texts: list[str]) -> dict[int, float]:
    sets = [set(text_vectors(clip, text)[0]) for text in texts]
    counts = Counter(id for ids in sets for id in ids)
    idf = {id: log((len(texts) + 1) / (count + 1)) for id, count in counts.items()}
    every = {id for text in SENTENCES for id in text_vectors(clip, text)[0]}
    idf |= {id: log(len(texts) + 1) for id in every - set(idf)}
    seen = [idf[id] for id in counts]
    return idf | {open_clip(clip).end_id: sum(seen) / (len(seen) + 1)}


@pytest.mark.parametrize("metric", ["emscore(idf=false, model={})", "emscore(model={})", "emscore(movie101, model={})"])
def test_emscore_is_its_formula(clip: str, frames: dict[str, np.ndarray], metric: str) -> None:
    result = evaluate(metric.format(clip), features=frames)
    pooled = [text for texts in REFERENCES.values() for text in texts]
    weights = naive_idf(clip, pooled) if metric == "emscore(model={})" else None
    for id, text in CANDIDATES.items():
        naive = naive_emscore(clip, text, frames[id], weights)
        value = naive["fine f"] if "movie101" in metric else (naive["fine f"] + naive["coarse"]) / 2
        assert result.items[id].value == pytest.approx(value, abs=1e-5)
        for part, found in result.items[id].parts.items():
            assert found == pytest.approx(naive[part], abs=1e-5)


def test_emscore_with_references_takes_the_mean_of_video_and_best_reference(
    clip: str, frames: dict[str, np.ndarray]
) -> None:
    both = evaluate(f"emscore(refs=best, idf=false, model={clip})", features=frames)
    video = evaluate(f"emscore(idf=false, model={clip})", features=frames)
    for id, text in CANDIDATES.items():
        tables = [text_vectors(clip, other)[1] for other in REFERENCES[id]]
        wholes = [text_vectors(clip, other)[2] for other in REFERENCES[id]]
        _, tokens, whole = text_vectors(clip, text)
        recalls = [np.mean([max(cosine(t, o) for t in tokens) for o in others]) for others in tables]
        expected = (video.items[id].parts["fine recall"] + max(recalls)) / 2
        assert both.items[id].parts["fine recall"] == pytest.approx(expected, abs=1e-5)
        coarse = (video.items[id].parts["coarse"] + max(cosine(whole, other) for other in wholes)) / 2
        assert both.items[id].parts["coarse"] == pytest.approx(coarse, abs=1e-5)


def test_vectors_of_texts_may_be_given_too(clip: str, frames: dict[str, np.ndarray], tmp_path: Path) -> None:
    """What the model would have made, made elsewhere, gives the same scores without the model."""
    prefixed = {f"{id}/candidate": text_vectors(clip, f"A photo depicts {text}")[2] for id, text in CANDIDATES.items()}
    for id, texts in REFERENCES.items():
        prefixed |= {f"{id}/reference/{n}": text_vectors(clip, f"A photo depicts {t}")[2] for n, t in enumerate(texts)}
    np.savez(tmp_path / "texts.npz", **prefixed)
    given = evaluate("refclipscore", features=frames, text_features=tmp_path / "texts.npz")
    assert given.value == pytest.approx(evaluate(f"refclipscore({clip})", features=frames).value, abs=1e-6)
    assert "|model:given|" in given.signature
    tokens = {f"{id}/candidate": text_vectors(clip, text)[1] for id, text in CANDIDATES.items()}
    fine = evaluate("emscore(movie101)", None, features=frames, text_features=tokens)
    whole = evaluate(f"emscore(movie101, model={clip})", None, features=frames)
    assert fine.value == pytest.approx(whole.value, abs=1e-5)
    with pytest.raises(UsageError, match="do not tell which tokens they stand for"):
        evaluate("emscore", features=frames, text_features=tokens)


def test_whatever_vectors_a_score_is_measured_against_are_in_its_signature() -> None:
    """Pictures and references are; the candidates' own vectors are what is measured. No order of items counts."""
    rng = np.random.default_rng(3)
    shown = {id: rng.normal(size=(2, WIDTH)) for id in CANDIDATES}
    names = [f"{id}/reference/{n}" for id, texts in REFERENCES.items() for n in range(len(texts))]
    told = {name: rng.normal(size=WIDTH) for name in [*(f"{id}/candidate" for id in CANDIDATES), *names]}

    def measured(shown=shown, told=told, references=REFERENCES):
        return evaluate("refclipscore", references, features=shown, text_features=told)

    first = measured()
    other_reference = measured(told=told | {"1/reference/0": -told["1/reference/0"]})
    assert other_reference.value != first.value
    assert differences(first.signature, other_reference.signature).keys() == {"texts"}
    other_candidate = measured(told=told | {"1/candidate": told["0/candidate"]})
    assert other_candidate.value != first.value
    assert other_candidate.signature == first.signature
    other_picture = measured(shown=shown | {"1": shown["2"]})
    assert differences(first.signature, other_picture.signature).keys() == {"media"}
    turned = dict(reversed(REFERENCES.items()))
    assert measured(references=turned).signature == first.signature


def test_pictures_are_named_by_content_in_whatever_order(clip: str, pictures: Path) -> None:
    first, turned = (
        evaluate(f"clipscore({clip})", references, images=pictures)
        for references in (REFERENCES, dict(reversed(REFERENCES.items())))
    )
    assert first.signature == turned.signature
    one, other = sorted(pictures.iterdir())[:2]
    one.write_bytes(other.read_bytes())
    changed = evaluate(f"clipscore({clip})", REFERENCES, images=pictures)
    assert differences(first.signature, changed.signature).keys() == {"media"}


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    from PIL import Image

    folder = tmp_path / "images"
    folder.mkdir()
    rng = np.random.default_rng(1)
    for id in CANDIDATES:
        Image.fromarray(rng.integers(0, 255, (40, 50, 3), dtype=np.uint8)).save(folder / f"COCO_{int(id):012}.png")
    return folder


def test_pictures_are_found_encoded_and_kept(
    clip: str, pictures: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import torch
    from PIL import Image
    from transformers import CLIPImageProcessorPil, CLIPModel

    metric = f"clipscore({clip}, prefix=)".replace("prefix=", 'prefix=" "')
    result = evaluate(metric, None, images=pictures)
    model, processor = CLIPModel.from_pretrained(clip).eval(), CLIPImageProcessorPil.from_pretrained(clip)
    for id, text in CANDIDATES.items():
        with Image.open(pictures / f"COCO_{int(id):012}.png") as image, torch.inference_mode():
            seen = model.get_image_features(processor(images=[image], return_tensors="pt")["pixel_values"])
        vector = getattr(seen, "pooler_output", seen)[0].numpy()
        expected = 2.5 * max(0, cosine(text_vectors(clip, text)[2], vector))
        assert result.items[id].value == pytest.approx(expected, abs=1e-5)
    monkeypatch.setattr(type(open_clip(clip)), "pixels", lambda *_: pytest.fail("all pictures were seen before"))
    assert evaluate(metric, None, images=pictures).signature == result.signature


def test_a_folder_of_frames_is_a_clip(clip: str, pictures: Path, tmp_path: Path) -> None:
    clips = tmp_path / "clips"
    for id in CANDIDATES:
        (clips / id).mkdir(parents=True)
        for number, file in enumerate(sorted(pictures.iterdir())):
            (clips / id / f"{number:03}.png").write_bytes(file.read_bytes())
    result = evaluate(f"emscore(idf=false, model={clip})", images=clips)
    assert result.item_parts["fine recall"].std() > 0
    assert result.value == evaluate(f"emscore(idf=false, model={clip})", images=clips).value


@pytest.mark.parametrize("kind", ["npz", "safetensors", "h5"])
def test_features_read_from_every_kind_of_file(
    clip: str, frames: dict[str, np.ndarray], tmp_path: Path, kind: str
) -> None:
    file = tmp_path / f"features.{kind}"
    plain = {id: values.astype(np.float32) for id, values in frames.items()}
    if kind == "npz":
        np.savez_compressed(file, **plain)
    elif kind == "safetensors":
        pytest.importorskip("safetensors.numpy").save_file(plain, file)
    else:
        with pytest.importorskip("h5py").File(file, "w") as opened:
            for id, values in plain.items():
                opened[id] = values
    from_file, from_memory = (evaluate(f"clipscore({clip})", None, features=source) for source in (file, plain))
    assert from_file.item_values.tolist() == from_memory.item_values.tolist()
    assert from_file.signature == from_memory.signature


def broken(frames: dict[str, np.ndarray], **changes) -> dict[str, np.ndarray]:
    return {**frames, **changes}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"2": np.full(WIDTH, np.nan)}, "id '2': holds a number that is not finite"),
        ({"2": np.ones(WIDTH + 1)}, "id '2': is 25 wide, others are 24"),
        ({"2": np.ones((2, 2, WIDTH))}, r"id '2': is a float64 array of shape \(2, 2, 24\)"),
        ({"2": np.array(["a"])}, "id '2': is a <U1 array"),
        ({id: np.ones(8) for id in CANDIDATES}, "what is shown are 8 wide, those of the texts .tiny-clip. 24"),
    ],
)
def test_bad_features_are_named(clip: str, frames: dict[str, np.ndarray], changes: dict, says: str) -> None:
    with pytest.raises(InputError, match=says):
        evaluate(f"clipscore({clip})", None, features=broken(frames, **changes))


def test_vectors_of_zeros_are_said(frames: dict[str, np.ndarray]) -> None:
    shown = broken(frames, **{"2": np.zeros(WIDTH)})
    told = {f"{id}/candidate": np.ones(WIDTH) * (id != "1") for id in CANDIDATES}
    result = kataribe.evaluate("captions", CANDIDATES, None, ["clipscore"], features=shown, text_features=told)
    assert result.warnings == ("features that are all zeros, to which nothing is similar: '2', '1/candidate'",)
    assert result["clipscore"].items["2"].value == 0


def test_features_of_a_type_that_numpy_lacks_are_named(frames: dict[str, np.ndarray], tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    save = pytest.importorskip("safetensors.torch").save_file
    save({id: torch.tensor(values).bfloat16() for id, values in frames.items()}, tmp_path / "half.safetensors")
    with pytest.raises(InputError, match=r"half\.safetensors: id '0': cannot be read .* - save it as float32"):
        read_features(tmp_path / "half.safetensors")["0"]


def test_npz_that_is_no_archive_is_named(tmp_path: Path) -> None:
    (tmp_path / "text.npz").write_text("no arrays")
    with pytest.raises(InputError, match=r"text\.npz: is not a \.npz file \(it is no archive of arrays\)"):
        read_features(tmp_path / "text.npz")


def test_missing_media_are_named(clip: str, frames: dict[str, np.ndarray], pictures: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no features for 1 items: '3'"):
        evaluate(f"clipscore({clip})", None, features={id: frames[id] for id in "012"})
    next(iter(sorted(pictures.iterdir()))).unlink()
    with pytest.raises(InputError, match="images: has no picture for 1 of 4 items: '0' - name each file"):
        evaluate(f"clipscore({clip})", None, images=pictures)
    with pytest.raises(UsageError, match="nothing says what that is - give images=FOLDER or features=FILE"):
        evaluate(f"clipscore({clip})", None)
    with pytest.raises(UsageError, match="give one of them"):
        evaluate(f"clipscore({clip})", None, images=pictures, features=frames)
    with pytest.raises(InputError, match="there is no such folder"):
        evaluate(f"clipscore({clip})", None, images=tmp_path / "nowhere")


def test_picture_that_does_not_open_is_named(clip: str, pictures: Path) -> None:
    file = sorted(pictures.iterdir())[2]
    file.write_bytes(file.read_bytes()[:300])
    with pytest.raises(InputError, match=r"000000000002\.png: does not open as a picture"):
        evaluate(f"clipscore({clip})", None, images=pictures)


def test_two_pictures_for_one_id_are_refused(clip: str, pictures: Path) -> None:
    first = sorted(pictures.iterdir())[0]
    (pictures / "0.jpg").write_bytes(first.read_bytes())
    (pictures / "0.png").write_bytes(first.read_bytes())
    with pytest.raises(InputError, match=r"id '0': has several pictures: '0\.jpg', '0\.png'"):
        evaluate(f"clipscore({clip})", None, images=pictures)


def test_text_model_is_refused_where_pictures_are_needed(bert: str, frames: dict[str, np.ndarray]) -> None:
    with pytest.raises(ResourceError, match="tiny-bert is a bert model, which knows no pictures"):
        evaluate(f"clipscore({bert})", None, features=frames)


def test_metrics_that_compare_with_references_ask_for_them() -> None:
    with pytest.raises(UsageError, match="rouge_l compares captions with references, and there are none"):
        evaluate("rouge_l", None)
