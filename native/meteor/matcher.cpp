#include "meteor/matcher.hpp"

#include <functional>
#include <utility>

namespace kataribe {

MeteorMatcher::MeteorMatcher(const MeteorSentences& sentences)
    : sentences_(sentences),
      words_(sentences.word_count()),
      stems_(sentences.stem_count()),
      phrases_(sentences.phrase_count()),
      related_words_(sentences.word_count()),
      related_phrases_(sentences.phrase_count()),
      range_of_word_(sentences.word_count()),
      range_of_phrase_(sentences.phrase_count()) {}

void MeteorMatcher::index_hypothesis(std::size_t hypothesis) {
  if (hypothesis == hypothesis_) return;
  for (const std::uint32_t word : hypothesis_words_) {
    words_.forget(word);
    if (const std::uint32_t stem = sentences_.stem(word); stem != MeteorSentences::kNoStem) stems_.forget(stem);
  }
  for (const PhraseOccurrence& occurrence : hypothesis_phrases_) phrases_.forget(occurrence.phrase);
  related_words_.clear();
  related_phrases_.clear();
  forget_ranges();

  hypothesis_ = hypothesis;
  hypothesis_words_ = sentences_.words(hypothesis);
  hypothesis_phrases_ = sentences_.phrases(hypothesis);
  words_.reserve(hypothesis_words_.size());
  stems_.reserve(hypothesis_words_.size());
  phrases_.reserve(hypothesis_phrases_.size());
  for (std::size_t i = hypothesis_words_.size(); i-- > 0;) {
    const std::uint32_t word = hypothesis_words_[i];
    if (words_.first(word) == Places::kEnd) related_words_.add_all(sentences_.related_words(word), std::identity{});
    words_.add(word, i);
    if (const std::uint32_t stem = sentences_.stem(word); stem != MeteorSentences::kNoStem) stems_.add(stem, i);
  }
  for (std::size_t i = hypothesis_phrases_.size(); i-- > 0;) {
    const std::uint32_t phrase = hypothesis_phrases_[i].phrase;
    if (phrases_.first(phrase) == Places::kEnd)
      related_phrases_.add_all(sentences_.related_phrases(phrase), &RelatedPhrase::phrase);
    phrases_.add(phrase, i);
  }
}

void MeteorMatcher::forget_ranges() {
  candidates_.clear();
  phrase_matches_.clear();
  if (++epoch_ != 0) return;
  std::fill(range_of_word_.begin(), range_of_word_.end(), Range{});
  std::fill(range_of_phrase_.begin(), range_of_phrase_.end(), Range{});
  epoch_ = 1;
}

void MeteorMatcher::match(std::size_t hypothesis, std::size_t reference) {
  constexpr std::size_t kKeptCandidates = std::size_t{1} << 20;
  index_hypothesis(hypothesis);
  reference_words_ = sentences_.words(reference);
  const bool identical = std::ranges::equal(hypothesis_words_, reference_words_);
  if (identical != only_exact_ || candidates_.size() > kKeptCandidates) forget_ranges();
  only_exact_ = identical;
  ++pair_;
  stops_.clear();
  candidate_count_ = 0;
  hypothesis_coverage_.assign(hypothesis_words_.size(), 0);
  reference_coverage_.assign(reference_words_.size(), 0);

  find_places(reference);
  const std::uint32_t* word = word_places_.data();
  const PhraseOccurrence* phrase = phrase_places_.data();
  while (true) {
    const std::uint32_t j = std::min<std::uint32_t>(*word, phrase->start);
    if (j >= reference_words_.size()) break;
    const PhraseOccurrence* first = phrase;
    while (phrase->start == j) ++phrase;
    Range* words = nullptr;
    if (*word == j) {
      words = &words_like(reference_words_[j]);
      ++word;
    }
    add_stop(j, words, {first, phrase});
  }
  for (MeteorStop& stop : stops_) stop.is_fixed = is_fixed(stop);
}

// Without branches: which of the words match is anybody's guess.
void MeteorMatcher::find_places(std::size_t reference) {
  const std::size_t length = reference_words_.size();
  if (word_places_.size() <= length) word_places_.resize(length + 1);
  std::size_t count = 0;
  for (std::size_t j = 0; j < length; ++j) {
    word_places_[count] = static_cast<std::uint32_t>(j);
    count += related_words_.has(reference_words_[j]);
  }
  word_places_[count] = UINT32_MAX;

  const std::span<const PhraseOccurrence> phrases = sentences_.phrases(reference);
  if (phrase_places_.size() <= phrases.size()) phrase_places_.resize(phrases.size() + 1);
  count = 0;
  if (!only_exact_)
    for (const PhraseOccurrence& phrase : phrases) {
      phrase_places_[count] = phrase;
      count += related_phrases_.has(phrase.phrase);
    }
  phrase_places_[count].start = UINT16_MAX;
}

// A word repeated all over both sentences takes memory for one of its places only.
MeteorMatcher::Range& MeteorMatcher::words_like(std::uint32_t word) {
  Range& range = range_of_word_[word];
  if (range.epoch == epoch_) return range;
  range.epoch = epoch_;
  range.begin = static_cast<std::uint32_t>(candidates_.size());
  append_words(words_, word, MeteorResource::kNone, kExact);
  if (!only_exact_) {
    if (const std::uint32_t stem = sentences_.stem(word); stem != MeteorSentences::kNoStem)
      append_words(stems_, stem, word, kStem);
    const auto first = static_cast<std::ptrdiff_t>(candidates_.size());
    for (const std::uint32_t synonym : sentences_.synonyms(word))
      append_words(words_, synonym, MeteorResource::kNone, kSynonym);
    std::sort(candidates_.begin() + first, candidates_.end(),
              [](const auto& a, const auto& b) { return a.hypothesis_start < b.hypothesis_start; });
  }
  range.end = static_cast<std::uint32_t>(candidates_.size());
  return range;
}

inline void MeteorMatcher::append_words(const Places& places, std::uint32_t item, std::uint32_t other_than,
                                        MeteorStage stage) {
  const std::uint8_t weight = stage == kExact ? 2 : 0;
  for (std::uint32_t i = places.first(item); i != Places::kEnd; i = places.after(i))
    if (hypothesis_words_[i] != other_than) candidates_.push_back({static_cast<std::uint16_t>(i), 1, 1, stage, weight});
}

MeteorMatcher::Range MeteorMatcher::phrases_like(const PhraseOccurrence& phrase) {
  Range& range = range_of_phrase_[phrase.phrase];
  if (range.epoch == epoch_) return range;
  range.epoch = epoch_;
  range.begin = static_cast<std::uint32_t>(phrase_matches_.size());
  for (const RelatedPhrase related : sentences_.related_phrases(phrase.phrase))
    for (auto at = phrases_.first(related.phrase); at != Places::kEnd; at = phrases_.after(at)) {
      const PhraseOccurrence& there = hypothesis_phrases_[at];
      const MeteorCandidate candidate{there.start, static_cast<std::uint8_t>(there.length),
                                      static_cast<std::uint8_t>(phrase.length), kParaphrase,
                                      static_cast<std::uint8_t>(there.length / 2 + phrase.length / 2)};
      phrase_matches_.push_back({candidate, related.is_paraphrase != 0, std::uint64_t{at} << 32 | related.rank});
    }
  range.end = static_cast<std::uint32_t>(phrase_matches_.size());
  return range;
}

// METEOR goes through its table twice: first with its phrases in the reference and their paraphrases in the
// hypothesis, then with the roles exchanged.
void MeteorMatcher::add_stop(std::size_t j, Range* words, std::span<const PhraseOccurrence> phrases) {
  // Longer sentences than any caption could pair every word with every word many times over.
  constexpr std::size_t kMaxCandidates = std::size_t{1} << 24;
  const Range range = words ? *words : Range{};
  MeteorStop stop{static_cast<std::uint32_t>(j), range.begin, range.end, phrases.empty(), false};
  if (!phrases.empty()) {
    stop.begin = static_cast<std::uint32_t>(candidates_.size());
    for (std::uint32_t c = range.begin; c < range.end; ++c) candidates_.push_back(candidates_[c]);
    reversed_.clear();
    for (const PhraseOccurrence& phrase : phrases) {
      const Range matches = phrases_like(phrase);
      for (std::uint32_t m = matches.begin; m < matches.end; ++m) {
        const PhraseMatch& match = phrase_matches_[m];
        if (match.is_paraphrase) {
          candidates_.push_back(match.candidate);  // found in METEOR's order already
        } else {
          reversed_.push_back(match);
        }
      }
    }
    std::sort(reversed_.begin(), reversed_.end(), [](const auto& a, const auto& b) { return a.order < b.order; });
    for (const PhraseMatch& match : reversed_) candidates_.push_back(match.candidate);
    if (candidates_.size() > kMaxCandidates) throw MeteorTooMuchWork();
    stop.end = static_cast<std::uint32_t>(candidates_.size());
  }
  cover(stop, words);
  candidate_count_ += stop.end - stop.begin;
  stops_.push_back(stop);
}

// Counts the candidates that cover each word. It only matters whether there is more than one, so the places of a word
// that is repeated all over are counted for the first two.
void MeteorMatcher::cover(const MeteorStop& stop, Range* words) {
  constexpr std::uint32_t kMany = 16;
  if (stop.is_shared && stop.end - stop.begin > kMany) {
    reference_coverage_[stop.position] += stop.end - stop.begin;
    if (std::exchange(words->last_pair, pair_) != pair_) words->uses = 0;
    if (++words->uses > 2) return;
    for (const MeteorCandidate& candidate : candidates(stop)) ++hypothesis_coverage_[candidate.hypothesis_start];
    return;
  }
  for (const MeteorCandidate& candidate : candidates(stop)) {
    for (std::size_t k = 0; k < candidate.hypothesis_length; ++k)
      ++hypothesis_coverage_[candidate.hypothesis_start + k];
    for (std::size_t k = 0; k < candidate.reference_length; ++k) ++reference_coverage_[stop.position + k];
  }
}

bool MeteorMatcher::is_fixed(const MeteorStop& stop) const {
  if (stop.end - stop.begin != 1) return false;
  const MeteorCandidate& only = candidates_[stop.begin];
  for (std::size_t k = 0; k < only.hypothesis_length; ++k)
    if (hypothesis_coverage_[only.hypothesis_start + k] != 1) return false;
  for (std::size_t k = 0; k < only.reference_length; ++k)
    if (reference_coverage_[stop.position + k] != 1) return false;
  return true;
}

}  // namespace kataribe
