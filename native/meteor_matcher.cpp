#include "meteor_matcher.hpp"

#include <algorithm>
#include <stdexcept>

namespace kataribe {

MeteorMatcher::MeteorMatcher(const MeteorSentences& sentences)
    : sentences_(sentences),
      words_(sentences.word_count()),
      stems_(sentences.stem_count()),
      hypothesis_places_(sentences.phrase_count()),
      reference_places_(sentences.phrase_count()),
      synonyms_(sentences.word_count()),
      related_phrases_(sentences.phrase_count()),
      range_of_word_(sentences.word_count()),
      word_epoch_(sentences.word_count()) {}

void MeteorMatcher::index_hypothesis(std::size_t hypothesis) {
  if (hypothesis == hypothesis_) return;
  for (const std::uint32_t word : hypothesis_words_) {
    words_.forget(word);
    if (const std::uint32_t stem = sentences_.stem(word); stem != MeteorSentences::kNoStem) stems_.forget(stem);
  }
  for (const auto& occurrence : hypothesis_phrases_) hypothesis_places_.forget(occurrence.phrase);
  synonyms_.clear();
  related_phrases_.clear();

  hypothesis_ = hypothesis;
  hypothesis_words_ = sentences_.words(hypothesis);
  hypothesis_phrases_ = sentences_.phrases(hypothesis);
  words_.reserve(hypothesis_words_.size());
  stems_.reserve(hypothesis_words_.size());
  hypothesis_places_.reserve(hypothesis_phrases_.size());
  for (std::size_t i = hypothesis_words_.size(); i-- > 0;) {
    const std::uint32_t word = hypothesis_words_[i];
    words_.add(word, i);
    synonyms_.add(sentences_.synonyms(word));
    if (const std::uint32_t stem = sentences_.stem(word); stem != MeteorSentences::kNoStem) stems_.add(stem, i);
  }
  for (std::size_t i = hypothesis_phrases_.size(); i-- > 0;) {
    const std::uint32_t phrase = hypothesis_phrases_[i].phrase;
    hypothesis_places_.add(phrase, i);
    related_phrases_.add(sentences_.related(phrase));
  }
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
  find_kinds();
}

// The candidates of one word, shared by all its positions: a word repeated all over both sentences then takes
// memory for one of them only.
MeteorMatcher::Range MeteorMatcher::word_candidates(std::uint32_t word, bool exact_only) {
  Range& range = range_of_word_[word];
  if (word_epoch_[word] == epoch_) return range;
  word_epoch_[word] = epoch_;
  range.begin = static_cast<std::uint32_t>(candidates_.size());
  append_words(words_, word, MeteorResource::kNone, kExact);
  if (!exact_only) {
    if (const std::uint32_t stem = sentences_.stem(word); stem != MeteorSentences::kNoStem)
      append_words(stems_, stem, word, kStem);
    if (synonyms_.has(word)) {
      const auto first = static_cast<std::ptrdiff_t>(candidates_.size());
      for (const std::uint32_t synonym : sentences_.synonyms(word))
        append_words(words_, synonym, MeteorResource::kNone, kSynonym);
      std::sort(candidates_.begin() + first, candidates_.end(),
                [](const auto& a, const auto& b) { return a.hypothesis_start < b.hypothesis_start; });
    }
  }
  range.end = static_cast<std::uint32_t>(candidates_.size());
  return range;
}

inline void MeteorMatcher::append_words(const Places& places, std::uint32_t item, std::uint32_t other_than,
                                        MeteorStage stage) {
  for (std::uint32_t i = places.first(item); i != Places::kEnd; i = places.after(i))
    if (hypothesis_words_[i] != other_than) candidates_.push_back({static_cast<std::uint16_t>(i), 1, 1, stage});
}

void MeteorMatcher::find_phrase_matches(std::size_t reference) {
  // Longer sentences than any caption could pair every word with every word many times over.
  constexpr std::size_t kMaxPhraseMatches = std::size_t{1} << 25;
  const std::span<const PhraseOccurrence> phrases = sentences_.phrases(reference);
  const auto add = [&](const PhraseOccurrence& in_hypothesis, const PhraseOccurrence& in_reference) {
    phrase_matches_.push_back({in_reference.start,
                               {in_hypothesis.start, static_cast<std::uint8_t>(in_hypothesis.length),
                                static_cast<std::uint8_t>(in_reference.length), kParaphrase}});
    if (phrase_matches_.size() > kMaxPhraseMatches)
      throw std::length_error("two sentences have too many paraphrases in common to align them");
  };

  // Which phrases are worth a look in the second pass.
  in_second_pass_.assign(hypothesis_phrases_.size(), false);
  bool has_second_pass = false;
  for (const PhraseOccurrence& source : phrases) {
    if (!related_phrases_.has(source.phrase)) continue;
    for (const std::uint32_t paraphrase : sentences_.paraphrases(source.phrase))
      for (auto at = hypothesis_places_.first(paraphrase); at != Places::kEnd; at = hypothesis_places_.after(at))
        add(hypothesis_phrases_[at], source);
    for (const std::uint32_t related : sentences_.related(source.phrase))
      for (auto at = hypothesis_places_.first(related); at != Places::kEnd; at = hypothesis_places_.after(at))
        in_second_pass_[at] = has_second_pass = true;
  }
  if (!has_second_pass) return;

  // The table again, with the roles of the two sentences exchanged.
  reference_places_.reserve(phrases.size());
  for (std::size_t i = phrases.size(); i-- > 0;) reference_places_.add(phrases[i].phrase, i);
  for (std::size_t i = 0; i < hypothesis_phrases_.size(); ++i) {
    if (!in_second_pass_[i]) continue;
    const PhraseOccurrence& source = hypothesis_phrases_[i];
    for (const std::uint32_t paraphrase : sentences_.paraphrases(source.phrase))
      for (auto at = reference_places_.first(paraphrase); at != Places::kEnd; at = reference_places_.after(at))
        add(source, phrases[at]);
  }
  for (const PhraseOccurrence& occurrence : phrases) reference_places_.forget(occurrence.phrase);
  sort_phrase_matches();
}

void MeteorMatcher::sort_phrase_matches() {
  const auto comes_first = [](const auto& a, const auto& b) { return a.reference_start < b.reference_start; };
  if (phrase_matches_.size() > 32) {
    std::stable_sort(phrase_matches_.begin(), phrase_matches_.end(), comes_first);
    return;
  }
  // std::stable_sort allocates memory; too slow for the usual two or three.
  for (auto it = phrase_matches_.begin(); it != phrase_matches_.end(); ++it)
    std::rotate(std::upper_bound(phrase_matches_.begin(), it, *it, comes_first), it, it + 1);
}

void MeteorMatcher::find_kinds() {
  hypothesis_coverage_.assign(hypothesis_words_.size(), 0);
  reference_coverage_.assign(reference_words_.size(), 0);
  for (std::size_t j = 0; j < reference_words_.size(); ++j)
    for (const MeteorCandidate& candidate : starting_at(j)) {
      for (std::size_t k = 0; k < candidate.hypothesis_length; ++k)
        ++hypothesis_coverage_[candidate.hypothesis_start + k];
      for (std::size_t k = 0; k < candidate.reference_length; ++k) ++reference_coverage_[j + k];
    }
  kinds_.resize(reference_words_.size());
  for (std::size_t j = 0; j < reference_words_.size(); ++j) kinds_[j] = kind_of(j);
}

MeteorMatcher::Kind MeteorMatcher::kind_of(std::size_t j) const {
  const std::span<const MeteorCandidate> candidates = starting_at(j);
  if (candidates.empty()) return Kind::kNothing;
  if (candidates.size() > 1) return Kind::kChoice;
  for (std::size_t k = 0; k < candidates[0].hypothesis_length; ++k)
    if (hypothesis_coverage_[candidates[0].hypothesis_start + k] != 1) return Kind::kChoice;
  for (std::size_t k = 0; k < candidates[0].reference_length; ++k)
    if (reference_coverage_[j + k] != 1) return Kind::kChoice;
  return Kind::kFixed;
}

}  // namespace kataribe
