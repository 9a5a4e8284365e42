// Many short lists in two arrays: list i is values[offsets[i]] .. values[offsets[i + 1]].
#pragma once

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include <nanobind/stl/pair.h>

#include "common/bindings.hpp"

namespace kataribe {

// As Python passes them: a tuple of values and offsets.
template <typename T>
using RaggedArrays = std::pair<In1<T>, In1<std::int64_t>>;

// Raises ValueError, with `what` before the message, unless the offsets cover that many values.
inline void check_offsets(const In1<std::int64_t>& offsets, std::size_t values, const char* what) {
  const std::int64_t* first = offsets.data();
  const std::size_t count = offsets.shape(0);
  if (count == 0 || first[0] != 0 || first[count - 1] != static_cast<std::int64_t>(values)) {
    throw std::invalid_argument(std::string(what) + ": offsets do not cover the values");
  }
  if (!std::is_sorted(first, first + count)) throw std::invalid_argument(std::string(what) + ": offsets descend");
}

// Checked once, where it is made; keeps the arrays alive.
template <typename T>
class Ragged {
 public:
  Ragged(const RaggedArrays<T>& arrays, const char* what) : values_(arrays.first), offsets_(arrays.second) {
    check_offsets(offsets_, values_.shape(0), what);
  }

  std::size_t size() const { return offsets_.shape(0) - 1; }
  std::span<const T> values() const { return {values_.data(), values_.shape(0)}; }
  std::span<const std::int64_t> offsets() const { return {offsets_.data(), offsets_.shape(0)}; }

  std::span<const T> operator[](std::size_t list) const {
    const std::int64_t* offset = offsets_.data() + list;
    return {values_.data() + offset[0], static_cast<std::size_t>(offset[1] - offset[0])};
  }

 private:
  In1<T> values_;
  In1<std::int64_t> offsets_;
};

}  // namespace kataribe
