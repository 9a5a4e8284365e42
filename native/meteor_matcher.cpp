#include "meteor_matcher.hpp"

#include <algorithm>
#include <stdexcept>

namespace kataribe {

MeteorMatcher::MeteorMatcher(const MeteorSentences& sentences) : sentences_(sentences) {
  words_.resize(sentences.word_count());
  stems_.resize(sentences.stem_count());
  hypothesis_places_.resize(sentences.phrase_count());
  reference_places_.resize(sentences.phrase_count());
  range_of_word_.resize(sentences.word_count());
  word_epoch_.resize(sentences.word_count());
}

void MeteorMatcher::index_hypothesis(std::size_t hypothesis) {
  if (hypothesis == hypothesis_) return;
  for (const std::uint32_t word : hypothesis_words_) {
    words_.head[word] = Chains::kEnd;
    if (const std::uint32_t stem = sentences_.stem(word); stem != MeteorSentences::kNoStem)
      stems_.head[stem] = Chains::kEnd;
  }
  for (const auto& occurrence : hypothesis_phrases_) hypothesis_places_.head[occurrence.phrase] = Chains::kEnd;

  hypothesis_ = hypothesis;
  hypothesis_words_ = sentences_.words(hypothesis);
  hypothesis_phrases_ = sentences_.phrases(hypothesis);
  words_.next.resize(std::max(words_.next.size(), hypothesis_words_.size()));
  stems_.next.resize(words_.next.size());
  hypothesis_places_.next.resize(std::max(hypothesis_places_.next.size(), hypothesis_phrases_.size()));
  for (std::size_t i = hypothesis_words_.size(); i-- > 0;) {  // backwards, so that chains run forwards
    const std::uint32_t word = hypothesis_words_[i];
    words_.add(word, i);
    if (const std::uint32_t stem = sentences_.stem(word); stem != MeteorSentences::kNoStem) stems_.add(stem, i);
  }
  for (std::size_t i = hypothesis_phrases_.size(); i-- > 0;) hypothesis_places_.add(hypothesis_phrases_[i].phrase, i);
}

void MeteorMatcher::match(std::size_t hypothesis, std::size_t reference) {
  index_hypothesis(hypothesis);
  reference_words_ = sentences_.words(reference);
  const bool identical = std::ranges::equal(hypothesis_words_, reference_words_);
  candidates_.clear();
  phrase_matches_.clear();
  ranges_.resize(reference_words_.size());
  if (++epoch_ == 0) {
    std::fill(word_epoch_.begin(), word_epoch_.end(), 0);
    epoch_ = 1;
  }
  if (!identical) find_phrase_matches(reference);

  auto phrase_match = phrase_matches_.begin();
  for (std::size_t j = 0; j < reference_words_.size(); ++j) {
    Range range = word_candidates(reference_words_[j], identical);
    if (phrase_match != phrase_matches_.end() && phrase_match->reference_start == j) {
      const std::uint32_t begin = static_cast<std::uint32_t>(candidates_.size());
      for (std::uint32_t i = range.begin; i < range.end; ++i) candidates_.push_back(candidates_[i]);
      for (; phrase_match != phrase_matches_.end() && phrase_match->reference_start == j; ++phrase_match)
        candidates_.push_back(phrase_match->candidate);
      range = {begin, static_cast<std::uint32_t>(candidates_.size())};
    }
    ranges_[j] = range;
  }
  count_coverage();
}

// The candidates of one word, shared by all its positions: a word repeated all over both sentences then takes
// memory for one of them only.
MeteorMatcher::Range MeteorMatcher::word_candidates(std::uint32_t word, bool exact_only) {
  Range& range = range_of_word_[word];
  if (word_epoch_[word] == epoch_) return range;
  word_epoch_[word] = epoch_;
  range.begin = static_cast<std::uint32_t>(candidates_.size());
  append_places(words_.head[word], words_, MeteorResource::kNone, kExact);
  if (!exact_only) {
    if (const std::uint32_t stem = sentences_.stem(word); stem != MeteorSentences::kNoStem)
      append_places(stems_.head[stem], stems_, word, kStem);
    const std::size_t first = candidates_.size();
    for (const std::uint32_t synonym : sentences_.synonyms(word))
      append_places(words_.head[synonym], words_, MeteorResource::kNone, kSynonym);
    if (candidates_.size() - first > 1)
      std::sort(candidates_.begin() + static_cast<std::ptrdiff_t>(first), candidates_.end(),
                [](const auto& a, const auto& b) { return a.hypothesis_start < b.hypothesis_start; });
  }
  range.end = static_cast<std::uint32_t>(candidates_.size());
  return range;
}

void MeteorMatcher::append_places(std::uint32_t head, const Chains& chains, std::uint32_t other_than,
                                  MeteorStage stage) {
  for (std::uint32_t i = head; i != Chains::kEnd; i = chains.next[i])
    if (hypothesis_words_[i] != other_than) candidates_.push_back({static_cast<std::uint16_t>(i), 1, 1, stage});
}

void MeteorMatcher::find_phrase_matches(std::size_t reference) {
  // Longer sentences than any caption could pair every word with every word many times over.
  constexpr std::size_t kMaxPhraseMatches = std::size_t{1} << 25;
  const std::span<const PhraseOccurrence> phrases = sentences_.phrases(reference);
  if (phrases.empty() || hypothesis_phrases_.empty()) return;
  const auto add = [&](const PhraseOccurrence& in_hypothesis, const PhraseOccurrence& in_reference) {
    phrase_matches_.push_back({in_reference.start,
                               {in_hypothesis.start, static_cast<std::uint8_t>(in_hypothesis.length),
                                static_cast<std::uint8_t>(in_reference.length), kParaphrase}});
    if (phrase_matches_.size() > kMaxPhraseMatches)
      throw std::length_error("two sentences have too many paraphrases in common to align them");
  };

  for (const PhraseOccurrence& source : phrases)
    for (const std::uint32_t paraphrase : sentences_.paraphrases(source.phrase))
      for (auto at = hypothesis_places_.head[paraphrase]; at != Chains::kEnd; at = hypothesis_places_.next[at])
        add(hypothesis_phrases_[at], source);

  // The table again, with the roles of the two sentences exchanged.
  const std::size_t first_of_second_pass = phrase_matches_.size();
  reference_places_.next.resize(std::max(reference_places_.next.size(), phrases.size()));
  for (std::size_t i = phrases.size(); i-- > 0;) reference_places_.add(phrases[i].phrase, i);
  for (const PhraseOccurrence& source : hypothesis_phrases_)
    for (const std::uint32_t paraphrase : sentences_.paraphrases(source.phrase))
      for (auto at = reference_places_.head[paraphrase]; at != Chains::kEnd; at = reference_places_.next[at])
        add(source, phrases[at]);
  for (const PhraseOccurrence& occurrence : phrases) reference_places_.head[occurrence.phrase] = Chains::kEnd;

  if (phrase_matches_.size() > std::max<std::size_t>(first_of_second_pass, 1))
    std::stable_sort(phrase_matches_.begin(), phrase_matches_.end(),
                     [](const auto& a, const auto& b) { return a.reference_start < b.reference_start; });
}

void MeteorMatcher::count_coverage() {
  hypothesis_coverage_.assign(hypothesis_words_.size(), 0);
  reference_coverage_.assign(reference_words_.size(), 0);
  for (std::size_t j = 0; j < reference_words_.size(); ++j)
    for (const MeteorCandidate& candidate : starting_at(j)) {
      for (std::size_t k = 0; k < candidate.hypothesis_length; ++k)
        ++hypothesis_coverage_[candidate.hypothesis_start + k];
      for (std::size_t k = 0; k < candidate.reference_length; ++k) ++reference_coverage_[j + k];
    }
}

bool MeteorMatcher::is_fixed(std::size_t position) const {
  const std::span<const MeteorCandidate> candidates = starting_at(position);
  if (candidates.size() != 1) return false;
  for (std::size_t k = 0; k < candidates[0].hypothesis_length; ++k)
    if (hypothesis_coverage_[candidates[0].hypothesis_start + k] != 1) return false;
  for (std::size_t k = 0; k < candidates[0].reference_length; ++k)
    if (reference_coverage_[position + k] != 1) return false;
  return true;
}

}  // namespace kataribe
