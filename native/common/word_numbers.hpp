#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "common/interner.hpp"

namespace kataribe {

// The words of lines, numbered in order of first appearance. Words are read, hashed and compared eight bytes at a time:
// few are longer.
class WordNumbers {
 public:
  // Appends the number of each word of a line.
  void append_words(std::string_view line, std::vector<std::uint32_t>& numbers) {
    for (std::size_t at = 0; at < line.size(); ++at) {
      const std::uint64_t first = eight_at(line, at);
      const std::size_t end = end_of_word(line, at, first);
      if (end > at) numbers.push_back(add(line.substr(at, end - at), first));
      at = end;
    }
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(words_.size()); }
  // Valid until the next word is added.
  std::string_view operator[](std::uint32_t number) const {
    return std::string_view(bytes_).substr(words_[number].offset, words_[number].length);
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr std::uint64_t kEach = 0x0101010101010101u;

  struct Word {
    std::uint64_t first;  // its first eight bytes, the first of all in the lowest place; zeros after its end
    std::size_t offset, length;
  };

  // Other blanks, such as the no-break space, are part of a word.
  static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r' && c != '\v'); }

  // The byte at a place of a line in the lowest place, then those after it; zeros after the end of the line.
  static std::uint64_t eight_at(std::string_view line, std::size_t at) {
    std::uint64_t eight = 0;
    if constexpr (std::endian::native == std::endian::little) {
      if (at + 8 <= line.size()) {
        std::memcpy(&eight, line.data() + at, 8);
        return eight;
      }
      if (line.size() >= 8) {
        std::memcpy(&eight, line.data() + line.size() - 8, 8);
        return eight >> 8 * (at + 8 - line.size());
      }
    }
    for (std::size_t k = 0; k < 8 && at + k < line.size(); ++k)
      eight |= std::uint64_t{static_cast<unsigned char>(line[at + k])} << 8 * k;
    return eight;
  }

  static std::size_t end_of_word(std::string_view line, std::size_t at, std::uint64_t eight) {
    while (true) {
      // The top bit of each byte up to a blank; above the lowest such byte the subtraction may carry and be wrong.
      const std::uint64_t low = (eight - (' ' + 1) * kEach) & ~eight & 0x80 * kEach;
      at += low == 0 ? 8 : static_cast<std::size_t>(std::countr_zero(low)) / 8;
      if (at >= line.size() || (low != 0 && is_blank(line[at]))) return at;
      at += low != 0;  // a control character is part of the word
      if (at >= line.size()) return at;
      eight = eight_at(line, at);
    }
  }

  std::uint32_t add(std::string_view text, std::uint64_t first) {
    const bool is_short = text.size() <= 8;
    if (is_short) first &= ~std::uint64_t{0} >> (64 - 8 * text.size());
    if (2 * (words_.size() + 1) > slots_.size()) grow();
    std::size_t slot = home_of(text, first);
    for (; slots_[slot] != kNone; slot = (slot + 1) & (slots_.size() - 1)) {
      const Word& word = words_[slots_[slot]];
      if (word.first == first && word.length == text.size() && (is_short || (*this)[slots_[slot]] == text))
        return slots_[slot];
    }
    slots_[slot] = size();
    words_.push_back({first, bytes_.size(), text.size()});
    bytes_ += text;
    return size() - 1;
  }

  // Where to look first in the table: open addressing, a power of two of slots, at most half of them taken.
  std::size_t home_of(std::string_view text, std::uint64_t first) const {
    std::uint64_t hash = first;
    if (text.size() > 8) hash ^= hash_bytes(text.substr(8));
    return (hash ^ hash >> 32) * 0x9E3779B97F4A7C15u >> 32 & (slots_.size() - 1);
  }

  void grow() {
    slots_.assign(slots_.empty() ? 1024 : 2 * slots_.size(), kNone);
    for (std::uint32_t number = 0; number < size(); ++number) {
      std::size_t slot = home_of((*this)[number], words_[number].first);
      while (slots_[slot] != kNone) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = number;
    }
  }

  std::string bytes_;
  std::vector<Word> words_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace kataribe
