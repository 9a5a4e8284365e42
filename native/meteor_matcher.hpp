#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "meteor_sentences.hpp"

namespace kataribe {

enum MeteorStage : std::uint8_t { kExact, kStem, kSynonym, kParaphrase, kMeteorStages };

// Some words of the hypothesis that may be aligned with words of the reference. Where those begin is known from
// the list the candidate is in.
struct MeteorCandidate {
  std::uint16_t hypothesis_start;
  std::uint8_t hypothesis_length, reference_length;
  MeteorStage stage;

  // What the search counts for it, on both sides together. It halves all stages but the exact one and cuts each
  // side down to an integer, so a lone inexact word counts nothing.
  int search_weight() const { return stage == kExact ? 2 : hypothesis_length / 2 + reference_length / 2; }
};

// Finds all candidates between a hypothesis and a reference. Keeps scratch memory, so use one per thread.
class MeteorMatcher {
 public:
  explicit MeteorMatcher(const MeteorSentences& sentences);

  void match(std::size_t hypothesis, std::size_t reference);

  std::size_t hypothesis_length() const { return hypothesis_words_.size(); }
  std::size_t reference_length() const { return reference_words_.size(); }
  // The candidates that begin at a word of the reference, in the order METEOR finds them.
  std::span<const MeteorCandidate> starting_at(std::size_t position) const {
    const auto [begin, end] = ranges_[position];
    return {candidates_.data() + begin, candidates_.data() + end};
  }
  // What may happen at a word of the reference.
  enum class Kind : std::uint8_t {
    kNothing,  // no candidate begins here
    kFixed,    // one does, and none of its words is in any other
    kChoice,
  };
  Kind kind(std::size_t position) const { return kinds_[position]; }

 private:
  struct Range {
    std::uint32_t begin, end;
  };
  struct PhraseMatch {
    std::uint16_t reference_start;
    MeteorCandidate candidate;
  };
  // Most pairs of words or phrases are not related, so most questions are answered by a bit in the fastest cache.
  class Set {
   public:
    explicit Set(std::size_t items) : bits_(items / 64 + 1) {}
    void add(std::uint32_t item) { bits_[item / 64] |= std::uint64_t{1} << item % 64; }
    void add(std::span<const std::uint32_t> items) {
      for (const std::uint32_t item : items) add(item);
    }
    bool has(std::uint32_t item) const { return bits_[item / 64] >> item % 64 & 1; }
    void clear() { std::fill(bits_.begin(), bits_.end(), 0); }

   private:
    std::vector<std::uint64_t> bits_;
  };
  // Where each word, stem or phrase stands in a sentence: a chain of places per item, in order.
  class Places {
   public:
    static constexpr std::uint32_t kEnd = UINT32_MAX;
    explicit Places(std::size_t items) : head_(items, kEnd) {}
    void reserve(std::size_t places) { next_.resize(std::max(next_.size(), places)); }
    // Add the last place first.
    void add(std::uint32_t item, std::size_t place) {
      next_[place] = head_[item];
      head_[item] = static_cast<std::uint32_t>(place);
    }
    void forget(std::uint32_t item) { head_[item] = kEnd; }
    std::uint32_t first(std::uint32_t item) const { return head_[item]; }
    std::uint32_t after(std::uint32_t place) const { return next_[place]; }

   private:
    std::vector<std::uint32_t> head_, next_;
  };

  void index_hypothesis(std::size_t hypothesis);
  Range word_candidates(std::uint32_t word, bool exact_only);
  void append_words(const Places& places, std::uint32_t item, std::uint32_t other_than, MeteorStage stage);
  void find_phrase_matches(std::size_t reference);
  void sort_phrase_matches();
  void find_kinds();
  Kind kind_of(std::size_t position) const;

  const MeteorSentences& sentences_;
  std::size_t hypothesis_ = SIZE_MAX;
  std::span<const std::uint32_t> hypothesis_words_, reference_words_;
  std::span<const PhraseOccurrence> hypothesis_phrases_;
  Places words_, stems_, hypothesis_places_, reference_places_;
  Set synonyms_, related_phrases_;  // of anything in the hypothesis

  std::vector<MeteorCandidate> candidates_;
  std::vector<Range> ranges_;             // per reference position; positions of one word may share a range
  std::vector<Range> range_of_word_;      // valid where word_epoch_ is the current epoch
  std::vector<std::uint32_t> word_epoch_;
  std::uint32_t epoch_ = 0;
  std::vector<PhraseMatch> phrase_matches_;
  std::vector<std::uint8_t> in_second_pass_;
  std::vector<std::uint32_t> hypothesis_coverage_, reference_coverage_;
  std::vector<Kind> kinds_;
};

}  // namespace kataribe
