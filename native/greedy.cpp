// Greedy matching of vectors: each row of one matrix beside the nearest row of another, for many pairs of matrices.
#include <algorithm>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>

#include "bindings.hpp"

namespace kataribe {
namespace {

// A dot product in eight running sums: the compiler may not reorder a single one.
float dot(const float* a, const float* b, std::size_t size) {
  constexpr std::size_t kLanes = 8;
  float sums[kLanes] = {};
  std::size_t k = 0;
  for (; k + kLanes <= size; k += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += a[k + lane] * b[k + lane];
  float total = ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
  for (; k < size; ++k) total += a[k] * b[k];
  return total;
}

// Rows of vectors with a weight each.
struct Matrix {
  const float* rows;
  const double* weights;
  std::size_t count;
};

double weighted_mean(const std::vector<float>& values, const double* weights) {
  double sum = 0, total = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    sum += weights[k] * values[k];
    total += weights[k];
  }
  return total > 0 ? sum / total : 0;
}

// Two columns: the weighted mean over the rows of the one of their greatest dot product with a row of the other, and
// the same with the roles exchanged. Matrix i has the rows from starts[i] to starts[i + 1].
auto greedy_match(In2<float> vectors, In1<double> weights, In1<std::int64_t> starts, In1<std::int64_t> ones,
                  In1<std::int64_t> others) {
  const std::span bounds(starts.data(), starts.size());
  if (bounds.empty() || bounds.front() != 0 || !std::ranges::is_sorted(bounds) ||
      static_cast<std::size_t>(bounds.back()) != vectors.shape(0) || weights.size() != vectors.shape(0))
    throw std::invalid_argument("starts must lead from 0 to the number of vectors, and each vector needs a weight");
  if (ones.size() != others.size()) throw std::invalid_argument("pairs need two sides");
  const std::size_t size = vectors.shape(1);
  const auto matrix = [&](std::int64_t number) {
    if (number < 0 || static_cast<std::size_t>(number) + 1 >= bounds.size())
      throw std::out_of_range("no matrix has the number " + std::to_string(number));
    const auto begin = static_cast<std::size_t>(bounds[number]), end = static_cast<std::size_t>(bounds[number + 1]);
    return Matrix{vectors.data() + begin * size, weights.data() + begin, end - begin};
  };

  std::vector<double> means(2 * ones.size());
  {
    nb::gil_scoped_release release;
    std::vector<float> best_of_one, best_of_other;
    for (std::size_t pair = 0; pair < ones.size(); ++pair) {
      const Matrix one = matrix(ones.data()[pair]), other = matrix(others.data()[pair]);
      if (one.count == 0 || other.count == 0) continue;
      constexpr float kLeast = std::numeric_limits<float>::lowest();
      best_of_one.assign(one.count, kLeast);
      best_of_other.assign(other.count, kLeast);
      for (std::size_t i = 0; i < one.count; ++i)
        for (std::size_t j = 0; j < other.count; ++j) {
          const float product = dot(one.rows + i * size, other.rows + j * size, size);
          best_of_one[i] = std::max(best_of_one[i], product);
          best_of_other[j] = std::max(best_of_other[j], product);
        }
      means[2 * pair] = weighted_mean(best_of_one, one.weights);
      means[2 * pair + 1] = weighted_mean(best_of_other, other.weights);
    }
  }
  return to_numpy(std::move(means), 2);
}

}  // namespace

void bind_greedy(nb::module_& m) {
  m.def("greedy_match", &greedy_match, nb::arg("vectors"), nb::arg("weights"), nb::arg("starts"), nb::arg("ones"),
        nb::arg("others"));
}

}  // namespace kataribe
