"""Runs the original tokenizer, which needs Java, on the captions of ptb.json and stores what it gives.

The captions are ours, written to touch every rule. Their order matters: the original looks ahead.
"""

import json
from pathlib import Path

from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

PATH = Path(__file__).with_name("ptb.json")


def main() -> None:
    captions = json.loads(PATH.read_text(encoding="utf-8"))["captions"]
    tokenized = PTBTokenizer().tokenize({i: [{"caption": caption}] for i, caption in enumerate(captions)})
    golden = {"captions": captions, "tokenized": [tokenized[i][0] for i in range(len(captions))]}
    PATH.write_text(json.dumps(golden, indent=0, ensure_ascii=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
