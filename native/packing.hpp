// Eight integers at a time: which are below a limit, and those moved together. Needs AVX2.
#pragma once

#if defined(__AVX2__)

#include <immintrin.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace kataribe {

constexpr std::size_t kPacked = 8;

// For each set of lanes, which lane comes to each place: the lanes of the set in order, then whatever.
constexpr auto kPackingOrders = [] {
  std::array<std::array<std::uint8_t, kPacked>, 1 << kPacked> orders{};
  for (unsigned set = 0; set < orders.size(); ++set)
    for (std::size_t lane = 0, place = 0; lane < kPacked; ++lane)
      if (set >> lane & 1) orders[set][place++] = static_cast<std::uint8_t>(lane);
  return orders;
}();

// A bit for each of eight keys.
inline unsigned which_are_below(std::int32_t limit, const std::int32_t* keys) {
  const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(keys));
  const __m256i below = _mm256_cmpgt_epi32(_mm256_set1_epi32(limit), all);
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(below)));
}

// Writes those of eight values that are in a set, in their order. Eight are written; those at the end mean nothing.
template <typename T>
void pack(const T* values, unsigned which, T* packed) {
  static_assert(sizeof(T) == 4);
  const auto* order = reinterpret_cast<const __m128i*>(kPackingOrders[which].data());
  const __m256i lanes = _mm256_cvtepu8_epi32(_mm_loadl_epi64(order));
  const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(packed), _mm256_permutevar8x32_epi32(all, lanes));
}

}  // namespace kataribe

#endif
