// What a BERT does between its matrix products, in place and without the GIL: attention within each text, GELU, and
// layer normalization. Tokens of all texts lie one after the other; nothing is padded.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "common/bindings.hpp"
#include "common/interrupt.hpp"
#include "common/lanes.hpp"

namespace kataribe {
namespace {

using Table = nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// A multiple of kLanes on every processor.
constexpr std::size_t kHeadStep = 8;

// The error function, to 5e-7. The quotient of polynomials was fitted to erf(x) / x over x^2 by least squares, weighted
// again and again until the greatest error was least; beyond 3.95 the function is 1 in single precision.
inline float error_function(float x) {
  constexpr std::array<float, 6> kAbove = {1.128378987f,    0.1940012127f,    0.05320247635f,
                                           0.003915829118f, 0.0002875645587f, 2.011969627e-6f};
  constexpr std::array<float, 6> kBelow = {1.0f,           0.5052605867f,   0.1155764684f,
                                           0.01526773069f, 0.001197834848f, 3.784019282e-5f};
  x = std::min(std::max(x, -3.95f), 3.95f);
  const float square = x * x;
  float above = kAbove[5], below = kBelow[5];
  for (int power = 4; power >= 0; --power) {
    above = above * square + kAbove[power];
    below = below * square + kBelow[power];
  }
  return std::min(std::max(x * above / below, -1.0f), 1.0f);
}

// e to the power of a number that is not positive, to 2e-7: a power of two times a polynomial for the rest.
inline float exponential(float x) {
  constexpr float kRounder = 12582912.0f;  // adding it rounds to an integer, which its last bits then hold
  x = std::max(x, -80.0f);
  const float shifted = x * 1.44269504f + kRounder;
  const float whole = shifted - kRounder;
  const float rest = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
  constexpr std::array<float, 7> kTerms = {1.0f, 1.0f, 0.5f, 1.0f / 6, 1.0f / 24, 1.0f / 120, 1.0f / 720};
  float power = kTerms[6];
  for (int term = 5; term >= 0; --term) power = power * rest + kTerms[term];
  const auto exponent = std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(kRounder);
  return power * std::bit_cast<float>((exponent + 127) << 23);
}

// A sum in several parts: the compiler may not reorder a single one.
template <typename Term>
float sum_of(std::size_t count, Term term) {
  float sums[kLanes] = {};
  std::size_t k = 0;
  for (; k + kLanes <= count; k += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += term(k + lane);
  float total = sum_of_lanes(lanes(sums));
  for (; k < count; ++k) total += term(k);
  return total;
}

void check(bool fits, const char* what) {
  if (!fits) throw std::invalid_argument(what);
}

void gelu(Table states, In1<float> bias) {
  check(bias.size() == states.shape(1), "the bias must be as long as the rows");
  const std::size_t width = states.shape(1);
  const float* __restrict shift = bias.data();
  nb::gil_scoped_release release;
  for (std::size_t row = 0; row < states.shape(0); ++row) {
    float* __restrict state = states.data() + row * width;
    for (std::size_t k = 0; k < width; ++k) {
      const float x = state[k] + shift[k];
      state[k] = 0.5f * x * (1.0f + error_function(x * 0.70710678f));
    }
  }
}

void add_and_normalize(Table states, In1<float> bias, In2<float> residual, In1<float> scale, In1<float> shift,
                       float epsilon) {
  const std::size_t width = states.shape(1);
  check(bias.size() == width && scale.size() == width && shift.size() == width,
        "parameters must be as long as the rows");
  check(residual.shape(0) == states.shape(0) && residual.shape(1) == width, "what is added must have the same shape");
  nb::gil_scoped_release release;
  for (std::size_t row = 0; row < states.shape(0); ++row) {
    float* state = states.data() + row * width;
    const float *added = residual.data() + row * width, *constant = bias.data();
    for (std::size_t k = 0; k < width; ++k) state[k] += constant[k] + added[k];
    const float mean = sum_of(width, [&](std::size_t k) { return state[k]; }) / static_cast<float>(width);
    const float variance =
        sum_of(width, [&](std::size_t k) { return (state[k] - mean) * (state[k] - mean); }) / static_cast<float>(width);
    const float inverse = 1.0f / std::sqrt(variance + epsilon);
    const float *factor = scale.data(), *offset = shift.data();
    for (std::size_t k = 0; k < width; ++k) state[k] = (state[k] - mean) * inverse * factor[k] + offset[k];
  }
}

// results[r][k] = sum over j of factors[r][j] * rows[j][k], for a few rows and columns, whose sums stay in registers.
template <std::size_t kRows, std::size_t kVectors>
void combine_block(const float* factors, std::size_t factor_stride, std::size_t count, const float* rows,
                   std::size_t stride, float* results, std::size_t result_stride) {
  Lanes sums[kRows][kVectors] = {};
  for (std::size_t j = 0; j < count; ++j)
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t v = 0; v < kVectors; ++v)
        sums[r][v] += factors[r * factor_stride + j] * lanes(rows + j * stride + v * kLanes);
  for (std::size_t r = 0; r < kRows; ++r)
    for (std::size_t v = 0; v < kVectors; ++v) lanes(results + r * result_stride + v * kLanes) = sums[r][v];
}

// The same for as many columns as there are, a multiple of kLanes.
template <std::size_t kRows>
void combine(const float* factors, std::size_t factor_stride, std::size_t count, const float* rows, std::size_t stride,
             std::size_t width, float* results, std::size_t result_stride) {
  std::size_t k = 0;
  for (; k + 2 * kLanes <= width; k += 2 * kLanes)
    combine_block<kRows, 2>(factors, factor_stride, count, rows + k, stride, results + k, result_stride);
  if (k < width) combine_block<kRows, 1>(factors, factor_stride, count, rows + k, stride, results + k, result_stride);
}

void softmax(float* weights, std::size_t length) {
  float most = weights[0];
  for (std::size_t j = 1; j < length; ++j) most = std::max(most, weights[j]);
  for (std::size_t j = 0; j < length; ++j) weights[j] = exponential(weights[j] - most);
  const float inverse = 1.0f / sum_of(length, [&](std::size_t j) { return weights[j]; });
  for (std::size_t j = 0; j < length; ++j) weights[j] *= inverse;
}

// Queries of a head that are answered together.
constexpr std::size_t kQueries = 4;

// One head of one text: rows of queries, keys and values are `stride` apart, those of the result `result_stride`.
void attend_head(const float* queries, const float* keys, const float* values, std::size_t stride, std::size_t length,
                 std::size_t width, float* result, std::size_t result_stride, std::vector<float>& scratch) {
  const std::size_t columns = (length + kLanes - 1) / kLanes * kLanes;
  scratch.assign((width + kQueries) * columns, 0.0f);
  float *turned = scratch.data(), *weights = turned + width * columns;
  const float scale = 1.0f / std::sqrt(static_cast<float>(width));
  for (std::size_t k = 0; k < width; ++k)
    for (std::size_t j = 0; j < length; ++j) turned[k * columns + j] = keys[j * stride + k] * scale;
  const auto answer = [&]<std::size_t kCount>(std::size_t i) {
    combine<kCount>(queries + i * stride, stride, width, turned, columns, columns, weights, columns);
    for (std::size_t query = 0; query < kCount; ++query) softmax(weights + query * columns, length);
    combine<kCount>(weights, columns, length, values, stride, width, result + i * result_stride, result_stride);
  };
  std::size_t i = 0;
  for (; i + kQueries <= length; i += kQueries) answer.template operator()<kQueries>(i);
  for (; i < length; ++i) answer.template operator()<1>(i);
}

// A row of `projected` holds the query, key and value of a token, each with all heads one after the other.
void attend(Table projected, In1<float> bias, In1<std::int64_t> lengths, std::size_t heads, Table result) {
  const std::size_t all = result.shape(1), tokens = projected.shape(0);
  check(heads > 0 && all % (heads * kHeadStep) == 0 && projected.shape(1) == 3 * all && bias.size() == 3 * all,
        "a row must hold query, key and value of all heads, which are a multiple of 8 wide");
  const std::span counts(lengths.data(), lengths.size());
  check(result.shape(0) == tokens && std::ranges::all_of(counts, [](std::int64_t count) { return count >= 0; }) &&
            static_cast<std::size_t>(std::reduce(counts.begin(), counts.end())) == tokens,
        "lengths must add up to the number of tokens");
  nb::gil_scoped_release release;
  for (std::size_t token = 0; token < tokens; ++token)
    for (std::size_t k = 0; k < 3 * all; ++k) projected.data()[token * 3 * all + k] += bias.data()[k];
  std::vector<float> scratch;
  std::size_t first = 0;
  InterruptCheck tick;
  for (const std::int64_t count : counts) {
    tick(static_cast<std::uint64_t>(count * count) * all / kLanes);
    const float* text = projected.data() + first * 3 * all;
    for (std::size_t head = 0; head < all; head += all / heads)
      attend_head(text + head, text + all + head, text + 2 * all + head, 3 * all, static_cast<std::size_t>(count),
                  all / heads, result.data() + first * all + head, all, scratch);
    first += static_cast<std::size_t>(count);
  }
}

}  // namespace

void bind_bert(nb::module_& m) {
  m.def("bert_attend", &attend, nb::arg("projected").noconvert(), nb::arg("bias"), nb::arg("lengths"), nb::arg("heads"),
        nb::arg("result").noconvert());
  m.def("bert_gelu", &gelu, nb::arg("states").noconvert(), nb::arg("bias"));
  m.def("bert_add_and_normalize", &add_and_normalize, nb::arg("states").noconvert(), nb::arg("bias"),
        nb::arg("residual"), nb::arg("scale"), nb::arg("shift"), nb::arg("epsilon"));
}

}  // namespace kataribe
