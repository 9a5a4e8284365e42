// The loops in which vectors of single precision are computed, compiled for each kind of processor.
#pragma once

#include <cstddef>

namespace kataribe {

// At most so many numbers are computed side by side, and so many queries of a head are answered together.
constexpr std::size_t kMostLanes = 8, kQueries = 4;

constexpr std::size_t padded(std::size_t length) { return (length + kMostLanes - 1) / kMostLanes * kMostLanes; }

struct Kernels {
  const char* name;

  // states[row][k] = GELU(states[row][k] + bias[k])
  void (*gelu)(float* states, std::size_t rows, std::size_t width, const float* bias);

  // Layer normalization of states + bias + residual, in the place of the states.
  void (*add_and_normalize)(float* states, std::size_t rows, std::size_t width, const float* bias,
                            const float* residual, const float* scale, const float* shift, float epsilon);

  // Attention within one text. A row of `projected` holds the query, key and value of a token, each with all heads one
  // after the other, and `bias` is added to it first. The width of a head is a multiple of kMostLanes. `scratch`
  // has room for width + kQueries rows of padded(length) numbers.
  void (*attend)(float* projected, const float* bias, std::size_t length, std::size_t heads, std::size_t width,
                 float* result, float* scratch);

  // products[i][j] = dot product of row i of one matrix with row j of another
  void (*multiply_rows)(const float* ones, std::size_t count_of_ones, const float* others, std::size_t count_of_others,
                        std::size_t size, float* products);
};

// Those for the processor at hand; with KATARIBE_PORTABLE=1 in the environment, those that run everywhere.
const Kernels& kernels();

}  // namespace kataribe
