// What every binding file shares: the module registration functions and the array types of the boundary.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace kataribe {

namespace nb = nanobind;

// Read-only, contiguous, on the CPU: the only arrays the core takes.
template <typename T>
using In1 = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using In2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Hands a vector to numpy without a copy; numpy's array owns it from then on.
template <typename T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T>&& values) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* data = owned->data();
  const std::size_t size = owned->size();
  nb::capsule owner(owned.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return {data, {size}, owner};
}

template <typename T>
nb::ndarray<nb::numpy, T, nb::ndim<2>> to_numpy(std::vector<T>&& values, std::size_t columns) {
  const std::size_t rows = columns == 0 ? 0 : values.size() / columns;
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* data = owned->data();
  nb::capsule owner(owned.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return {data, {rows, columns}, owner};
}

// A read-only view of a vector that belongs to an object of Python; the view keeps the object alive.
template <typename T>
nb::ndarray<nb::numpy, const T, nb::ndim<1>> view_of(const std::vector<T>& values, nb::handle owner) {
  return {values.data(), {values.size()}, owner};
}

// Raises IndexError unless every index is one of `size` things.
inline void check_indices(const In1<std::int64_t>& indices, std::size_t size, const char* message) {
  for (std::size_t i = 0; i < indices.shape(0); ++i) {
    if (indices.data()[i] < 0 || static_cast<std::size_t>(indices.data()[i]) >= size) throw std::out_of_range(message);
  }
}

}  // namespace kataribe
