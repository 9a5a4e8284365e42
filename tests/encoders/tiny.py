"""Models of a few thousand random weights, made on the spot: what holds for them holds for the large ones."""

from __future__ import annotations

from pathlib import Path

_VOCABULARY = """
a an the dog cat man woman boy girl runs sleeps sits jumps plays holds throws red blue small big on in under near
grass beach table ball guitar water fast ##s ##ing ##ed . , ! ?
"""
WORDS = _VOCABULARY.split()
SENTENCES = [
    "a dog runs on the grass",
    "the small dog runs fast on grass .",
    "a man plays the guitar",
    "a woman holds a red ball near the water",
    "the boy jumps in the blue water !",
    "a cat sleeps under the table",
    "cat",
    "the big man throws a ball , the dog jumps",
]


def tiny_bert(folder: Path, *, width: int = 32, layers: int = 3, positions: int = 24, seed: int = 0) -> str:
    """A BERT with its tokenizer, saved as save_pretrained saves any model."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]) + "\n")
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(WORDS) + 5,
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=4,
        intermediate_size=2 * width,
        max_position_embeddings=positions,
        initializer_range=0.5,  # wide, so that random vectors are far apart
    )
    BertModel(config).save_pretrained(folder)
    BertTokenizerFast(vocab=str(vocabulary), model_max_length=positions).save_pretrained(folder)
    return str(folder)


JAPANESE = ["犬が草の上を走る。", "猫が机の下で眠る。", "男の人がギターを弾く。", "犬", "女の人が赤いボールを持つ。"]


def tiny_xlm_roberta(folder: Path, *, positions: int = 26, seed: int = 0) -> str:
    """An XLM-R with a vocabulary of characters and some words, cut as sentencepiece cuts."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast, XLMRobertaConfig, XLMRobertaModel

    specials = ["<s>", "<pad>", "</s>", "<unk>"]
    characters = sorted(set("".join([*JAPANESE, *WORDS])) - {" "})
    pieces = [*((token, 0.0) for token in specials), ("▁", -2.0), *((character, -5.0) for character in characters)]
    pieces += [("走る", -6.0), ("▁犬", -5.5), ("ギター", -7.0), *((f"▁{word}", -6.0) for word in ("a", "dog", "runs"))]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=3))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    roles = {"bos_token": "<s>", "cls_token": "<s>", "eos_token": "</s>", "sep_token": "</s>"}
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", unk_token="<unk>", model_max_length=512, **roles
    ).save_pretrained(folder)
    torch.manual_seed(seed)
    config = XLMRobertaConfig(
        vocab_size=len(pieces),
        hidden_size=32,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=positions,
        pad_token_id=1,
        initializer_range=0.5,
    )
    XLMRobertaModel(config).save_pretrained(folder)
    return str(folder)


def tiny_clip(folder: Path, *, width: int = 24, positions: int = 77, seed: int = 0) -> str:
    """A CLIP with both towers, its tokenizer and its image processor."""
    import json

    import torch
    from transformers import CLIPConfig, CLIPImageProcessorPil, CLIPModel, CLIPTokenizerFast

    folder.mkdir(parents=True, exist_ok=True)
    letters = "abcdefghijklmnopqrstuvwxyz.,!?0123456789"
    symbols = [*letters, *(f"{letter}</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>"]
    vocabulary, merges = folder / "vocab.json", folder / "merges.txt"
    vocabulary.write_text(json.dumps({symbol: place for place, symbol in enumerate(symbols)}))
    merges.write_text("#version: 0.2\n")
    torch.manual_seed(seed)
    tower = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    text = tower | {
        "vocab_size": len(symbols),
        "max_position_embeddings": positions,
        "bos_token_id": len(symbols) - 2,
        "eos_token_id": len(symbols) - 1,
        "pad_token_id": len(symbols) - 1,
    }
    vision = tower | {"image_size": 32, "patch_size": 16}
    config = CLIPConfig(text_config=text, vision_config=vision, projection_dim=width, initializer_factor=20.0)
    CLIPModel(config).save_pretrained(folder)
    CLIPTokenizerFast(
        vocab=str(vocabulary), merges=str(merges), model_max_length=positions, unk_token="<|endoftext|>"
    ).save_pretrained(folder)
    CLIPImageProcessorPil(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}).save_pretrained(folder)
    return str(folder)
