from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

def index_tokens(sentences: Sequence[str]) -> tuple[Int32s, Int64s, list[str]]: ...
def ngram_index(tokens: Int32s, offsets: Int64s, orders: int) -> tuple[Int32s, Int32s, Int64s, Int32s, Int32s]: ...
def bleu_statistics(
    ngrams: Int32s,
    counts: Int32s,
    bounds: Int64s,
    orders: int,
    lengths: Int64s,
    candidates: Int64s,
    references: Int64s,
    reference_bounds: Int64s,
    /,
) -> npt.NDArray[np.int64]: ...
def document_frequencies(
    ngrams: Int32s, bounds: Int64s, orders: int, references: Int64s, reference_bounds: Int64s, distinct: int, /
) -> Floats: ...
def tfidf_norms(ngrams: Int32s, counts: Int32s, bounds: Int64s, orders: int, idf: Floats, /) -> Floats: ...
def cider_similarities(
    ngrams: Int32s,
    counts: Int32s,
    bounds: Int64s,
    orders: int,
    lengths: Int64s,
    idf: Floats,
    norms: Floats,
    candidates: Int64s,
    references: Int64s,
    clipped: bool,
    sigma: float,
    /,
) -> Floats: ...
def grouped_cider_similarities(
    ngrams: Int32s,
    counts: Int32s,
    bounds: Int64s,
    orders: int,
    lengths: Int64s,
    distinct: int,
    candidates: Int64s,
    references: Int64s,
    pair_bounds: Int64s,
    documents: Int64s,
    document_bounds: Int64s,
    clipped: bool,
    sigma: float,
    /,
) -> Floats: ...
def lcs_lengths(tokens: Int32s, offsets: Int64s, vocabulary: int, candidates: Int64s, references: Int64s) -> Int32s: ...
def story_ious(
    references: Floats, reference_bounds: Int64s, predictions: Floats, prediction_bounds: Int64s, exact: bool
) -> Floats: ...
def best_overlaps(
    ious: Floats, reference_bounds: Int64s, annotator: Int64s, annotators: int, prediction_bounds: Int64s
) -> tuple[Floats, Floats]: ...
def align_stories(
    costs: Floats,
    cells: Int64s,
    video_of: Int64s,
    rows: Int64s,
    row_bounds: Int64s,
    columns: Int64s,
    column_bounds: Int64s,
    pair_first: bool,
) -> tuple[Floats, Int64s, Int64s, Int64s]: ...

METEOR_COLUMNS: tuple[str, ...]
METEOR_STAGES: tuple[str, ...]

class MeteorResource:
    def __init__(self, path: str) -> None: ...
    def verify(self) -> None: ...

class MeteorResourceBuilder:
    def __init__(self, function_words: bytes, exceptions: bytes, synsets: bytes, dot_prefixes: bytes) -> None: ...
    def add_paraphrases(self, piece: bytes) -> None: ...
    def finish(self) -> bytes: ...

class MeteorSentences:
    def __init__(self, resource: MeteorResource | None, sentences: list[str], normalize: bool) -> None: ...
    def __len__(self) -> int: ...

def meteor_statistics(sentences: MeteorSentences, hypotheses: Int64s, references: Int64s) -> Int32s: ...
def meteor_scores(statistics: Floats, language: str) -> Floats: ...
def meteor_pair_scores(sentences: MeteorSentences, hypotheses: Int64s, references: Int64s, language: str) -> Floats: ...
def meteor_alignment(
    sentences: MeteorSentences, hypothesis: int, reference: int
) -> list[tuple[int, int, int, int, int]]: ...
def meteor_normalize(resource: MeteorResource, sentence: str) -> str: ...
def english_stem(word: str) -> str: ...
def ptb_tokenize(texts: list[str], look_ahead: bool) -> list[str]: ...
