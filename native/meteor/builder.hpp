#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/interner.hpp"
#include "meteor/phrase_trie.hpp"

namespace kataribe {

// Compiles METEOR's text files into the resource of meteor_format.hpp.
class MeteorResourceBuilder {
 public:
  MeteorResourceBuilder(std::string_view function_words, std::string_view exceptions, std::string_view synsets,
                        std::string_view dot_prefixes);

  // The next piece of the decompressed paraphrase table, cut anywhere.
  void add_paraphrases(std::string_view piece);

  // The bytes of the file. Ends the use of the builder.
  std::string finish();

 private:
  void add_line(std::string_view line);
  std::uint32_t phrase(std::string_view words);
  std::vector<std::uint32_t> number_breadth_first() const;
  std::vector<std::uint32_t> stem_words();

  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  Interner words_;
  std::vector<Pair> synsets_;      // word, synset
  std::vector<Pair> bases_;        // irregular form, base
  std::vector<Pair> paraphrases_;  // phrase, paraphrase
  std::uint32_t function_word_count_;
  std::string dot_prefixes_;
  PhraseTrie phrases_;
  std::string partial_line_;
  std::uint64_t line_count_ = 0;
  std::string last_source_text_;
  std::uint32_t last_source_ = 0;
};

}  // namespace kataribe
