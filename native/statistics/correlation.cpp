// Rank correlation of weighted rows: what Kendall's and Spearman's coefficients are made of, for many sets of weights.
//
// Rows come sorted by x, then y. For each set of weights one pass over them counts concordant and discordant pairs with
// a Fenwick tree over the values of y. Knight, W. R. (1966). A computer method for calculating Kendall's tau with
// ungrouped data. JASA 61(314). Fenwick, P. M. (1994). A new data structure for cumulative frequency tables. Software:
// Practice and Experience 24(3).
#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "common/bindings.hpp"
#include "common/interrupt.hpp"

namespace kataribe {
namespace {

using std::int32_t;
using std::int64_t;
using std::size_t;

constexpr size_t kColumns = 8;

class CumulativeWeights {
 public:
  explicit CumulativeWeights(size_t size) : tree_(size + 1) {}

  void clear() { std::fill(tree_.begin(), tree_.end(), 0.0); }

  void add(size_t place, double weight) {
    for (size_t i = place + 1; i < tree_.size(); i += i & (~i + 1)) tree_[i] += weight;
  }

  double before(size_t place) const {
    double sum = 0;
    for (size_t i = place; i > 0; i -= i & (~i + 1)) sum += tree_[i];
    return sum;
  }

 private:
  std::vector<double> tree_;
};

// How much weight each value has, and the rank that its rows share.
class Level {
 public:
  explicit Level(size_t values) : weight_(values), rank_(values) {}

  void clear() { std::fill(weight_.begin(), weight_.end(), 0.0); }
  void add(size_t value, double weight) { weight_[value] += weight; }

  void rank_all() {
    double before = 0;
    for (size_t value = 0; value < weight_.size(); ++value) {
      rank_[value] = before + (weight_[value] + 1) / 2;
      before += weight_[value];
    }
  }

  double rank(size_t value) const { return rank_[value]; }

  double tied_pairs() const {
    double pairs = 0;
    for (const double w : weight_) pairs += w * (w - 1) / 2;
    return pairs;
  }

  double used() const {
    return static_cast<double>(std::count_if(weight_.begin(), weight_.end(), [](double w) { return w > 0; }));
  }

  double scatter(double mean) const {
    double sum = 0;
    for (size_t value = 0; value < weight_.size(); ++value)
      sum += weight_[value] * (rank_[value] - mean) * (rank_[value] - mean);
    return sum;
  }

 private:
  std::vector<double> weight_, rank_;
};

auto rank_statistics(In1<int32_t> x, In1<int32_t> y, In1<int64_t> units, size_t x_values, size_t y_values,
                     In2<double> weights) {
  const size_t rows = x.shape(0), replicates = weights.shape(0), unit_count = weights.shape(1);
  if (y.shape(0) != rows || units.shape(0) != rows) throw std::invalid_argument("x, y and units differ in length");
  for (size_t row = 0; row < rows; ++row) {
    const bool inside = x.data()[row] >= 0 && static_cast<size_t>(x.data()[row]) < x_values && y.data()[row] >= 0 &&
                        static_cast<size_t>(y.data()[row]) < y_values && units.data()[row] >= 0 &&
                        static_cast<size_t>(units.data()[row]) < unit_count;
    if (!inside) throw std::invalid_argument("a value or a unit is out of range");
  }
  std::vector<double> found(replicates * kColumns);
  {
    nb::gil_scoped_release release;
    CumulativeWeights seen(y_values);
    Level x_level(x_values), y_level(y_values);
    InterruptCheck tick;
    for (size_t replicate = 0; replicate < replicates; ++replicate) {
      const double* weight_of = weights.data() + replicate * unit_count;
      tick(1 + 16 * rows);
      seen.clear();
      x_level.clear();
      y_level.clear();
      double total = 0, balance = 0, tied_both = 0;
      for (size_t start = 0, end = 0; start < rows; start = end) {
        const int32_t value = x.data()[start];
        while (end < rows && x.data()[end] == value) ++end;
        // Rows of equal x are ties: all are compared with those before before any of them is added.
        double alike = 0;
        for (size_t row = start; row < end; ++row) {
          const double w = weight_of[units.data()[row]];
          if (row > start && y.data()[row] != y.data()[row - 1]) {
            tied_both += alike * (alike - 1) / 2;
            alike = 0;
          }
          alike += w;
          if (w == 0) continue;
          const size_t place = static_cast<size_t>(y.data()[row]);
          balance += w * (seen.before(place) - (total - seen.before(place + 1)));
        }
        tied_both += alike * (alike - 1) / 2;
        for (size_t row = start; row < end; ++row) {
          const double w = weight_of[units.data()[row]];
          if (w == 0) continue;
          seen.add(static_cast<size_t>(y.data()[row]), w);
          x_level.add(static_cast<size_t>(value), w);
          y_level.add(static_cast<size_t>(y.data()[row]), w);
          total += w;
        }
      }
      x_level.rank_all();
      y_level.rank_all();
      const double mean = (total + 1) / 2;
      double together = 0;
      for (size_t row = 0; row < rows; ++row) {
        const double w = weight_of[units.data()[row]];
        if (w != 0) together += w * (x_level.rank(x.data()[row]) - mean) * (y_level.rank(y.data()[row]) - mean);
      }
      double* out = found.data() + replicate * kColumns;
      out[0] = total;
      out[1] = balance;
      out[2] = x_level.tied_pairs();
      out[3] = y_level.tied_pairs();
      out[4] = tied_both;
      out[5] = std::min(x_level.used(), y_level.used());
      out[6] = together;
      out[7] = x_level.scatter(mean) * y_level.scatter(mean);
    }
  }
  return to_numpy(std::move(found), kColumns);
}

}  // namespace

void bind_correlation(nb::module_& m) {
  m.def(
      "rank_statistics", &rank_statistics, nb::arg("x"), nb::arg("y"), nb::arg("units"), nb::arg("x_values"),
      nb::arg("y_values"), nb::arg("weights"),
      "For each row of weights (one for each unit): rows, concordant minus discordant pairs, pairs tied in x, in y and "
      "in both, the smaller number of different values, and the sum of products of the ranks' deviations beside the "
      "product of their sums of squares. Rows are sorted by x, then y; x and y count from 0.");
}

}  // namespace kataribe
