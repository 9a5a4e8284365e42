"""Encoders whose upper layers can be trained, and trained encoders that score like any other.

    encoder = trainable("e5")                     a network of torch with the vectors of open_text("e5")
    encoder.freeze_below(2)                       only its two upper layers train
    states = encoder.states(ids, mask)            token states, through which gradients flow
    tensors = encoder.trained_tensors()           just what was trained: for the folder of a model
    with_trained("e5", tensors)                   a text encoder with a fingerprint of its own

Whoever trains puts `encoder.network` into their own module. Parts without a weight that trains stay in evaluation mode
when that module is told to train: no dropout there, and no new statistics of batches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from kataribe.core.errors import UsageError
from kataribe.core.need import need
from kataribe.core.types import Int32s
from kataribe.encoders import loading
from kataribe.encoders.bert import WORDS, Bert, BertEncoder
from kataribe.encoders.clip import ClipEncoder
from kataribe.encoders.pictures import new_pictures, open_pictures
from kataribe.encoders.protocol import PictureEncoder, TextEncoder, TokenizedText
from kataribe.encoders.text import CARRIED, TransformersText, open_text
from kataribe.encoders.vision import NetworkEncoder
from kataribe.media.video import Pixels

# Of the modules of a network, those that lie one above the other; where pictures' networks keep them.
_STACKS = ("_blocks", "blocks", "stages", "features")
# What no vector depends on: classifiers, and the other half of a model of texts and pictures.
_UNUSED_IN_PICTURES = ("_fc.", "text_model.", "text_projection", "logit_")


class _Trainable:
    """What texts and pictures share: which layers train, and the tensors that were trained."""

    def __init__(self, name: str, network: Any, stack: Sequence[Any], is_used: Callable[[str], bool]) -> None:
        self.name = name
        self.layers = len(stack)
        self._inner = network
        self._stack = stack
        self._is_used = is_used
        self.freeze_below(0)

    def freeze_below(self, k: int | Literal["all"]) -> list[str]:
        """Let the upper k layers train, and what lies above them; nothing for 0, embeddings too for "all".

        Returns the names of the parameters that train.
        """
        if k != "all" and not 0 <= k <= self.layers:
            raise UsageError(
                f"{self.name} has {self.layers} layers to train, not {k}", hint=f'give 0 to {self.layers}, or "all"'
            )
        order = [name for name, _ in self._inner.named_parameters()]
        if k == "all":
            chosen = set(order)
        else:
            owners = {id(tensor): name for name, tensor in self._inner.named_parameters()}
            layers = [[owners[id(tensor)] for tensor in layer.parameters()] for layer in self._stack]
            last = max((order.index(name) for names in layers for name in names), default=len(order))
            upper = {name for names in layers[self.layers - k :] for name in names}
            chosen = upper | set(order[last + 1 :]) if k else set()
        for name, parameter in self._inner.named_parameters():
            parameter.requires_grad_(name in chosen and self._is_used(name))
        return [name for name, parameter in self._inner.named_parameters() if parameter.requires_grad]

    def trained_tensors(self) -> dict[str, Any]:
        """The parameters that train and the buffers of their modules (statistics of batches), as tensors of the CPU."""
        parameters = dict(self._inner.named_parameters())
        trains = {name for name, parameter in parameters.items() if parameter.requires_grad}
        modules = {name.rpartition(".")[0] for name in trains}
        return {
            name: tensor.detach().cpu().clone().contiguous()
            for name, tensor in self._inner.state_dict().items()
            if name in trains or (name not in parameters and name.rpartition(".")[0] in modules)
        }

    def load_trained(self, tensors: Mapping[str, Any]) -> None:
        """Go on from tensors that `trained_tensors` gave, of numpy or torch; those that do not fit are refused."""
        loading.replace_tensors(self._inner, self.name, tensors)


class TrainableText(_Trainable):
    """A text encoder to train. `network(ids, mask)` is `states(ids, mask)`."""

    def __init__(
        self, encoder: TransformersText | BertEncoder, network: Any, stack: Sequence[Any], tokenize: Any, pad_id: int
    ) -> None:
        super().__init__(encoder.name, network, stack, lambda name: "pooler" not in name)
        self._torch = need("torch", extra="models", purpose=f"training the encoder {encoder.name!r}")
        self.width = encoder.width
        self.longest = encoder.longest
        self.special_ids = encoder.special_ids
        self.pad_id = pad_id
        self.tokenize: Callable[[Sequence[str]], list[TokenizedText]] = tokenize
        self.network = _module(network, lambda inner, *inputs: _run(inner, *inputs).last_hidden_state)

    def batch(self, tokens: Sequence[Int32s]) -> tuple[Any, Any]:
        """Token ids and mask as tensors, padded: what `states` takes."""
        ids, mask = loading.pad(tokens, self.pad_id)
        return self._torch.from_numpy(ids), self._torch.from_numpy(mask)

    def states(self, ids: Any, mask: Any) -> Any:
        """The states of the last layer: batch x tokens x width. Those of padding mean nothing."""
        return self.network(ids, mask)

    def all_states(self, ids: Any, mask: Any) -> tuple[Any, ...]:
        """The states after every layer, the embeddings first."""
        states: tuple[Any, ...] = _run(self._inner, ids, mask, output_hidden_states=True).hidden_states
        return states

    def sentences(self, ids: Any, mask: Any) -> Any:
        """The vectors that `open_text` gives to whole texts: means over tokens, specials included, of length 1."""
        weights = mask.unsqueeze(-1).float()
        means = (self.states(ids, mask).float() * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1)
        return self._torch.nn.functional.normalize(means, dim=-1)


def _run(network: Any, ids: Any, mask: Any, **options: Any) -> Any:
    return network(input_ids=ids, attention_mask=mask, **options)


class TrainablePictures(_Trainable):
    """A picture encoder to train. `network(pixels)` is `vectors(pixels)`."""

    def __init__(self, encoder: NetworkEncoder | ClipEncoder) -> None:
        stack = _picture_stack(encoder.network)
        super().__init__(encoder.name, encoder.network, stack, lambda name: not name.startswith(_UNUSED_IN_PICTURES))
        self._encoder = encoder
        self.size = encoder.size
        self.network = _module(encoder.network, self._vectors)

    def vectors(self, pixels: Sequence[Pixels] | Any) -> Any:
        """A vector for each picture, which is height x width x 3 in whole numbers from 0 to 255, normalised as the
        encoder does it.

        A tensor or an array of several pictures serves as well as a list of pictures.
        """
        return self.network(pixels)

    def _vectors(self, network: Any, pixels: Sequence[Pixels] | Any) -> Any:
        pictures = pixels.cpu() if hasattr(pixels, "cpu") else pixels
        prepared = self._encoder.prepare([np.asarray(picture, dtype=np.uint8) for picture in pictures])
        return self._encoder.vectors(prepared.to(next(network.parameters()).device), network)


def trainable(model: str) -> TrainableText:
    """The text encoder of a name or folder as a network of torch. Every call loads a network of its own."""
    if model in CARRIED:
        bert = CARRIED[model]()
        network = _bert_of_transformers(bert)
        return TrainableText(BertEncoder(bert), network, network.encoder.layer, bert.tokenize, bert.pad_id)
    encoder = TransformersText(model, None, half=False, leading_space=False)
    encoder.network.to("cpu")  # whoever trains decides where
    stack = _largest_list(encoder.network, encoder.layers)
    return TrainableText(encoder, encoder.network, stack, encoder.tokenize, encoder.pad_id)


def trainable_pictures(name: str) -> TrainablePictures:
    """The picture encoder of a name (see `pictures`) as a network of torch. Every call loads a network of its own."""
    encoder = new_pictures(name)
    if not isinstance(encoder, NetworkEncoder | ClipEncoder):
        raise UsageError(f"the backbone {name!r} has no weights to train", hint="efficientnet-lite0 has, for example")
    encoder.network.to("cpu")  # whoever trains decides where
    return TrainablePictures(encoder)


def with_trained(model: str, tensors: Mapping[str, Any]) -> TextEncoder:
    """The text encoder of a name or folder with trained tensors, of numpy or torch, in the place of its own.

    Its name, signature and key are its own, so that no vector of the untrained one passes for one of it.
    """
    if not tensors:
        return open_text(model)
    if model in CARRIED:
        arrays = {name: np.asarray(tensor) for name, tensor in tensors.items()}
        return BertEncoder(CARRIED[model]().with_tensors(arrays))
    return TransformersText(model, None, half=False, leading_space=False, trained=tensors)


def pictures_with_trained(name: str, tensors: Mapping[str, Any]) -> PictureEncoder:
    """The picture encoder of a name with trained tensors, of numpy or torch, in the place of its own."""
    return new_pictures(name, tensors) if tensors else open_pictures(name)


def _bert_of_transformers(bert: Bert) -> Any:
    """The network of torch that a carried BERT is."""
    transformers = need("transformers", extra="models", purpose=f"training the encoder {bert.name!r}")
    torch = need("torch", extra="models", purpose=f"training the encoder {bert.name!r}")
    words, others = bert.weights()

    positions, types = (len(others[f"embeddings.{part}_embeddings.weight"]) for part in ("position", "token_type"))
    config = transformers.BertConfig(
        vocab_size=bert.pad_id + 1,  # a small table, to be replaced: random numbers for the whole would take seconds
        hidden_size=bert.width,
        num_hidden_layers=bert.layers,
        num_attention_heads=bert.heads,
        intermediate_size=bert.inner,
        max_position_embeddings=positions,
        type_vocab_size=types,
        layer_norm_eps=bert.epsilon,
        pad_token_id=bert.pad_id,
    )
    network = transformers.BertModel(config, add_pooling_layer=False)
    table = torch.from_numpy(np.array(words))
    network.set_input_embeddings(torch.nn.Embedding(*table.shape, padding_idx=bert.pad_id, _weight=table))
    network.config.vocab_size = len(table)
    tensors = {name: torch.from_numpy(others[name]) for name in network.state_dict() if name != WORDS}
    network.load_state_dict(tensors | {WORDS: table})
    return network.eval()


def _module(inner: Any, call: Callable[..., Any]) -> Any:
    """A module of torch around a network; told to train, it leaves frozen parts in evaluation mode."""
    torch = need("torch", extra="models", purpose="training an encoder")

    class PartlyFrozen(torch.nn.Module):  # type: ignore[misc, name-defined] # torch is not known to the checker
        def __init__(self) -> None:
            super().__init__()
            self.inner = inner

        def forward(self, *inputs: Any) -> Any:
            return call(self.inner, *inputs)  # of this module: a copy of it has weights of its own

        def train(self, mode: bool = True) -> Any:
            super().train(mode)
            _rest_frozen_parts(self)
            return self

    return PartlyFrozen().eval()


def _rest_frozen_parts(module: Any) -> None:
    for child in module.children():
        parameters = list(child.parameters())
        if parameters and not any(parameter.requires_grad for parameter in parameters):
            child.eval()
        else:
            _rest_frozen_parts(child)


def _largest_list(network: Any, length: int | None = None) -> Sequence[Any]:
    """The list of modules with most parameters, of this length or at least of two; nothing where there is none."""
    torch = need("torch", extra="models", purpose="training an encoder")
    lists = [module for module in network.modules() if isinstance(module, torch.nn.ModuleList)]
    fitting = [list(found) for found in lists if (len(found) > 1 if length is None else len(found) == length)]
    return max(fitting, key=_count_parameters, default=[])


def _count_parameters(modules: Sequence[Any]) -> int:
    return sum(parameter.numel() for module in modules for parameter in module.parameters())


def _picture_stack(network: Any) -> Sequence[Any]:
    """The blocks of a network for pictures, the lowest first."""
    network = getattr(network, "vision_model", network)
    for name in _STACKS:
        if hasattr(network, name):
            return list(getattr(network, name))
    return _largest_list(network) or [child for child in network.children() if _count_parameters([child])]
