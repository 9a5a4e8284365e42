// BLEU's counts of n-grams.
#include <algorithm>
#include <limits>

#include "common/interrupt.hpp"
#include "common/ragged.hpp"
#include "ngrams/ngram_index.hpp"

namespace kataribe {
namespace {

using std::int32_t;
using std::int64_t;
using std::size_t;

// Among equally close lengths the shorter counts.
int64_t closest_length(const TokenIndex& tokens, int64_t length, std::span<const int64_t> references) {
  int64_t closest = std::numeric_limits<int64_t>::max();
  for (const int64_t reference : references) {
    const int64_t other = tokens.length(reference);
    const int64_t gap = std::abs(other - length), best_gap = std::abs(closest - length);
    if (closest == std::numeric_limits<int64_t>::max() || gap < best_gap || (gap == best_gap && other < closest)) {
      closest = other;
    }
  }
  return closest;
}

// Per item: candidate length, closest reference length, then for each order the n-grams guessed and those correct
// (each at most as often as in the reference that has it most).
auto bleu_statistics(const NgramIndex& index, In1<int64_t> candidates, const RaggedArrays<int64_t>& reference_lists) {
  const Ragged<int64_t> references(reference_lists, "bleu_statistics");
  const size_t items = candidates.shape(0);
  if (references.size() != items) throw std::invalid_argument("bleu_statistics: references of other items");
  index.tokens().check(candidates);
  index.tokens().check(reference_lists.first);
  const int orders = index.orders();
  const size_t columns = 2 + 2 * orders;
  std::vector<int64_t> rows(items * columns, 0);
  {
    nb::gil_scoped_release release;
    const int32_t* counts = index.counts().data();
    std::vector<int32_t> allowed;
    InterruptCheck tick;
    for (size_t item = 0; item < items; ++item) {
      int64_t* row = rows.data() + item * columns;
      const int64_t candidate = candidates.data()[item], length = index.tokens().length(candidate);
      tick(kWorkPerToken * (1 + length) * (1 + references[item].size()));
      row[0] = length;
      row[1] = closest_length(index.tokens(), length, references[item]);
      for (int n = 0; n < orders; ++n) {
        const int64_t begin = index.begin(candidate, n);
        allowed.assign(index.end(candidate, n) - begin, 0);
        for (const int64_t reference : references[item]) {
          index.meet(candidate, reference, n,
                     [&](int64_t i, int64_t j) { allowed[i - begin] = std::max(allowed[i - begin], counts[j]); });
        }
        int64_t correct = 0;
        for (size_t i = 0; i < allowed.size(); ++i) correct += std::min(allowed[i], counts[begin + i]);
        row[2 + n] = std::max<int64_t>(0, length - n);
        row[2 + orders + n] = correct;
      }
    }
  }
  return to_numpy(std::move(rows), columns);
}

}  // namespace

void bind_bleu(nb::module_& m) {
  m.def("bleu_statistics", &bleu_statistics, nb::arg("index"), nb::arg("candidates"), nb::arg("references"));
}

}  // namespace kataribe
