#include "meteor_matcher.hpp"

#include <stdexcept>

namespace kataribe {

MeteorMatcher::MeteorMatcher(const MeteorSentences& sentences)
    : sentences_(sentences),
      words_(sentences.word_count()),
      stems_(sentences.stem_count()),
      phrases_(sentences.phrase_count()),
      related_words_(sentences.word_count()),
      related_phrases_(sentences.phrase_count()),
      range_of_word_(sentences.word_count()) {}

void MeteorMatcher::index_hypothesis(std::size_t hypothesis) {
  if (hypothesis == hypothesis_) return;
  for (const std::uint32_t word : hypothesis_words_) {
    words_.forget(word);
    if (const std::uint32_t stem = sentences_.stem(word); stem != MeteorSentences::kNoStem) stems_.forget(stem);
  }
  for (const PhraseOccurrence& occurrence : hypothesis_phrases_) phrases_.forget(occurrence.phrase);
  related_words_.clear();
  related_phrases_.clear();

  hypothesis_ = hypothesis;
  hypothesis_words_ = sentences_.words(hypothesis);
  hypothesis_phrases_ = sentences_.phrases(hypothesis);
  words_.reserve(hypothesis_words_.size());
  stems_.reserve(hypothesis_words_.size());
  phrases_.reserve(hypothesis_phrases_.size());
  for (std::size_t i = hypothesis_words_.size(); i-- > 0;) {
    const std::uint32_t word = hypothesis_words_[i];
    words_.add(word, i);
    if (const std::uint32_t stem = sentences_.stem(word); stem != MeteorSentences::kNoStem) stems_.add(stem, i);
    for (const std::uint32_t related : sentences_.related_words(word)) related_words_.add(related);
  }
  for (std::size_t i = hypothesis_phrases_.size(); i-- > 0;) {
    const std::uint32_t phrase = hypothesis_phrases_[i].phrase;
    phrases_.add(phrase, i);
    for (const RelatedPhrase& related : sentences_.related_phrases(phrase)) related_phrases_.add(related.phrase);
  }
}

void MeteorMatcher::match(std::size_t hypothesis, std::size_t reference) {
  index_hypothesis(hypothesis);
  reference_words_ = sentences_.words(reference);
  const bool identical = std::ranges::equal(hypothesis_words_, reference_words_);
  candidates_.clear();
  stops_.clear();
  pass1_.clear();
  pass2_.clear();
  hypothesis_coverage_.assign(hypothesis_words_.size(), 0);
  reference_coverage_.assign(reference_words_.size(), 0);
  if (++epoch_ == 0) {
    std::fill(range_of_word_.begin(), range_of_word_.end(), Range{});
    epoch_ = 1;
  }
  if (!identical) find_phrase_matches(reference);

  std::size_t pass1 = 0, pass2 = 0;
  for (std::size_t j = 0; j < reference_words_.size(); ++j) {
    const std::uint32_t word = reference_words_[j];
    const bool has_phrase = (pass1 < pass1_.size() && pass1_[pass1].reference_start == j) ||
                            (pass2 < pass2_.size() && pass2_[pass2].reference_start == j);
    if (!related_words_.has(word) && !has_phrase) continue;
    const Range words = word_candidates(word, identical);
    if (words.begin < words.end || has_phrase) add_stop(j, words, pass1, pass2);
  }
  for (MeteorStop& stop : stops_) stop.is_fixed = is_fixed(stop);
}

// The candidates of one word, shared by all its positions: a word repeated all over both sentences then takes
// memory for one of them only.
MeteorMatcher::Range MeteorMatcher::word_candidates(std::uint32_t word, bool exact_only) {
  Range& range = range_of_word_[word];
  if (range.epoch == epoch_) return range;
  range.epoch = epoch_;
  range.begin = static_cast<std::uint32_t>(candidates_.size());
  append_words(words_, word, MeteorResource::kNone, kExact);
  if (!exact_only) {
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
    if (hypothesis_words_[i] != other_than)
      candidates_.push_back({static_cast<std::uint16_t>(i), 1, 1, stage, weight});
}

// METEOR goes through the table twice: first with its phrases in the reference and their paraphrases in the
// hypothesis, then with the roles exchanged.
void MeteorMatcher::find_phrase_matches(std::size_t reference) {
  // Longer sentences than any caption could pair every word with every word many times over.
  constexpr std::size_t kMaxMatches = std::size_t{1} << 24;
  for (const PhraseOccurrence& here : sentences_.phrases(reference)) {
    if (!related_phrases_.has(here.phrase)) continue;
    for (const RelatedPhrase related : sentences_.related_phrases(here.phrase))
      for (auto at = phrases_.first(related.phrase); at != Places::kEnd; at = phrases_.after(at)) {
        const PhraseOccurrence& there = hypothesis_phrases_[at];
        const MeteorCandidate candidate{there.start, static_cast<std::uint8_t>(there.length),
                                        static_cast<std::uint8_t>(here.length), kParaphrase,
                                        static_cast<std::uint8_t>(there.length / 2 + here.length / 2)};
        if (related.is_paraphrase) {
          pass1_.push_back({here.start, candidate, 0});  // found in METEOR's order already
        } else {
          pass2_.push_back({here.start, candidate, std::uint64_t{at} << 32 | related.rank});
        }
        if (pass1_.size() + pass2_.size() > kMaxMatches)
          throw std::length_error("two sentences have too many paraphrases in common to align them");
      }
  }
  std::sort(pass2_.begin(), pass2_.end(), [](const PhraseMatch& a, const PhraseMatch& b) {
    return a.reference_start != b.reference_start ? a.reference_start < b.reference_start : a.order < b.order;
  });
}

void MeteorMatcher::add_stop(std::size_t j, Range words, std::size_t& pass1, std::size_t& pass2) {
  const auto begin = static_cast<std::uint32_t>(candidates_.size());
  const auto append_phrases = [&](const std::vector<PhraseMatch>& matches, std::size_t& next) {
    for (; next < matches.size() && matches[next].reference_start == j; ++next)
      candidates_.push_back(matches[next].candidate);
  };
  append_phrases(pass1_, pass1);
  append_phrases(pass2_, pass2);
  MeteorStop stop{static_cast<std::uint32_t>(j), words.begin, words.end, false};
  if (candidates_.size() > begin) {  // those of the word come first; they are shared, so copy them
    const std::size_t count = words.end - words.begin;
    candidates_.insert(candidates_.begin() + begin, count, MeteorCandidate{});
    std::copy_n(candidates_.begin() + words.begin, count, candidates_.begin() + begin);
    stop.begin = begin;
    stop.end = static_cast<std::uint32_t>(candidates_.size());
  }
  for (const MeteorCandidate& candidate : candidates(stop)) {
    for (std::size_t k = 0; k < candidate.hypothesis_length; ++k)
      ++hypothesis_coverage_[candidate.hypothesis_start + k];
    for (std::size_t k = 0; k < candidate.reference_length; ++k) ++reference_coverage_[j + k];
  }
  stops_.push_back(stop);
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
