#pragma once

#include <cstdint>
#include <vector>

namespace kataribe {

// The words of the hypothesis that a path of the search has used: if there are at most 64, and for any number.
class UsedWords64 {
 public:
  void clear(std::size_t) { bits_ = 0; }
  bool is_free(std::size_t start, std::size_t length) const { return (bits_ & mask(start, length)) == 0; }
  void add(std::size_t start, std::size_t length) { bits_ |= mask(start, length); }

 private:
  static std::uint64_t mask(std::size_t start, std::size_t length) {
    return ~std::uint64_t{0} >> (64 - length) << start;
  }
  std::uint64_t bits_ = 0;
};

class UsedWords {
 public:
  void clear(std::size_t words) { used_.assign(words, false); }
  bool is_free(std::size_t start, std::size_t length) const {
    for (std::size_t i = start; i < start + length; ++i)
      if (used_[i]) return false;
    return true;
  }
  void add(std::size_t start, std::size_t length) {
    for (std::size_t i = start; i < start + length; ++i) used_[i] = true;
  }

 private:
  std::vector<bool> used_;
};

}  // namespace kataribe
