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
RaggedFloats = tuple[Floats, Int64s]

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

# Stories: the segments (rows of start and end) of many videos, and their tables of references x predictions.
def story_ious(references: RaggedFloats, predictions: RaggedFloats, exact: bool) -> Floats:
    """The tables of intersection over union, row by row, one video's behind the other's."""

def best_overlaps(
    ious: Floats, annotator: RaggedInts, annotators: int, prediction_bounds: Int64s
) -> tuple[Floats, Floats]:
    """The best IoU of each prediction with each annotator, and of each reference; `annotator` made the references."""

def align_stories(
    costs: RaggedFloats, video_of: Int64s, rows: RaggedInts, columns: RaggedInts, *, tool_pairs: bool
) -> tuple[Floats, Int64s, Int64s, Int64s]:
    """Readings of videos aligned with their predictions: the best sums, then the pairs' rows, columns and offsets.

    `costs` and `columns` (the predictions in their order) have a list for each video, `rows` has one for each reading.
    """

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

class BoundaryComparison:
    """Pairs of a list of predicted times and a list of true times; the times of a list ascend.

    Pair i is the list predicted_of[i] beside the list truth_of[i]. What is counted below has a value for each pair.
    """

    def __init__(
        self, predicted: RaggedFloats, truth: RaggedFloats, predicted_of: Int64s, truth_of: Int64s
    ) -> None: ...
    def __len__(self) -> int: ...

def boundary_hits(comparison: BoundaryComparison, tolerances: Floats, *, optimal: bool, strict: bool) -> Int32s:
    """How many predictions find a true boundary of their own."""

def boundary_hits_by_rank(comparison: BoundaryComparison, ranks: Int64s, tolerances: Floats, *, strict: bool) -> Floats:
    """For each prediction of each pair 1 if it finds one, where the most confident choose first.

    `ranks` has, list by list, the indices of its predictions from the most to the least confident.
    """

def median_distances(comparison: BoundaryComparison) -> tuple[Floats, Floats]:
    """From the predictions to the nearest true boundaries, and the other way round; infinite where a side is empty."""

def window_frames(comparison: BoundaryComparison, tolerances: Floats, frames: Int64s) -> tuple[Int64s, Int64s, Int64s]:
    """Frames in windows around both kinds of boundaries, around predicted ones, around true ones."""

def segmentation_errors(
    comparison: BoundaryComparison, widths: Int64s, frames: Int64s
) -> tuple[Int64s, Int64s, Int64s]:
    """Probes, those wrong about "are the ends in one segment?", those wrong about the number of boundaries between."""

def window_masks(lists: RaggedFloats, tolerances: Floats, frames: Int64s) -> Floats:
    """1 for each frame of each list's video that lies in one of the list's windows."""

def boundary_density(lists: RaggedFloats, weights: Floats, frames: Int64s, sigma: float) -> Floats:
    """For each frame of each list's video the sum of bells on the list's boundaries, each with its weight."""

def majority_boundaries(lists: RaggedFloats, members: RaggedInts, tolerances: Floats) -> RaggedFloats:
    """For each group of lists the boundaries that more than half of its members share."""

def draw_slots(seeds: UInt64s, slots: Int64s, counts: Int64s) -> RaggedFloats:
    """For each seed, that many different whole numbers below its number of slots, ascending."""

def score_groups(scores: RaggedFloats, most: int) -> Int64s:
    """For each score its group within its list, whose scores descend; at most so many groups for each list."""

def precision_sums(
    weights: Floats, items: Int64s, sizes: Floats, correct: Floats, ends: npt.NDArray[np.int8]
) -> Floats:
    """For each draw (row of weights) and column of `correct` the sum of precisions over the correct instances."""

def rank_statistics(x: Int32s, y: Int32s, units: Int64s, x_values: int, y_values: int, weights: Floats) -> Floats: ...

class Stop:
    def set(self) -> None: ...
    def __enter__(self) -> None: ...
    def __exit__(self, *error: object) -> None: ...

class MeteorTooMuchWork(ValueError): ...
