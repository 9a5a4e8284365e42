"""`kataribe doctor`: what is installed, what is missing, how to get it."""

from __future__ import annotations

import platform
import shutil
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

import typer

import kataribe
from kataribe.core.errors import ResourceError
from kataribe.core.need import remedy

# What each optional package is for; the third entry says how to get it.
_OPTIONAL = (
    ("sudachipy", "Japanese tokenizer `ja`", remedy("ja")),
    ("fugashi", "Japanese tokenizer `ja-mecab`", remedy("ja")),
    ("ginza", "`jaspice` and `kataribe parse`", remedy("ja")),
    ("ja_ginza", "the model of GiNZA", remedy("ja")),
    ("jumandic", "`jaspice`: what kind of thing a word names", remedy("ja")),
    ("jieba", "Chinese tokenizer `zh`; nouns and verbs of Chinese", remedy("zh")),
    ("spacy", "nouns and verbs of English", remedy("en")),
    ("av", "`kataribe detect`, `train boundaries` and `media`", remedy("video")),
    ("onnxruntime", "`kataribe media speech` and `subtitles`", remedy("films")),
    ("rapidocr-onnxruntime", "`kataribe media subtitles`", remedy("films")),
    ("dlib-bin", "`kataribe media faces`", remedy("films")),
    ("faster-whisper", "what is said, as text", remedy("transcripts")),
    ("matplotlib", "pictures", remedy("plots")),
    ("torch", "encoders and neural backbones of the boundary detectors", remedy("models")),
    ("transformers", "encoders: bertscore, sentence_cosine, clipscore, ...", remedy("models")),
    ("accelerate", "training on graphics cards and several machines", remedy("models")),
    ("faiss-cpu", "`kataribe index --approximate`: libraries of more than a million shots", remedy("faiss")),
    ("tensorboard", "curves of a training while it runs", remedy("tracking")),
    ("pillow", "pictures for clipscore and emscore", remedy("models")),
    ("h5py", "features in hdf5 files", remedy("models")),
    ("bert-score", "bertscore(layer=table, rescale=table)", "pip install bert-score==0.3.13"),
    ("unbabel-comet", "comet", "pip install unbabel-comet"),
    ("starlette", "`kataribe judge serve`", remedy("judge")),
    ("uvicorn", "`kataribe judge serve`", remedy("judge")),
    ("pandas", "`Result.to_pandas()`", "pip install pandas"),
)


def doctor() -> None:
    """Tell what is installed, what is missing and how to get it; exit code 2 if scoring cannot work."""
    from kataribe.captions.meteor_resource import status
    from kataribe.core.cache import cache_folder

    healthy = True
    _line(True, "kataribe", f"{kataribe.__version__} on Python {platform.python_version()}, {sys.platform}")
    try:
        from kataribe import _native

        _line(True, "native core", f"loaded, the {_native.__name__.removeprefix('kataribe._native_')} build")
    except ImportError as error:
        healthy = False
        _line(False, "native core", f"{error}; pip install --force-reinstall kataribe")
    resource = status()
    carrier = find_spec("pycocoevalcap") is not None
    healthy &= carrier or resource.is_ready
    _line(carrier, "METEOR's data", "pycocoevalcap" if carrier else "pip install pycocoevalcap==1.2")
    _line(
        resource.is_ready,
        "METEOR resource",
        str(resource.path)
        if resource.is_ready
        else f"{resource.problem}; built on first use, or `kataribe resources build`",
    )
    _line(True, "cache folder", f"{cache_folder()} (KATARIBE_CACHE moves it)")
    for package, purpose, install in _OPTIONAL:
        try:
            _line(True, package, f"{version(package)}, {purpose}")
        except PackageNotFoundError:
            _line(False, package, f"absent, only needed for: {purpose}; {install}")
    _carried_models()
    voices = shutil.which("espeak-ng")
    _line(bool(voices), "espeak-ng", f"{voices or 'absent'}; speaks in `kataribe build world`")
    java = shutil.which("java")
    _line(
        bool(java), "java", f"{java or 'absent'}; never used for scoring, only to check us against the original tools"
    )
    if not healthy:
        raise typer.Exit(2)


def _carried_models() -> None:
    """Models whose weights come with packages: every byte is checked, and whose licence they are under is said."""
    from kataribe.encoders import carried as encoders
    from kataribe.media import carried as media

    for model in (*encoders.ALL, *media.ALL):
        try:
            model.all_files()
        except ResourceError as error:
            _line(False, model.model, str(error))
        else:
            origin = f"{model.licence} licence, in {model.package} {model.version}"
            _line(True, model.model, f"{model.purpose}; {origin}")


def _line(good: bool, name: str, remark: str) -> None:
    print(f"{'ok' if good else '--'}  {name:<21} {remark}")
