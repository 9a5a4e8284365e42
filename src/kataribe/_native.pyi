from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
UInt64s = npt.NDArray[np.uint64]
Float32s = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]
# Many short lists in two arrays: list i is values[offsets[i]:offsets[i + 1]].
RaggedInts = tuple[Int64s, Int64s]

class TokenIndex:
    """Sentences of space-separated tokens as integers over one vocabulary; all arrays are read-only views."""

    def __init__(self, sentences: Sequence[str]) -> None: ...
    def __len__(self) -> int: ...
    @property
    def tokens(self) -> Int32s: ...
    @property
    def offsets(self) -> Int64s: ...
    def spell_words(self) -> list[str]:
        """A new list of the words, by their numbers."""

class NgramIndex:
    """The n-grams of every sentence up to some order, counted; all arrays are read-only views.

    Those of sentence s with n words stand at bounds[s * orders + n - 1]:bounds[s * orders + n], in order of their ids.
    By id, `prefixes` has the n-gram without its last word (-1 for a single word), `lasts` has that word.
    """

    def __init__(self, tokens: TokenIndex, orders: int) -> None: ...
    @property
    def orders(self) -> int: ...
    @property
    def distinct(self) -> int: ...
    @property
    def ngrams(self) -> Int32s: ...
    @property
    def counts(self) -> Int32s: ...
    @property
    def bounds(self) -> Int64s: ...
    @property
    def prefixes(self) -> Int32s: ...
    @property
    def lasts(self) -> Int32s: ...

def ngram_keys(index: NgramIndex) -> tuple[UInt64s, UInt64s]:
    """Two independent hashes of each n-gram's words, the same in every index, process and machine."""

# Sentences are given by their numbers in an index.
def bleu_statistics(index: NgramIndex, candidates: Int64s, references: RaggedInts) -> Int64s:
    """A row per item: candidate length, closest reference length, n-grams guessed and correct for each order."""

def document_frequencies(index: NgramIndex, sentences: RaggedInts) -> Floats:
    """For each n-gram, in how many of the lists of sentences it stands."""

def tfidf_norms(index: NgramIndex, idf: Floats) -> Floats:
    """The length of each sentence's tf-idf vector, for each order."""

def cider_similarities(
    index: NgramIndex,
    idf: Floats,
    norms: Floats,
    candidates: Int64s,
    references: Int64s,
    *,
    clipped: bool,
    sigma: float,
) -> Floats:
    """For each pair the mean over orders of the cosine of the tf-idf vectors; a sigma of 0 ignores lengths."""

def grouped_cider_similarities(
    index: NgramIndex,
    candidates: Int64s,
    references: Int64s,
    pair_bounds: Int64s,
    documents: RaggedInts,
    *,
    clipped: bool,
    sigma: float,
) -> Floats:
    """The same where each group of pairs has its own idf, counted over its own list of documents."""

def lcs_lengths(index: TokenIndex, candidates: Int64s, references: Int64s) -> Int32s:
    """For each pair of sentences the length of their longest common subsequence."""

def bert_attend(projected: Float32s, bias: Float32s, lengths: Int64s, heads: int, result: Float32s) -> None: ...
def bert_gelu(states: Float32s, bias: Float32s) -> None: ...
def bert_add_and_normalize(
    states: Float32s, bias: Float32s, residual: Float32s, scale: Float32s, shift: Float32s, epsilon: float
) -> None: ...
def greedy_match(vectors: Sequence[Float32s], weights: Sequence[Floats], ones: Int64s, others: Int64s) -> Floats: ...
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
    tool_pairs: bool,
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
def meteor_best_statistics(
    sentences: MeteorSentences, hypotheses: Int64s, references: Int64s, bounds: Int64s, language: str
) -> Int32s: ...
def meteor_scores(statistics: Floats | Int32s, language: str) -> Floats: ...
def meteor_pair_scores(sentences: MeteorSentences, hypotheses: Int64s, references: Int64s, language: str) -> Floats: ...
def meteor_alignment(
    sentences: MeteorSentences, hypothesis: int, reference: int
) -> list[tuple[int, int, int, int, int]]: ...
def meteor_normalize(resource: MeteorResource, sentence: str) -> str: ...
def english_stem(word: str) -> str: ...
def ptb_tokenize(texts: list[str], look_ahead: bool) -> list[str]: ...

# Event boundaries. The first six arguments of a comparison: the predicted lists (times, offsets), the true lists
# (times, offsets), and for each pair the predicted and the true list.
def boundary_hits(
    predicted_times: Floats,
    predicted_offsets: Int64s,
    true_times: Floats,
    true_offsets: Int64s,
    predicted_pairs: Int64s,
    true_pairs: Int64s,
    tolerances: Floats,
    optimal: bool,
    strict: bool,
    /,
) -> Int32s: ...
def boundary_hits_by_rank(
    predicted_times: Floats,
    predicted_offsets: Int64s,
    ranks: Int64s,
    true_times: Floats,
    true_offsets: Int64s,
    predicted_pairs: Int64s,
    true_pairs: Int64s,
    tolerances: Floats,
    strict: bool,
    /,
) -> Floats: ...
def window_frames(
    predicted_times: Floats,
    predicted_offsets: Int64s,
    true_times: Floats,
    true_offsets: Int64s,
    predicted_pairs: Int64s,
    true_pairs: Int64s,
    tolerances: Floats,
    frames: Int64s,
    /,
) -> Int64s: ...
def window_masks(times: Floats, offsets: Int64s, tolerances: Floats, frames: Int64s, /) -> Floats: ...
def boundary_density(times: Floats, offsets: Int64s, weights: Floats, frames: Int64s, sigma: float, /) -> Floats: ...
def segmentation_errors(
    predicted_times: Floats,
    predicted_offsets: Int64s,
    true_times: Floats,
    true_offsets: Int64s,
    predicted_pairs: Int64s,
    true_pairs: Int64s,
    widths: Int64s,
    frames: Int64s,
    /,
) -> Int64s: ...
def median_distances(
    predicted_times: Floats,
    predicted_offsets: Int64s,
    true_times: Floats,
    true_offsets: Int64s,
    predicted_pairs: Int64s,
    true_pairs: Int64s,
    /,
) -> Floats: ...
def majority_boundaries(
    times: Floats, offsets: Int64s, members: Int64s, groups: Int64s, tolerances: Floats, /
) -> tuple[Floats, Int64s]: ...
def score_groups(scores: Floats, offsets: Int64s, most: int, /) -> Int64s: ...
def precision_sums(
    weights: Floats, items: Int64s, sizes: Floats, correct: Floats, ends: npt.NDArray[np.int8], /
) -> Floats: ...
def draw_slots(seeds: npt.NDArray[np.uint64], slots: Int64s, counts: Int64s, /) -> tuple[Floats, Int64s]: ...
def rank_statistics(x: Int32s, y: Int32s, units: Int64s, x_values: int, y_values: int, weights: Floats) -> Floats: ...

class Stop:
    def set(self) -> None: ...
    def __enter__(self) -> None: ...
    def __exit__(self, *error: object) -> None: ...

class MeteorTooMuchWork(ValueError): ...
