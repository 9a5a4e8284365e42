"""Models of transformers by name or folder: found, checked, fingerprinted. A model that is not there is one line."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from kataribe.core import need as core_need
from kataribe.core.errors import ResourceError, UsageError, shorten
from kataribe.core.types import Int32s, Int64s
from kataribe.encoders.carried import MINILM

DEFAULT, MULTILINGUAL = "minilm", "e5"
_CARRIED_NAMES = {DEFAULT: "all-minilm-l6-v2", MULTILINGUAL: "multilingual-e5-small-q4"}

TUNED = "-tuned"  # behind the name of an encoder that was trained further


def locate(model: str) -> str:
    """What transformers is to load: the default's folder inside its package, a folder, or a name of the hub."""
    if model == DEFAULT:
        return str(MINILM.all_files() / "model")
    path = Path(model).expanduser()
    if path.is_dir():
        return str(path)
    if path.is_absolute() or model.startswith((".", "~")):
        raise ResourceError(f"{shorten(model, 200)}: there is no such folder of a model", hint="check the path")
    return model


def short_name(model: str) -> str:
    """A model's name for signatures: without the folders it lies in, which are nobody's business.

    >>> short_name("minilm"), short_name("org/bert-base")
    ('all-minilm-l6-v2', 'org/bert-base')
    """
    if model in _CARRIED_NAMES:
        return _CARRIED_NAMES[model]
    path = Path(model).expanduser()
    return path.resolve().name if path.is_dir() else model


def load(model: str, what: str, loader: Callable[[Any, str], Any], *, or_else: str, options: Sequence[str] = ()) -> Any:
    """`loader(transformers, source)`, quietly; whatever goes wrong becomes one line with a way out.

    `or_else` is what would do without the hub, and `options` are those that it marks.
    """
    purpose = f"the model {shorten(model)!r}"
    transformers = core_need.need("transformers", extra="models", purpose=purpose)
    core_need.need("torch", extra="models", purpose=purpose)
    source = locate(model)
    try:
        with _quiet(transformers):
            return loader(transformers, source)
    except (OSError, ValueError, KeyError, ImportError, RuntimeError, TypeError) as error:
        if Path(source).is_dir():
            raise ResourceError(
                f"{shorten(model, 200)}: transformers finds no {what} in this folder ({shorten(error, 120)})",
                hint="give a folder that save_pretrained wrote, with its tokenizer",
            ) from None
        offline = os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE")
        reason = "HF_HUB_OFFLINE is set and it is not in the hub's cache" if offline else "the hub did not give it"
        raise ResourceError(
            f"the model {shorten(model)!r} is not here: {reason}",
            hint=f"give the folder of a downloaded model, or {or_else}, which needs no hub",
            options=options,
        ) from None


@contextmanager
def _quiet(transformers: Any) -> Iterator[None]:
    """Standard error belongs to our own progress; loading reports and bars stay away from it."""
    theirs, hub = transformers.utils.logging, logging.getLogger("huggingface_hub")
    level, had_bar, hub_level = theirs.get_verbosity(), theirs.is_progress_bar_enabled(), hub.level
    theirs.set_verbosity_error()
    theirs.disable_progress_bar()
    hub.setLevel(logging.ERROR)  # it reports every retry, and a failure in the end is reported anyway
    try:
        yield
    finally:
        hub.setLevel(hub_level)
        theirs.set_verbosity(level)
        if had_bar:
            theirs.enable_progress_bar()


def from_pretrained(auto_class: Any, source: str, **options: Any) -> Any:
    """A network in evaluation mode; weights that the checkpoint lacks would be random, which is refused.

    Poolers are an exception: many checkpoints have none, and nothing here uses their output.
    """
    network, info = auto_class.from_pretrained(source, output_loading_info=True, **options)
    absent = [name for name in info["missing_keys"] if "pooler" not in name]
    if absent:
        raise ValueError(f"its checkpoint lacks weights, among them {sorted(absent)[0]}")
    return network.eval()


def fingerprint(
    tensors: Iterable[tuple[str, tuple[int, ...], Any]], vocabulary: Mapping[str, int], *, with_pooler: bool = False
) -> str:
    """Eight hexadecimal digits over the weights and the vocabulary, whatever files they came from.

    Weights are given as name, shape and bytes, in the order of their names. Text models make no use of their pooler.
    """
    digest = hashlib.blake2b(digest_size=4)
    for name, shape, content in tensors:
        if with_pooler or "pooler" not in name:  # random where the checkpoint has none
            digest.update(f"{name} {tuple(shape)} ".encode())
            digest.update(content)
    entries = sorted((id, token) for token, id in vocabulary.items())
    digest.update("".join(f"{id} {token}\n" for id, token in entries).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def fingerprint_of(network: Any, tokenizer: Any) -> str:
    """The fingerprint of a network and a tokenizer of transformers."""
    return fingerprint(tensors_of(network), tokenizer.get_vocab())


def tensors_of(network: Any) -> Iterator[tuple[str, tuple[int, ...], Any]]:
    """The weights of a network of torch, as `fingerprint` wants them."""
    byte = import_module("torch").uint8
    for name, tensor in sorted(network.state_dict().items()):
        yield name, tensor.shape, tensor.detach().cpu().contiguous().flatten().view(byte).numpy().data


def replace_tensors(network: Any, name: str, trained: Mapping[str, Any]) -> None:
    """Put trained tensors, of numpy or torch, in the place of those that a network of torch has."""
    torch = import_module("torch")
    own = network.state_dict()
    for tensor_name in sorted(trained):
        shape = tuple(own[tensor_name].shape) if tensor_name in own else None
        check_trained(name, tensor_name, tuple(trained[tensor_name].shape), shape)
    network.load_state_dict({key: torch.as_tensor(tensor) for key, tensor in trained.items()}, strict=False)


def check_trained(name: str, tensor: str, shape: tuple[int, ...], expected: tuple[int, ...] | None) -> None:
    """Refuse a trained tensor for which the encoder has no place."""
    if shape != expected:
        place = f"has {expected} there" if expected is not None else "has no such tensor"
        raise ResourceError(
            f"the trained tensor {shorten(tensor)!r} of shape {shape} does not fit: {name} {place}",
            hint="use the encoder that it was trained on",
        )


def recipe(*texts: str) -> str:
    """Eight hexadecimal digits over what also moves vectors: how the layers are set up, how texts are cut."""
    return hashlib.blake2b("\n".join(texts).encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def recipe_of(network: Any, tokenizer: Any, *others: str) -> str:
    """The recipe of a network and a tokenizer of transformers. It changes with the version of transformers."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    how_to_cut = backend.to_str() if backend is not None else repr(tokenizer)
    return recipe(network.config.to_json_string(), how_to_cut, *others)


def choose_layer(name: str, layer: int | None, layers: int) -> int:
    """The layer asked for, or the last."""
    if layer is not None and not 0 <= layer <= layers:
        raise UsageError(f"{name} has no layer {layer}", hint=f"0 (its embeddings) to {layers}, or leave it out")
    return layers if layer is None else layer


def longest_input(network: Any, tokenizer: Any, source: str) -> int:
    """How many tokens the model takes: the least of what its tokenizer, its positions and its makers say."""
    limits = [tokenizer.model_max_length]
    positions = getattr(network.config, "max_position_embeddings", None)
    if isinstance(positions, int) and positions > 0:
        # RoBERTa and its kin count positions from the padding's number on.
        has_offset = network.config.model_type in ("roberta", "xlm-roberta", "camembert", "xlm-roberta-xl")
        limits.append(positions - (network.config.pad_token_id + 1 if has_offset else 0))
    advice = Path(source) / "sentence_bert_config.json"
    if advice.is_file():
        import json

        limits.append(json.loads(advice.read_text(encoding="utf-8")).get("max_seq_length") or limits[0])
    return int(min(limits))


def pad(batch: Sequence[Int32s], pad_id: int, least: int = 0) -> tuple[Int64s, Int64s]:
    """Token ids of texts, padded to the longest and to at least so many; and a mask with 1 where there is a token.

    >>> ids, mask = pad([np.array([5, 7]), np.array([5])], pad_id=9)
    >>> ids.tolist(), mask.tolist()
    ([[5, 7], [5, 9]], [[1, 1], [1, 0]])
    """
    ids = np.full((len(batch), max(least, *map(len, batch))), pad_id, dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, tokens in enumerate(batch):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
    return ids, mask
