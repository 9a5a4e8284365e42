"""Models of texts and pictures, three families: our vectors are what the model itself gives, one input at a time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kataribe.encoders.clip import ClipEncoder
from kataribe.encoders.encoded import encode_texts
from kataribe.media.pictures import open_picture
from tests.encoders.tiny import SENTENCES, WORDS, tiny_bert

pytest.importorskip("transformers", reason="needs kataribe[models]")
pytestmark = pytest.mark.usefixtures("own_cache")

TOWER = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
VISION = TOWER | {"image_size": 32, "patch_size": 16}


def chinese_clip(folder: Path) -> str:
    import torch
    from transformers import ChineseCLIPConfig, ChineseCLIPImageProcessorPil, ChineseCLIPModel

    tiny_bert(folder)  # its tokenizer; the weights are written over
    text = TOWER | {"vocab_size": len(WORDS) + 5, "max_position_embeddings": 24, "pad_token_id": 0}
    torch.manual_seed(0)
    config = ChineseCLIPConfig(text_config=text, vision_config=VISION, projection_dim=24)
    ChineseCLIPModel(config).save_pretrained(folder)
    ChineseCLIPImageProcessorPil(
        size={"height": 32, "width": 32}, crop_size={"height": 32, "width": 32}
    ).save_pretrained(folder)
    return str(folder)


def siglip(folder: Path) -> str:
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast, SiglipConfig, SiglipImageProcessorPil, SiglipModel

    vocabulary = {word: place for place, word in enumerate(["<unk>", "</s>", *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="<unk>", eos_token="</s>", pad_token="</s>", model_max_length=16
    ).save_pretrained(folder)
    torch.manual_seed(0)
    text = TOWER | {"vocab_size": len(vocabulary), "max_position_embeddings": 16, "projection_size": 32}
    ids = {"bos_token_id": 1, "eos_token_id": 1, "pad_token_id": 1}
    SiglipModel(SiglipConfig(text_config=text | ids, vision_config=VISION)).save_pretrained(folder)
    SiglipImageProcessorPil(size={"height": 32, "width": 32}).save_pretrained(folder)
    return str(folder)


@pytest.mark.parametrize("make", [None, chinese_clip, siglip], ids=["clip", "chinese_clip", "siglip"])
def test_vectors_equal_those_of_the_model_itself(make, clip: str, tmp_path: Path) -> None:
    import torch
    from PIL import Image
    from transformers import AutoModel, AutoTokenizer

    folder = make(tmp_path / "model") if make else clip
    encoder = ClipEncoder(folder)
    encoded = encode_texts(encoder, SENTENCES, "tokens")
    places = np.arange(len(SENTENCES))
    model, tokenizer = AutoModel.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    padding = {"padding": "max_length", "max_length": 16} if make is siglip else {}
    for text, ours, tokens in zip(SENTENCES, encoded.sentences(places), encoded.tokens(places), strict=True):
        inputs = tokenizer(text, return_tensors="pt", return_attention_mask=make is not siglip, **padding)
        inputs.pop("token_type_ids", None)
        with torch.inference_mode():
            features = model.get_text_features(**inputs)
        features = getattr(features, "pooler_output", features)[0].numpy()
        np.testing.assert_allclose(ours, features / np.linalg.norm(features), atol=1e-4)
        assert len(tokens.vectors) == len(tokens.ids)
        assert tokens.vectors.shape[1] == len(features)
        if make is not siglip:  # there the token that stands for the text may be padding
            whole = tokens.vectors[-1 if make is None else 0]
            np.testing.assert_allclose(whole, features, atol=1e-3)
    picture = tmp_path / "picture.png"
    Image.fromarray(np.random.default_rng(0).integers(0, 255, (50, 40, 3), dtype=np.uint8)).save(picture)
    seen = encoder.pixels([open_picture(picture)] * 2)
    assert seen.shape == (2, len(features))
    np.testing.assert_allclose(np.linalg.norm(seen, axis=1), 1, atol=1e-5)
