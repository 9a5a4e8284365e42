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
