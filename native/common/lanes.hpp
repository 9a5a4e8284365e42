// Numbers of single precision side by side, as many as a register holds.
#pragma once

#include <cstddef>

namespace kataribe {

#if defined(__AVX__)
constexpr std::size_t kLanes = 8;
#else
constexpr std::size_t kLanes = 4;
#endif
using Lanes = float __attribute__((vector_size(kLanes * sizeof(float)), aligned(alignof(float)), may_alias));

inline Lanes& lanes(float* at) { return *reinterpret_cast<Lanes*>(at); }
inline const Lanes& lanes(const float* at) { return *reinterpret_cast<const Lanes*>(at); }

inline float sum_of_lanes(const Lanes& sums) {
  float total = 0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) total += sums[lane];
  return total;
}

}  // namespace kataribe
