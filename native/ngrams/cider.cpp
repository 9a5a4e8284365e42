// Document frequencies of n-grams, and CIDEr, which weighs n-grams by them.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "common/interrupt.hpp"
#include "common/ragged.hpp"
#include "ngrams/ngram_index.hpp"

namespace kataribe {
namespace {

using std::int32_t;
using std::int64_t;
using std::size_t;

// In how many items' sentences (taken together) each n-gram stands.
auto document_frequencies(const NgramIndex& index, const RaggedArrays<int64_t>& sentences) {
  const Ragged<int64_t> items(sentences, "document_frequencies");
  index.tokens().check(sentences.first);
  std::vector<double> frequencies(index.distinct(), 0.0);
  {
    nb::gil_scoped_release release;
    std::vector<int64_t> seen_in(index.distinct(), -1);
    InterruptCheck tick;
    for (size_t item = 0; item < items.size(); ++item) {
      for (const int64_t sentence : items[item]) {
        tick(kWorkPerPair);
        for (const int32_t ngram : index.ngrams_of(sentence)) {
          if (seen_in[ngram] == static_cast<int64_t>(item)) continue;
          seen_in[ngram] = static_cast<int64_t>(item);
          frequencies[ngram] += 1;
        }
      }
    }
  }
  return to_numpy(std::move(frequencies));
}

void check_idf(const NgramIndex& index, const In1<double>& idf) {
  if (idf.shape(0) != index.distinct()) throw std::invalid_argument("one idf is needed for each n-gram");
}

// The length of each sentence's tf-idf vector, for each order.
auto tfidf_norms(const NgramIndex& index, In1<double> idf) {
  check_idf(index, idf);
  const size_t cells = index.bounds().size() - 1;
  std::vector<double> norms(cells, 0.0);
  {
    nb::gil_scoped_release release;
    InterruptCheck tick;
    for (size_t cell = 0; cell < cells; ++cell) {
      tick(kWorkPerToken);
      for (int64_t i = index.bounds()[cell]; i < index.bounds()[cell + 1]; ++i) {
        const double weight = index.counts()[i] * idf.data()[index.ngrams()[i]];
        norms[cell] += weight * weight;
      }
      norms[cell] = std::sqrt(norms[cell]);
    }
  }
  return to_numpy(std::move(norms), static_cast<size_t>(index.orders()));
}

// Per (candidate, reference) pair: the mean over orders of the cosine of their tf-idf vectors. CIDEr-D clips the
// candidate's weights at the reference's and multiplies by a Gaussian of the difference in length.
class TfidfCosine {
 public:
  TfidfCosine(const NgramIndex& index, bool clipped, double sigma) : index_(index), clipped_(clipped), sigma_(sigma) {}

  // `idf` gives the weight of an n-gram, `norms` the lengths of a sentence's vectors, one for each order.
  template <typename Idf, typename Norms>
  double operator()(int64_t candidate, int64_t reference, Idf idf, Norms norms) const {
    double sum = 0;
    for (int n = 0; n < index_.orders(); ++n) {
      double product = 0;
      index_.meet(candidate, reference, n, [&](int64_t i, int64_t j) {
        const double weight = idf(index_.ngrams()[i]);
        const double in_candidate = index_.counts()[i] * weight, in_reference = index_.counts()[j] * weight;
        product += (clipped_ ? std::min(in_candidate, in_reference) : in_candidate) * in_reference;
      });
      const double norm = norms(candidate)[n] * norms(reference)[n];
      sum += norm > 0 ? product / norm : product;
    }
    if (sigma_ > 0) {
      // The original counts bigrams where it says length: a sentence of one word is as long as an empty one.
      const auto bigrams = [&](int64_t s) { return std::max<int64_t>(0, index_.tokens().length(s) - 1); };
      const auto delta = static_cast<double>(bigrams(candidate) - bigrams(reference));
      sum *= std::exp(-(delta * delta) / (2 * sigma_ * sigma_));
    }
    return sum / index_.orders();
  }

 private:
  const NgramIndex& index_;
  bool clipped_;
  double sigma_;
};

void check_pairs(const NgramIndex& index, const In1<int64_t>& candidates, const In1<int64_t>& references) {
  if (candidates.shape(0) != references.shape(0)) throw std::invalid_argument("pairs of different lengths");
  index.tokens().check(candidates);
  index.tokens().check(references);
}

auto cider_similarities(const NgramIndex& index, In1<double> idf, In2<double> norms, In1<int64_t> candidates,
                        In1<int64_t> references, bool clipped, double sigma) {
  check_idf(index, idf);
  if (norms.shape(0) != index.tokens().size() || norms.shape(1) != static_cast<size_t>(index.orders())) {
    throw std::invalid_argument("one norm is needed for each sentence and order");
  }
  check_pairs(index, candidates, references);
  const size_t pairs = candidates.shape(0);
  std::vector<double> similarities(pairs, 0.0);
  {
    nb::gil_scoped_release release;
    const TfidfCosine cosine(index, clipped, sigma);
    InterruptCheck tick;
    for (size_t pair = 0; pair < pairs; ++pair) {
      tick(kWorkPerPair);
      similarities[pair] = cosine(
          candidates.data()[pair], references.data()[pair], [&](int32_t ngram) { return idf.data()[ngram]; },
          [&](int64_t sentence) { return norms.data() + sentence * index.orders(); });
    }
  }
  return to_numpy(std::move(similarities));
}

// The weights of one group of documents after another, in arrays as large as the whole corpus that are cleaned only
// where a group touched them.
class GroupWeights {
 public:
  explicit GroupWeights(const NgramIndex& index)
      : index_(index),
        frequencies_(index.distinct(), 0),
        discounts_(index.distinct(), 0.0),
        last_seen_in_(index.distinct(), -1),
        norms_(index.tokens().size() * index.orders()),
        norms_of_(index.tokens().size(), -1) {}

  void set(std::span<const int64_t> documents) {
    for (const int32_t ngram : touched_) {
      frequencies_[ngram] = 0;
      discounts_[ngram] = 0;
    }
    touched_.clear();
    ++group_;
    all_ = std::log(static_cast<double>(std::max<size_t>(documents.size(), 1)));
    for (const int64_t document : documents) {
      for (const int32_t ngram : index_.ngrams_of(document)) {
        if (last_seen_in_[ngram] == document_) continue;
        last_seen_in_[ngram] = document_;
        if (frequencies_[ngram]++ == 0) touched_.push_back(ngram);
      }
      ++document_;
    }
    for (const int32_t ngram : touched_) discounts_[ngram] = std::log(static_cast<double>(frequencies_[ngram]));
  }

  double idf(int32_t ngram) const { return all_ - discounts_[ngram]; }

  const double* norms(int64_t sentence) {
    double* norms = norms_.data() + sentence * index_.orders();
    if (norms_of_[sentence] == group_) return norms;
    norms_of_[sentence] = group_;
    for (int n = 0; n < index_.orders(); ++n) {
      double sum = 0;
      for (int64_t i = index_.begin(sentence, n); i < index_.end(sentence, n); ++i) {
        const double weight = index_.counts()[i] * idf(index_.ngrams()[i]);
        sum += weight * weight;
      }
      norms[n] = std::sqrt(sum);
    }
    return norms;
  }

 private:
  const NgramIndex& index_;
  std::vector<int32_t> frequencies_, touched_;
  std::vector<double> discounts_;
  std::vector<int64_t> last_seen_in_;
  std::vector<double> norms_;
  std::vector<int64_t> norms_of_;
  int64_t group_ = -1, document_ = 0;
  double all_ = 0;
};

// The same similarities where each group of pairs has its own small corpus: group k scores the pairs
// pair_bounds[k] .. pair_bounds[k + 1] with the idf of its own list of documents.
auto grouped_cider_similarities(const NgramIndex& index, In1<int64_t> candidates, In1<int64_t> references,
                                In1<int64_t> pair_bounds, const RaggedArrays<int64_t>& documents, bool clipped,
                                double sigma) {
  check_pairs(index, candidates, references);
  const Ragged<int64_t> groups(RaggedArrays<int64_t>(candidates, pair_bounds), "grouped_cider_similarities");
  const Ragged<int64_t> corpora(documents, "grouped_cider_similarities");
  if (groups.size() != corpora.size()) {
    throw std::invalid_argument("grouped_cider_similarities: groups of pairs and of documents differ");
  }
  index.tokens().check(documents.first);
  std::vector<double> similarities(candidates.shape(0), 0.0);
  {
    nb::gil_scoped_release release;
    const TfidfCosine cosine(index, clipped, sigma);
    GroupWeights weights(index);
    InterruptCheck tick;
    for (size_t group = 0; group < groups.size(); ++group) {
      weights.set(corpora[group]);
      for (int64_t pair = groups.offsets()[group]; pair < groups.offsets()[group + 1]; ++pair) {
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

void bind_cider(nb::module_& m) {
  m.def("document_frequencies", &document_frequencies, nb::arg("index"), nb::arg("sentences"));
  m.def("tfidf_norms", &tfidf_norms, nb::arg("index"), nb::arg("idf"));
  m.def("cider_similarities", &cider_similarities, nb::arg("index"), nb::arg("idf"), nb::arg("norms"),
        nb::arg("candidates"), nb::arg("references"), nb::kw_only(), nb::arg("clipped"), nb::arg("sigma"));
  m.def("grouped_cider_similarities", &grouped_cider_similarities, nb::arg("index"), nb::arg("candidates"),
        nb::arg("references"), nb::arg("pair_bounds"), nb::arg("documents"), nb::kw_only(), nb::arg("clipped"),
        nb::arg("sigma"));
}

}  // namespace kataribe
