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

inline __m256i eight_at(const void* values) { return _mm256_loadu_si256(static_cast<const __m256i*>(values)); }

inline unsigned set_of(__m256i lanes) { return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(lanes))); }

// A bit for each of eight keys.
inline unsigned which_are_below(std::int32_t limit, const std::int32_t* keys) {
  return set_of(_mm256_cmpgt_epi32(_mm256_set1_epi32(limit), eight_at(keys)));
}
inline unsigned which_are_equal(std::int32_t key, const std::int32_t* keys) {
  return set_of(_mm256_cmpeq_epi32(_mm256_set1_epi32(key), eight_at(keys)));
}

// Writes those of eight values that are in a set, in their order. Eight are written; those at the end mean nothing.
inline void pack(__m256i values, unsigned which, void* packed) {
  const auto* order = reinterpret_cast<const __m128i*>(kPackingOrders[which].data());
  const __m256i lanes = _mm256_cvtepu8_epi32(_mm_loadl_epi64(order));
  _mm256_storeu_si256(static_cast<__m256i*>(packed), _mm256_permutevar8x32_epi32(values, lanes));
}

}  // namespace kataribe

#endif
