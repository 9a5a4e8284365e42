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
  // What the search counts for it, on both sides together. METEOR halves all stages but the exact one there and
  // cuts each side down to an integer, so a lone inexact word counts nothing.
  std::uint8_t search_weight;
};

// A word of the reference where candidates begin.
struct MeteorStop {
  std::uint32_t position;
  std::uint32_t begin, end;  // its candidates, in the order METEOR finds them
  bool is_fixed;             // it has one candidate, and none of its words is in any other
};

// Finds all candidates between a hypothesis and a reference. Fastest if pairs with the same hypothesis follow each
// other. Keeps scratch memory, so use one per thread.
class MeteorMatcher {
 public:
  explicit MeteorMatcher(const MeteorSentences& sentences);

  void match(std::size_t hypothesis, std::size_t reference);

  std::size_t hypothesis_length() const { return hypothesis_words_.size(); }
  std::size_t reference_length() const { return reference_words_.size(); }
  // From left to right.
  std::span<const MeteorStop> stops() const { return stops_; }
  std::span<const MeteorCandidate> candidates(const MeteorStop& stop) const {
    return {candidates_.data() + stop.begin, candidates_.data() + stop.end};
  }

 private:
  // Most words and phrases are not related, so most questions are answered by a bit in the fastest cache.
  class Set {
   public:
    explicit Set(std::size_t items) : bits_(items / 64 + 1) {}
    void add(std::uint32_t item) { bits_[item / 64] |= std::uint64_t{1} << item % 64; }
    bool has(std::uint32_t item) const { return bits_[item / 64] >> item % 64 & 1; }
    void clear() { std::fill(bits_.begin(), bits_.end(), 0); }

   private:
    std::vector<std::uint64_t> bits_;
  };
  // Where each word, stem or phrase stands in the hypothesis: a chain of places per item, in order.
  class Places {
   public:
    static constexpr std::uint32_t kEnd = UINT32_MAX;
    explicit Places(std::size_t items) : first_(items, kEnd) {}
    void reserve(std::size_t places) { next_.resize(std::max(next_.size(), places)); }
    // Add the last place first.
    void add(std::uint32_t item, std::size_t place) {
      next_[place] = first_[item];
      first_[item] = static_cast<std::uint32_t>(place);
    }
    void forget(std::uint32_t item) { first_[item] = kEnd; }
    std::uint32_t first(std::uint32_t item) const { return first_[item]; }
    std::uint32_t after(std::uint32_t place) const { return next_[place]; }

   private:
    std::vector<std::uint32_t> first_, next_;
  };
  struct PhraseMatch {
    std::uint16_t reference_start;
    MeteorCandidate candidate;
    std::uint64_t order;  // among those of the same pass that begin at the same word
  };
  struct Range {
    std::uint32_t epoch, begin, end;
  };

  void index_hypothesis(std::size_t hypothesis);
  void find_phrase_matches(std::size_t reference);
  void add_stop(std::size_t position, Range words, std::size_t& pass1, std::size_t& pass2);
  Range word_candidates(std::uint32_t word, bool exact_only);
  void append_words(const Places& places, std::uint32_t item, std::uint32_t other_than, MeteorStage stage);
  bool is_fixed(const MeteorStop& stop) const;

  const MeteorSentences& sentences_;
  std::size_t hypothesis_ = SIZE_MAX;
  std::span<const std::uint32_t> hypothesis_words_, reference_words_;
  std::span<const PhraseOccurrence> hypothesis_phrases_;
  Places words_, stems_, phrases_;
  Set related_words_, related_phrases_;  // to anything in the hypothesis

  std::vector<MeteorCandidate> candidates_;
  std::vector<MeteorStop> stops_;
  std::vector<Range> range_of_word_;  // valid if of the current epoch
  std::uint32_t epoch_ = 0;
  std::vector<PhraseMatch> pass1_, pass2_;
  std::vector<std::uint32_t> hypothesis_coverage_, reference_coverage_;  // how many candidates cover each word
};

}  // namespace kataribe
