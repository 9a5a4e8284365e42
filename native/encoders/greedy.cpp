// Greedy matching of vectors: each row of one matrix beside the nearest row of another, for many pairs of matrices.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include <nanobind/stl/vector.h>

#include "common/bindings.hpp"
#include "common/interrupt.hpp"
#include "common/lanes.hpp"

namespace kataribe {
namespace {

// A few rows of one matrix with a few of the other, so that each number that is fetched is used several times.
template <std::size_t kOnes, std::size_t kOthers>
void multiply_block(const float* ones, const float* others, std::size_t size, float* products, std::size_t stride) {
  Lanes sums[kOnes][kOthers] = {};
  std::size_t k = 0;
  for (; k + kLanes <= size; k += kLanes)
    for (std::size_t i = 0; i < kOnes; ++i)
      for (std::size_t j = 0; j < kOthers; ++j) sums[i][j] += lanes(ones + i * size + k) * lanes(others + j * size + k);
  for (std::size_t i = 0; i < kOnes; ++i)
    for (std::size_t j = 0; j < kOthers; ++j) {
      float product = sum_of_lanes(sums[i][j]);
      for (std::size_t rest = k; rest < size; ++rest) product += ones[i * size + rest] * others[j * size + rest];
      products[i * stride + j] = product;
    }
}

template <std::size_t kOnes>
void multiply_few(const float* ones, const float* others, std::size_t count_of_others, std::size_t size,
                  float* products) {
  constexpr std::size_t kOthers = 4;
  std::size_t j = 0;
  for (; j + kOthers <= count_of_others; j += kOthers)
    multiply_block<kOnes, kOthers>(ones, others + j * size, size, products + j, count_of_others);
  for (; j < count_of_others; ++j)
    multiply_block<kOnes, 1>(ones, others + j * size, size, products + j, count_of_others);
}

// products[i][j] = dot product of row i of one matrix with row j of another
void multiply_rows(const float* ones, std::size_t count_of_ones, const float* others, std::size_t count_of_others,
                   std::size_t size, float* products) {
  constexpr std::size_t kOnes = 2;
  std::size_t i = 0;
  for (; i + kOnes <= count_of_ones; i += kOnes)
    multiply_few<kOnes>(ones + i * size, others, count_of_others, size, products + i * count_of_others);
  for (; i < count_of_ones; ++i)
    multiply_few<1>(ones + i * size, others, count_of_others, size, products + i * count_of_others);
}

// Rows of vectors with a weight each, and what scales each to length 1; a row of zeros stays what it is.
struct Matrix {
  const float* rows;
  const double* weights;
  std::size_t count;
  std::vector<float> scales;

  Matrix(const In2<float>& vectors, const In1<double>& weights)
      : rows(vectors.data()), weights(weights.data()), count(vectors.shape(0)), scales(count) {
    const std::size_t size = vectors.shape(1);
    for (std::size_t row = 0; row < count; ++row) {
      float square;
      multiply_rows(rows + row * size, 1, rows + row * size, 1, size, &square);
      scales[row] = square > 0 ? 1 / std::sqrt(square) : 0;
    }
  }
};

// The greatest cosine of each row of one matrix with a row of the other, and the other way round.
void find_best(const Matrix& one, const Matrix& other, std::size_t size, std::vector<float>& products,
               std::vector<float>& best_of_one, std::vector<float>& best_of_other) {
  constexpr float kLeast = std::numeric_limits<float>::lowest();
  best_of_one.assign(one.count, kLeast);
  best_of_other.assign(other.count, kLeast);
  products.resize(one.count * other.count);
  multiply_rows(one.rows, one.count, other.rows, other.count, size, products.data());
  for (std::size_t i = 0; i < one.count; ++i)
    for (std::size_t j = 0; j < other.count; ++j) {
      const float cosine = products[i * other.count + j] * one.scales[i] * other.scales[j];
      best_of_one[i] = std::max(best_of_one[i], cosine);
      best_of_other[j] = std::max(best_of_other[j], cosine);
    }
}

double weighted_mean(const std::vector<float>& values, const double* weights) {
  double sum = 0, total = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    sum += weights[k] * values[k];
    total += weights[k];
  }
  return total > 0 ? sum / total : 0;
}

// For each pair of matrices two columns: the weighted mean over the rows of the one of their greatest cosine with a row
// of the other, and the same with the roles exchanged.
auto greedy_match(const std::vector<In2<float>>& vectors, const std::vector<In1<double>>& weights,
                  In1<std::int64_t> ones, In1<std::int64_t> others) {
  if (vectors.size() != weights.size()) throw std::invalid_argument("each matrix needs its weights");
  if (ones.size() != others.size()) throw std::invalid_argument("pairs need two sides");
  const std::size_t size = vectors.empty() ? 0 : vectors.front().shape(1);
  for (std::size_t number = 0; number < vectors.size(); ++number)
    if (vectors[number].shape(1) != size || weights[number].size() != vectors[number].shape(0))
      throw std::invalid_argument("matrices must be equally wide, and each row needs a weight");

  std::vector<double> means(2 * ones.size());
  {
    nb::gil_scoped_release release;
    std::vector<Matrix> matrices;
    matrices.reserve(vectors.size());
    for (std::size_t number = 0; number < vectors.size(); ++number)
      matrices.emplace_back(vectors[number], weights[number]);
    const auto matrix = [&](std::int64_t number) -> const Matrix& {
      if (number < 0 || static_cast<std::size_t>(number) >= matrices.size())
        throw std::out_of_range("no matrix has the number " + std::to_string(number));
      return matrices[number];
    };
    std::vector<float> products, best_of_one, best_of_other;
    InterruptCheck tick;
    for (std::size_t pair = 0; pair < ones.size(); ++pair) {
      const Matrix &one = matrix(ones.data()[pair]), &other = matrix(others.data()[pair]);
      if (one.count == 0 || other.count == 0) continue;
      tick(one.count * other.count * size / 8);
      find_best(one, other, size, products, best_of_one, best_of_other);
      means[2 * pair] = weighted_mean(best_of_one, one.weights);
      means[2 * pair + 1] = weighted_mean(best_of_other, other.weights);
    }
  }
  return to_numpy(std::move(means), 2);
}

}  // namespace

void bind_greedy(nb::module_& m) {
  m.def("greedy_match", &greedy_match, nb::arg("vectors"), nb::arg("weights"), nb::arg("ones"), nb::arg("others"));
}

}  // namespace kataribe
