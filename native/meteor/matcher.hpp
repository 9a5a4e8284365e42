#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <vector>

#include "meteor/sentences.hpp"

namespace kataribe {

// Two sentences have more paraphrases in common than can be tried in a sensible time.
class MeteorTooMuchWork : public std::exception {
 public:
  const char* what() const noexcept override { return "two sentences have too many paraphrases in common"; }
};

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
  bool is_shared;            // with other places of the same word
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
  // Of all stops together.
  std::size_t candidate_count() const { return candidate_count_; }
  // From left to right.
  std::span<const MeteorStop> stops() const { return stops_; }
  std::span<const MeteorCandidate> candidates(const MeteorStop& stop) const {
    return {candidates_.data() + stop.begin, candidates_.data() + stop.end};
  }

 private:
  // Most words and phrases are not related, so most questions are answered by a byte in the fastest cache.
  class Marks {
   public:
    explicit Marks(std::size_t items) : marks_(items) {}
    template <typename Items, typename ItemOf>
    void add_all(const Items& items, ItemOf item_of) {
      std::uint8_t* const marks = marks_.data();  // bytes may alias anything: hold what the loop reads
      const std::uint8_t current = current_;
      for (const auto& item : items) marks[std::invoke(item_of, item)] = current;
    }
    bool has(std::uint32_t item) const { return marks_[item] == current_; }
    void clear() {
      if (++current_ != 0) return;
      std::fill(marks_.begin(), marks_.end(), 0);
      current_ = 1;
    }

   private:
    std::uint8_t current_ = 1;
    std::vector<std::uint8_t> marks_;
  };
  // Where each word, stem or phrase stands in the hypothesis: a chain of places per item, in order.
  class Places {
   public:
    static constexpr std::uint32_t kEnd = UINT32_MAX;
    explicit Places(std::size_t items) : present_(items / 64 + 1), first_(items) {}
    void reserve(std::size_t places) { next_.resize(std::max(next_.size(), places)); }
    // Add the last place first.
    void add(std::uint32_t item, std::size_t place) {
      next_[place] = first(item);
      first_[item] = static_cast<std::uint32_t>(place);
      present_[item / 64] |= std::uint64_t{1} << item % 64;
    }
    void forget(std::uint32_t item) { present_[item / 64] = 0; }
    std::uint32_t first(std::uint32_t item) const {
      return (present_[item / 64] >> item % 64 & 1) != 0 ? first_[item] : kEnd;
    }
    std::uint32_t after(std::uint32_t place) const { return next_[place]; }

   private:
    std::vector<std::uint64_t> present_;  // a bit per item: most are absent, and this stays in the fastest cache
    std::vector<std::uint32_t> first_, next_;
  };
  // What a word or phrase matches in the hypothesis, wherever it stands in the reference: a range of a list below.
  // Found when it is asked for the first time, and kept for the other references of the hypothesis.
  struct Range {
    std::uint32_t epoch, begin, end;
    std::uint32_t last_pair, uses;  // how often that pair has it
  };
  struct PhraseMatch {
    MeteorCandidate candidate;
    bool is_paraphrase;   // METEOR lists the phrase of the hypothesis as a paraphrase of that of the reference
    std::uint64_t order;  // if not: among those that begin at the same word of the reference
  };

  void index_hypothesis(std::size_t hypothesis);
  void forget_ranges();
  Range& words_like(std::uint32_t word);
  Range phrases_like(const PhraseOccurrence& phrase);
  void find_places(std::size_t reference);
  void add_stop(std::size_t position, Range* words, std::span<const PhraseOccurrence> phrases);
  void cover(const MeteorStop& stop, Range* words);
  void append_words(const Places& places, std::uint32_t item, std::uint32_t other_than, MeteorStage stage);
  bool is_fixed(const MeteorStop& stop) const;

  const MeteorSentences& sentences_;
  std::size_t hypothesis_ = SIZE_MAX;
  std::span<const std::uint32_t> hypothesis_words_, reference_words_;
  std::span<const PhraseOccurrence> hypothesis_phrases_;
  Places words_, stems_, phrases_;
  Marks related_words_, related_phrases_;  // to anything in the hypothesis

  bool only_exact_ = false;  // as METEOR does where the two sentences are the same
  std::uint32_t epoch_ = 0, pair_ = 0;
  std::vector<Range> range_of_word_, range_of_phrase_;  // valid if of the current epoch
  std::vector<MeteorCandidate> candidates_;
  std::vector<PhraseMatch> phrase_matches_, reversed_;
  std::vector<MeteorStop> stops_;
  std::size_t candidate_count_ = 0;
  std::vector<std::uint32_t> word_places_;       // in the reference, of words that match
  std::vector<PhraseOccurrence> phrase_places_;  // of phrases that do
  std::vector<std::uint32_t> hypothesis_coverage_, reference_coverage_;  // how many candidates cover each word
};

}  // namespace kataribe
