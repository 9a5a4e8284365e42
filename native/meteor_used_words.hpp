#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "meteor_sentences.hpp"

namespace kataribe {

// Sets of words of the hypothesis, for the search: of as many words as an integer has bits, and of any number.
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

struct ManyWords {
  using Words = std::vector<std::uint64_t>;  // 64 words each; what is missing at the end is empty
  static constexpr std::size_t kMost = MeteorSentences::kMaxWords;
  static Words none() { return {}; }
  static Words all() { return Words(kMost / 64 + 1, ~std::uint64_t{0}); }
  static Words range(std::size_t start, std::size_t length) {
    Words words((start + length - 1) / 64 + 1);
    for (std::size_t i = start; i < start + length; ++i) words[i / 64] |= std::uint64_t{1} << i % 64;
    return words;
  }
  static bool meet(const Words& a, const Words& b) {
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
      if ((a[i] & b[i]) != 0) return true;
    return false;
  }
  static Words together(const Words& a, const Words& b) {
    Words both = a.size() < b.size() ? b : a;
    const Words& other = a.size() < b.size() ? a : b;
    for (std::size_t i = 0; i < other.size(); ++i) both[i] |= other[i];
    return both;
  }
};

}  // namespace kataribe
