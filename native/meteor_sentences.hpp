#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "interner.hpp"
#include "meteor_resource.hpp"

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

// Sentences prepared for METEOR: all that depends on one sentence alone is done here, once.
//
// Words and phrases carry numbers of this batch, and relations between them are cut down to the batch: a word's
// synonyms and a phrase's paraphrases are listed only if they occur in one of the sentences.
class MeteorSentences {
 public:
  static constexpr std::uint32_t kNoStem = UINT32_MAX;
  static constexpr std::size_t kMaxWords = INT16_MAX;

  // Lines of blank-separated tokens. Without a resource words match only exactly.
  MeteorSentences(const MeteorResource* resource, std::span<const std::string> lines);

  std::size_t size() const { return words_.size(); }
  std::size_t word_count() const { return is_function_.size(); }
  std::size_t stem_count() const { return stem_count_; }
  std::size_t phrase_count() const { return paraphrases_.size(); }

  std::span<const std::uint32_t> words(std::size_t sentence) const { return words_[sentence]; }
  std::span<const PhraseOccurrence> phrases(std::size_t sentence) const { return occurrences_[sentence]; }
  bool is_function(std::uint32_t word) const { return is_function_[word]; }
  // kNoStem if no other word of the batch has the same stem.
  std::uint32_t stem(std::uint32_t word) const { return stems_[word]; }
  std::span<const std::uint32_t> synonyms(std::uint32_t word) const { return synonyms_[word]; }
  // In the order of METEOR's table.
  std::span<const std::uint32_t> paraphrases(std::uint32_t phrase) const { return paraphrases_[phrase]; }
  // Its paraphrases and those it is a paraphrase of, in no particular order.
  std::span<const std::uint32_t> related(std::uint32_t phrase) const { return related_[phrase]; }

 private:
  void find_stems(const Interner& vocabulary);
  void find_synonyms(const MeteorResource& resource, const Interner& vocabulary);
  void find_related();
  void find_phrases(const MeteorResource& resource, const Interner& vocabulary);

  Lists<std::uint32_t> words_;
  Lists<PhraseOccurrence> occurrences_;
  std::vector<std::uint8_t> is_function_;
  std::vector<std::uint32_t> stems_;
  std::size_t stem_count_ = 0;
  Lists<std::uint32_t> synonyms_;
  Lists<std::uint32_t> paraphrases_, related_;
};

}  // namespace kataribe
