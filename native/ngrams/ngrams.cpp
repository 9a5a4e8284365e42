// N-gram counts of sentences, and the two metrics that are sums over them: BLEU and CIDEr.
//
// Every distinct n-gram gets one integer id: the id of its first n-1 words paired with its last word, looked up in
// one table. That is exact (no hash is trusted), and an n-gram can be spelled out again from the table.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string_view>

#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "common/bindings.hpp"
#include "common/interrupt.hpp"

namespace kataribe {
namespace {

constexpr uint64_t kWorkPerToken = 16, kWorkPerPair = 512;  // between looks for Ctrl-C

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint64_t;

// (prefix id, last word) -> n-gram id, by open addressing.
class NgramTable {
 public:
  explicit NgramTable(size_t expected) { rehash(std::max<size_t>(1024, expected * 2)); }

  int32_t id(int32_t prefix, int32_t last) {
    const uint64_t key = (static_cast<uint64_t>(static_cast<uint32_t>(prefix)) << 32) | static_cast<uint32_t>(last);
    size_t slot = mix(key) & mask_;
    while (ids_[slot] >= 0) {
      if (keys_[slot] == key) return ids_[slot];
      slot = (slot + 1) & mask_;
    }
    if (prefixes_.size() >= static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
      throw std::length_error("more than 2^31 distinct n-grams");
    }
    const auto fresh = static_cast<int32_t>(prefixes_.size());
    keys_[slot] = key;
    ids_[slot] = fresh;
    prefixes_.push_back(prefix);
    lasts_.push_back(last);
    if (prefixes_.size() * 2 > ids_.size()) rehash(ids_.size() * 2);
    return fresh;
  }

  std::vector<int32_t> prefixes_, lasts_;

 private:
  static uint64_t mix(uint64_t x) {  // the finaliser of splitmix64
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
  }

  void rehash(size_t at_least) {
    size_t capacity = 1024;
    while (capacity < at_least) capacity *= 2;
    std::vector<uint64_t> old_keys = std::move(keys_);
    std::vector<int32_t> old_ids = std::move(ids_);
    keys_.assign(capacity, 0);
    ids_.assign(capacity, -1);
    mask_ = capacity - 1;
    for (size_t i = 0; i < old_ids.size(); ++i) {
      if (old_ids[i] < 0) continue;
      size_t slot = mix(old_keys[i]) & mask_;
      while (ids_[slot] >= 0) slot = (slot + 1) & mask_;
      keys_[slot] = old_keys[i];
      ids_[slot] = old_ids[i];
    }
  }

  std::vector<uint64_t> keys_;
  std::vector<int32_t> ids_;
  size_t mask_ = 0;
};

// The n-grams of sentence s and order n (from 1) stand at bounds[s * orders + n - 1] .. bounds[s * orders + n],
// each once, with its count, in order of their ids.
nb::tuple ngram_index(In1<int32_t> tokens, In1<int64_t> offsets, int orders) {
  if (orders < 1 || offsets.shape(0) < 1) throw std::invalid_argument("ngram_index: no orders or no offsets");
  const size_t sentences = offsets.shape(0) - 1;
  std::vector<int32_t> ngrams, counts;
  std::vector<int64_t> bounds{0};
  bounds.reserve(sentences * orders + 1);
  NgramTable table(tokens.shape(0));
  {
    nb::gil_scoped_release release;
    std::vector<int32_t> ending_here, sorted;  // ids of the n-grams that end at each position
    InterruptCheck tick;
    for (size_t s = 0; s < sentences; ++s) {
      const int32_t* words = tokens.data() + offsets.data()[s];
      const auto length = static_cast<int>(offsets.data()[s + 1] - offsets.data()[s]);
      tick(kWorkPerToken * (1 + length));
      ending_here.assign(length, -1);
      for (int n = 1; n <= orders; ++n) {
        for (int end = length - 1; end >= n - 1; --end) {
          ending_here[end] = table.id(n == 1 ? -1 : ending_here[end - 1], words[end]);
        }
        sorted.clear();
        if (length >= n) sorted.assign(ending_here.begin() + (n - 1), ending_here.end());
        std::sort(sorted.begin(), sorted.end());
        for (size_t i = 0; i < sorted.size();) {
          size_t j = i;
          while (j < sorted.size() && sorted[j] == sorted[i]) ++j;
          ngrams.push_back(sorted[i]);
          counts.push_back(static_cast<int32_t>(j - i));
          i = j;
        }
        bounds.push_back(static_cast<int64_t>(ngrams.size()));
      }
    }
  }
  return nb::make_tuple(to_numpy(std::move(ngrams)), to_numpy(std::move(counts)), to_numpy(std::move(bounds)),
                        to_numpy(std::move(table.prefixes_)), to_numpy(std::move(table.lasts_)));
}

// Hashes that depend on the bytes and the order of words and on nothing else: the same in every process, on every
// processor. Two instances with different constants are independent of each other.
class ContentHash {
 public:
  constexpr ContentHash(uint64_t seed, uint64_t step, uint64_t first, uint64_t second)
      : seed_(seed), step_(step | 1), first_(first | 1), second_(second | 1) {}

  uint64_t of_word(std::string_view word) const {
    uint64_t hash = seed_ ^ word.size() * step_;
    for (size_t at = 0; at < word.size(); at += 8) hash = scramble(hash ^ eight_bytes(word.substr(at, 8)));
    return hash;
  }
  uint64_t of_nothing() const { return seed_; }
  // The multiplication makes order matter, and the words' own hashes keep where one ends and the next begins.
  uint64_t append(uint64_t prefix, uint64_t word) const { return scramble(prefix * step_ + word); }

 private:
  // Every bit of the result depends on every bit given; no two numbers become one.
  uint64_t scramble(uint64_t x) const {
    x = (x ^ x >> 32) * first_;
    x = (x ^ x >> 29) * second_;
    return x ^ x >> 32;
  }

  // Low byte first whatever the processor's order; zeros after the end of the word.
  static uint64_t eight_bytes(std::string_view bytes) {
    uint64_t eight = 0;
    for (size_t k = 0; k < bytes.size(); ++k) eight |= uint64_t{static_cast<unsigned char>(bytes[k])} << 8 * k;
    return eight;
  }

  uint64_t seed_, step_, first_, second_;
};

// Binary digits of the square roots of 2, 3, 5, 7 and of 11, 13, 17, 19: part of every table of facts that was saved.
constexpr ContentHash kKeyHash(0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1);
constexpr ContentHash kCheckHash(0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179);

std::vector<uint64_t> content_hashes(const ContentHash& hash, const std::vector<std::string_view>& words,
                                     In1<int32_t> prefixes, In1<int32_t> lasts) {
  InterruptCheck tick;
  std::vector<uint64_t> of_words, of_ngrams;
  of_words.reserve(words.size());
  for (const std::string_view word : words) {
    tick(1 + word.size());
    of_words.push_back(hash.of_word(word));
  }
  of_ngrams.reserve(lasts.shape(0));
  for (size_t ngram = 0; ngram < lasts.shape(0); ++ngram) {
    tick();
    const int32_t prefix = prefixes.data()[ngram], last = lasts.data()[ngram];
    // A prefix always has a smaller id than what it begins.
    if (prefix < -1 || prefix >= static_cast<int64_t>(ngram) || last < 0 || static_cast<size_t>(last) >= words.size()) {
      throw std::out_of_range("ngram_keys: an n-gram of an unknown prefix or word");
    }
    of_ngrams.push_back(hash.append(prefix < 0 ? hash.of_nothing() : of_ngrams[prefix], of_words[last]));
  }
  return of_ngrams;
}

nb::tuple ngram_keys(const std::vector<std::string_view>& words, In1<int32_t> prefixes, In1<int32_t> lasts) {
  if (prefixes.shape(0) != lasts.shape(0)) throw std::invalid_argument("ngram_keys: prefixes and lasts differ");
  std::vector<uint64_t> keys, checks;
  {
    nb::gil_scoped_release release;
    keys = content_hashes(kKeyHash, words, prefixes, lasts);
    checks = content_hashes(kCheckHash, words, prefixes, lasts);
  }
  return nb::make_tuple(to_numpy(std::move(keys)), to_numpy(std::move(checks)));
}

// The view of an index that the metrics below read.
struct Index {
  const int32_t* ngrams;
  const int32_t* counts;
  const int64_t* bounds;
  int orders;

  int64_t begin(int64_t sentence, int order) const { return bounds[sentence * orders + order]; }
  int64_t end(int64_t sentence, int order) const { return bounds[sentence * orders + order + 1]; }

  // Calls visit(position in a, position in b) for every n-gram that both sentences have.
  template <typename Visit>
  void meet(int64_t a, int64_t b, int order, Visit visit) const {
    int64_t i = begin(a, order), j = begin(b, order);
    const int64_t i_end = end(a, order), j_end = end(b, order);
    while (i < i_end && j < j_end) {
      if (ngrams[i] < ngrams[j]) ++i;
      else if (ngrams[i] > ngrams[j]) ++j;
      else visit(i++, j++);
    }
  }
};

Index make_index(const In1<int32_t>& ngrams, const In1<int32_t>& counts, const In1<int64_t>& bounds, int orders) {
  return {ngrams.data(), counts.data(), bounds.data(), orders};
}

// Per item: candidate length, closest reference length, then for each order the n-grams guessed and those correct
// (each at most as often as in the reference that has it most).
auto bleu_statistics(In1<int32_t> ngrams, In1<int32_t> counts, In1<int64_t> bounds, int orders, In1<int64_t> lengths,
                     In1<int64_t> candidates, In1<int64_t> references, In1<int64_t> reference_bounds) {
  const Index index = make_index(ngrams, counts, bounds, orders);
  const size_t items = candidates.shape(0), columns = 2 + 2 * orders;
  std::vector<int64_t> rows(items * columns, 0);
  {
    nb::gil_scoped_release release;
    std::vector<int32_t> allowed;
    InterruptCheck tick;
    for (size_t item = 0; item < items; ++item) {
      int64_t* row = rows.data() + item * columns;
      const int64_t candidate = candidates.data()[item];
      const int64_t first = reference_bounds.data()[item], last = reference_bounds.data()[item + 1];
      const int64_t length = lengths.data()[candidate];
      tick(kWorkPerToken * (1 + length) * (1 + last - first));
      row[0] = length;
      int64_t closest = std::numeric_limits<int64_t>::max();
      for (int64_t r = first; r < last; ++r) {
        const int64_t other = lengths.data()[references.data()[r]];
        const int64_t gap = std::abs(other - length), best_gap = std::abs(closest - length);
        if (closest == std::numeric_limits<int64_t>::max() || gap < best_gap || (gap == best_gap && other < closest)) {
          closest = other;
        }
      }
      row[1] = closest;
      for (int n = 0; n < orders; ++n) {
        const int64_t begin = index.begin(candidate, n);
        allowed.assign(index.end(candidate, n) - begin, 0);
        for (int64_t r = first; r < last; ++r) {
          index.meet(candidate, references.data()[r], n,
                     [&](int64_t i, int64_t j) { allowed[i - begin] = std::max(allowed[i - begin], counts.data()[j]); });
        }
        int64_t correct = 0;
        for (size_t i = 0; i < allowed.size(); ++i) correct += std::min(allowed[i], counts.data()[begin + i]);
        row[2 + n] = std::max<int64_t>(0, length - n);
        row[2 + orders + n] = correct;
      }
    }
  }
  return to_numpy(std::move(rows), columns);
}

// In how many items' references (taken together) each n-gram stands.
auto document_frequencies(In1<int32_t> ngrams, In1<int64_t> bounds, int orders, In1<int64_t> references,
                          In1<int64_t> reference_bounds, int64_t distinct) {
  std::vector<double> frequencies(distinct, 0.0);
  {
    nb::gil_scoped_release release;
    std::vector<int64_t> seen_in(distinct, -1);
    InterruptCheck tick;
    const auto items = static_cast<int64_t>(reference_bounds.shape(0)) - 1;
    for (int64_t item = 0; item < items; ++item) {
      for (int64_t r = reference_bounds.data()[item]; r < reference_bounds.data()[item + 1]; ++r) {
        const int64_t sentence = references.data()[r];
        tick(kWorkPerPair);
        // The orders of one sentence stand side by side.
        for (int64_t i = bounds.data()[sentence * orders]; i < bounds.data()[(sentence + 1) * orders]; ++i) {
          const int32_t ngram = ngrams.data()[i];
          if (seen_in[ngram] == item) continue;
          seen_in[ngram] = item;
          frequencies[ngram] += 1;
        }
      }
    }
  }
  return to_numpy(std::move(frequencies));
}

// The length of each sentence's tf-idf vector, for each order.
auto tfidf_norms(In1<int32_t> ngrams, In1<int32_t> counts, In1<int64_t> bounds, int orders, In1<double> idf) {
  const size_t cells = bounds.shape(0) - 1;
  std::vector<double> norms(cells, 0.0);
  {
    nb::gil_scoped_release release;
    InterruptCheck tick;
    for (size_t cell = 0; cell < cells; ++cell) {
      tick(kWorkPerToken);
      for (int64_t i = bounds.data()[cell]; i < bounds.data()[cell + 1]; ++i) {
        const double weight = counts.data()[i] * idf.data()[ngrams.data()[i]];
        norms[cell] += weight * weight;
      }
      norms[cell] = std::sqrt(norms[cell]);
    }
  }
  return to_numpy(std::move(norms), static_cast<size_t>(orders));
}

// Per (candidate, reference) pair: the mean over orders of the cosine of their tf-idf vectors. CIDEr-D clips the
// candidate's weights at the reference's and multiplies by a Gaussian of the difference in length.
class TfidfCosine {
 public:
  TfidfCosine(const Index& index, const int64_t* lengths, bool clipped, double sigma)
      : index_(index), lengths_(lengths), clipped_(clipped), sigma_(sigma) {}

  // `idf` gives the weight of an n-gram, `norms` the lengths of a sentence's vectors, one for each order.
  template <typename Idf, typename Norms>
  double operator()(int64_t candidate, int64_t reference, Idf idf, Norms norms) const {
    double sum = 0;
    for (int n = 0; n < index_.orders; ++n) {
      double product = 0;
      index_.meet(candidate, reference, n, [&](int64_t i, int64_t j) {
        const double weight = idf(index_.ngrams[i]);
        const double in_candidate = index_.counts[i] * weight, in_reference = index_.counts[j] * weight;
        product += (clipped_ ? std::min(in_candidate, in_reference) : in_candidate) * in_reference;
      });
      const double norm = norms(candidate)[n] * norms(reference)[n];
      sum += norm > 0 ? product / norm : product;
    }
    if (sigma_ > 0) {
      // The original counts bigrams where it says length: a sentence of one word is as long as an empty one.
      const auto bigrams = [&](int64_t s) { return std::max<int64_t>(0, lengths_[s] - 1); };
      const auto delta = static_cast<double>(bigrams(candidate) - bigrams(reference));
      sum *= std::exp(-(delta * delta) / (2 * sigma_ * sigma_));
    }
    return sum / index_.orders;
  }

 private:
  const Index& index_;
  const int64_t* lengths_;
  bool clipped_;
  double sigma_;
};

auto cider_similarities(In1<int32_t> ngrams, In1<int32_t> counts, In1<int64_t> bounds, int orders,
                        In1<int64_t> lengths, In1<double> idf, In2<double> norms, In1<int64_t> candidates,
                        In1<int64_t> references, bool clipped, double sigma) {
  const Index index = make_index(ngrams, counts, bounds, orders);
  const size_t pairs = candidates.shape(0);
  std::vector<double> similarities(pairs, 0.0);
  {
    nb::gil_scoped_release release;
    const TfidfCosine cosine(index, lengths.data(), clipped, sigma);
    InterruptCheck tick;
    for (size_t pair = 0; pair < pairs; ++pair) {
      tick(kWorkPerPair);
      similarities[pair] = cosine(
          candidates.data()[pair], references.data()[pair], [&](int32_t ngram) { return idf.data()[ngram]; },
          [&](int64_t sentence) { return norms.data() + sentence * orders; });
    }
  }
  return to_numpy(std::move(similarities));
}

// The weights of one group of documents after another, in arrays as large as the whole corpus that are cleaned only
// where a group touched them.
class GroupWeights {
 public:
  GroupWeights(const Index& index, int64_t distinct, size_t sentences)
      : index_(index), frequencies_(distinct, 0), discounts_(distinct, 0.0), last_seen_in_(distinct, -1),
        norms_(sentences * index.orders), norms_of_(sentences, -1) {}

  void set(const int64_t* documents, size_t count) {
    for (const int32_t ngram : touched_) {
      frequencies_[ngram] = 0;
      discounts_[ngram] = 0;
    }
    touched_.clear();
    ++group_;
    all_ = std::log(static_cast<double>(std::max<size_t>(count, 1)));
    for (size_t d = 0; d < count; ++d, ++document_) {
      for (int64_t i = index_.begin(documents[d], 0); i < index_.end(documents[d], index_.orders - 1); ++i) {
        const int32_t ngram = index_.ngrams[i];
        if (last_seen_in_[ngram] == document_) continue;
        last_seen_in_[ngram] = document_;
        if (frequencies_[ngram]++ == 0) touched_.push_back(ngram);
      }
    }
    for (const int32_t ngram : touched_) discounts_[ngram] = std::log(static_cast<double>(frequencies_[ngram]));
  }

  double idf(int32_t ngram) const { return all_ - discounts_[ngram]; }

  const double* norms(int64_t sentence) {
    double* norms = norms_.data() + sentence * index_.orders;
    if (norms_of_[sentence] == group_) return norms;
    norms_of_[sentence] = group_;
    for (int n = 0; n < index_.orders; ++n) {
      double sum = 0;
      for (int64_t i = index_.begin(sentence, n); i < index_.end(sentence, n); ++i) {
        const double weight = index_.counts[i] * idf(index_.ngrams[i]);
        sum += weight * weight;
      }
      norms[n] = std::sqrt(sum);
    }
    return norms;
  }

 private:
  const Index& index_;
  std::vector<int32_t> frequencies_, touched_;
  std::vector<double> discounts_;
  std::vector<int64_t> last_seen_in_;
  std::vector<double> norms_;
  std::vector<int64_t> norms_of_;
  int64_t group_ = -1, document_ = 0;
  double all_ = 0;
};

// The same similarities where each group of pairs has its own small corpus: group k scores the pairs
// pair_bounds[k] .. pair_bounds[k + 1] with the idf of the documents document_bounds[k] .. document_bounds[k + 1].
auto grouped_cider_similarities(In1<int32_t> ngrams, In1<int32_t> counts, In1<int64_t> bounds, int orders,
                                In1<int64_t> lengths, int64_t distinct, In1<int64_t> candidates,
                                In1<int64_t> references, In1<int64_t> pair_bounds, In1<int64_t> documents,
                                In1<int64_t> document_bounds, bool clipped, double sigma) {
  if (pair_bounds.shape(0) != document_bounds.shape(0)) {
    throw std::invalid_argument("grouped_cider_similarities: groups of pairs and of documents differ");
  }
  const Index index = make_index(ngrams, counts, bounds, orders);
  std::vector<double> similarities(candidates.shape(0), 0.0);
  {
    nb::gil_scoped_release release;
    const TfidfCosine cosine(index, lengths.data(), clipped, sigma);
    GroupWeights weights(index, distinct, lengths.shape(0));
    InterruptCheck tick;
    for (size_t group = 0; group + 1 < pair_bounds.shape(0); ++group) {
      const int64_t first = document_bounds.data()[group];
      weights.set(documents.data() + first, document_bounds.data()[group + 1] - first);
      for (int64_t pair = pair_bounds.data()[group]; pair < pair_bounds.data()[group + 1]; ++pair) {
        tick(kWorkPerPair);
        similarities[pair] = cosine(
            candidates.data()[pair], references.data()[pair], [&](int32_t ngram) { return weights.idf(ngram); },
            [&](int64_t sentence) { return weights.norms(sentence); });
      }
    }
  }
  return to_numpy(std::move(similarities));
}

}  // namespace

void bind_ngrams(nb::module_& m) {
  m.def("ngram_index", &ngram_index, nb::arg("tokens"), nb::arg("offsets"), nb::arg("orders"));
  m.def("ngram_keys", &ngram_keys, nb::arg("words"), nb::arg("prefixes"), nb::arg("lasts"));
  m.def("bleu_statistics", &bleu_statistics);
  m.def("document_frequencies", &document_frequencies);
  m.def("tfidf_norms", &tfidf_norms);
  m.def("cider_similarities", &cider_similarities);
  m.def("grouped_cider_similarities", &grouped_cider_similarities);
}

}  // namespace kataribe
