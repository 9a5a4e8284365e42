#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/mapped_file.hpp"
#include "meteor/format.hpp"
#include "meteor/normalize.hpp"

namespace kataribe {

// METEOR's English data, memory mapped. Opening checks the frame only, so every number read from the file is
// checked where it is used: a damaged file raises, it never reads outside the mapping.
class MeteorResource {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr std::uint32_t kRoot = 0;

  explicit MeteorResource(const std::string& path);

  // Reads the whole file once; throws if any byte has changed since it was built.
  void verify() const;

  std::size_t word_count() const { return function_words_.size(); }
  std::size_t phrase_count() const { return trie_words_.size(); }
  std::uint32_t find_word(std::string_view word) const;
  bool is_function_word(std::uint32_t word) const { return at(function_words_, word) != 0; }
  // The number of its stem, which is the number of a word.
  std::uint32_t stem(std::uint32_t word) const { return at(stems_, word); }
  // The synsets METEOR gives a word, inflected or not. Sorted, without repeats.
  std::span<const std::uint32_t> synsets(std::uint32_t word) const { return slice(synsets_, synset_starts_, word); }
  // The same for a word that the resource does not know: it may know a base form.
  std::span<const std::uint32_t> synsets_of_unknown(std::string_view word) const;

  // The phrase that goes on with `word` after `phrase` (kRoot: the one-word phrase), or kNone.
  std::uint32_t extend(std::uint32_t phrase, std::uint32_t word) const;
  // All words that make a longer phrase of it.
  std::span<const std::uint32_t> followers(std::uint32_t phrase) const {
    return slice(trie_words_, trie_children_, phrase);
  }
  std::span<const std::uint32_t> paraphrases(std::uint32_t phrase) const {
    return slice(paraphrases_, paraphrase_starts_, phrase);
  }

  const DotPrefixes& dot_prefixes() const { return dot_prefixes_; }

 private:
  template <typename T>
  static T at(std::span<const T> values, std::size_t index) {
    if (index >= values.size()) fail("an index points outside its section");
    return values[index];
  }

  template <typename T>
  static std::span<const T> slice(std::span<const T> values, std::span<const std::uint32_t> starts,
                                  std::uint32_t index) {
    const std::uint32_t begin = at(starts, index), end = at(starts, std::size_t{index} + 1);
    if (begin > end || end > values.size()) fail("a range points outside its section");
    return values.subspan(begin, end - begin);
  }

  [[noreturn]] static void fail(const char* why);
  const meteor_format::Header& header() const;
  template <typename T>
  std::span<const T> section(meteor_format::Section which) const;
  std::string_view word_text(std::uint32_t word) const;

  MappedFile file_;
  std::span<const std::uint32_t> word_starts_, word_slots_, stems_, entry_starts_, entries_, synset_starts_, synsets_;
  std::span<const std::uint32_t> trie_words_, trie_children_, paraphrase_starts_, paraphrases_;
  std::span<const std::uint8_t> function_words_;
  std::span<const char> word_bytes_;
  DotPrefixes dot_prefixes_;
};

}  // namespace kataribe
