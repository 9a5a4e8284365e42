#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "common/word_numbers.hpp"
#include "meteor/resource.hpp"

namespace kataribe {

// A list of lists in two arrays.
template <typename T>
struct Lists {
  std::vector<std::size_t> starts{0};
  std::vector<T> values;

  void end_list() { starts.push_back(values.size()); }
  std::size_t size() const { return starts.size() - 1; }
  std::span<const T> operator[](std::size_t i) const {
    return {values.data() + starts[i], values.data() + starts[i + 1]};
  }
};

struct PhraseOccurrence {
  std::uint32_t phrase;
  std::uint16_t start, length;
};

// A phrase that METEOR's table relates to another one: lists it as a paraphrase of the other one, or the reverse.
struct RelatedPhrase {
  std::uint32_t phrase;
  std::uint32_t rank : 31;  // where the table lists it among the paraphrases of the same phrase
  std::uint32_t is_paraphrase : 1;
};

// Sentences prepared for METEOR: all that depends on one sentence alone is done here, once.
//
// Words and phrases carry numbers of this batch, and relations between them are cut down to the batch: synonyms and
// paraphrases are listed only if they occur in one of the sentences.
class MeteorSentences {
 public:
  static constexpr std::uint32_t kNoStem = UINT32_MAX;
  static constexpr std::size_t kMaxWords = INT16_MAX;

  // line(i): the tokens of sentence i, separated by blanks; asked for in turn, and valid until the next is. Without a
  // resource words match only exactly.
  using Line = std::function<std::string_view(std::size_t sentence)>;
  MeteorSentences(const MeteorResource* resource, std::size_t count, const Line& line);

  std::size_t size() const { return words_.size(); }
  std::size_t word_count() const { return is_function_.size(); }
  std::size_t stem_count() const { return stem_count_; }
  std::size_t phrase_count() const { return related_phrases_.size(); }

  std::span<const std::uint32_t> words(std::size_t sentence) const { return words_[sentence]; }
  std::span<const PhraseOccurrence> phrases(std::size_t sentence) const { return occurrences_[sentence]; }
  bool is_function(std::uint32_t word) const { return is_function_[word]; }
  std::int32_t function_word_count(std::size_t sentence) const { return function_word_counts_[sentence]; }
  // kNoStem if no other word of the batch has the same stem.
  std::uint32_t stem(std::uint32_t word) const { return stems_[word]; }
  std::span<const std::uint32_t> synonyms(std::uint32_t word) const { return synonyms_[word]; }
  // All words that match it in any way: itself, words of the same stem, synonyms.
  std::span<const std::uint32_t> related_words(std::uint32_t word) const { return related_words_[word]; }
  // First its paraphrases, in the order of METEOR's table, then those it is a paraphrase of.
  std::span<const RelatedPhrase> related_phrases(std::uint32_t phrase) const { return related_phrases_[phrase]; }

 private:
  // Of the words of the batch: their texts, and their numbers in the resource.
  struct Vocabulary {
    WordNumbers texts;
    std::vector<std::uint32_t> known;
  };

  void find_stems(const MeteorResource& resource, const Vocabulary& vocabulary);
  void find_synonyms(const MeteorResource& resource, const Vocabulary& vocabulary);
  void relate_words();
  void find_phrases(const MeteorResource& resource, const Vocabulary& vocabulary);
  void relate_phrases(const MeteorResource& resource, std::span<const std::uint32_t> known_phrases);

  Lists<std::uint32_t> words_;
  Lists<PhraseOccurrence> occurrences_;
  std::vector<std::uint8_t> is_function_;
  std::vector<std::int32_t> function_word_counts_;
  std::vector<std::uint32_t> stems_;
  std::size_t stem_count_ = 0;
  Lists<std::uint32_t> synonyms_, related_words_;
  Lists<RelatedPhrase> related_phrases_;
};

}  // namespace kataribe
