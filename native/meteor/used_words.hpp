#pragma once

#include <cstdint>
#include <limits>

namespace kataribe {

// Sets of words of the hypothesis, for the search: of as many words as an integer has bits.
template <typename Bits>
struct FewWords {
  using Words = Bits;
  static constexpr std::size_t kMost = std::numeric_limits<Bits>::digits;
  static Words none() { return 0; }
  static Words all() { return ~Bits{0}; }
  static Words range(std::size_t start, std::size_t length) { return ~Bits{0} >> (kMost - length) << start; }
  static bool meet(Words a, Words b) { return (a & b) != 0; }
  static Words together(Words a, Words b) { return a | b; }
};

}  // namespace kataribe
