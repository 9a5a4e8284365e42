// The beam search behind MeteorAligner: from left to right over the words of the reference, keeping the best paths.
//
// The result must be METEOR's, not the best there is: its beam is cut at 40 paths, and of equal paths the one that
// was in front stays in front. METEOR sorts all paths at every word. Here nothing is sorted. Paths stand in any
// order; their keys are remembered wherever METEOR sorts, and only where equal paths compete, for the last place in
// the beam or for the first one at the end, do the keys of their past tell which is in front.
//
// What paths may do at a word is computed for all of them at once, in plain loops over arrays that compilers turn
// into vector instructions. The one loop that cannot be, gather_branches_below(), has no jumps that depend on keys, and
// is written out for AVX2.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "common/packing.hpp"
#include "meteor/aligner.hpp"
#include "meteor/used_words.hpp"

namespace kataribe {

// Set: one of the classes of meteor_used_words.hpp.
// Key: an integer, for how good a path is.
template <typename Set, typename Key>
class MeteorBeam {
 public:
  // Whether sets and keys are large enough for these sentences.
  static bool fits(const MeteorMatcher& matcher);
  // Appends the matches chosen at positions where there is a choice.
  void search(const MeteorMatcher& matcher, std::vector<MeteorMatch>& alignment);

 private:
  static constexpr std::size_t kWidth = 40;
#if defined(__AVX2__)
  static constexpr std::size_t kLanes = kPacked;  // rows of branches are filled up to a multiple of this
#else
  static constexpr std::size_t kLanes = 4;
#endif
  static constexpr std::int32_t kNoChunk = -1;
  // The key of what cannot be done: greater than that of any path.
  static constexpr Key kDead = Key{1} << (std::numeric_limits<Key>::digits - 1);

  template <typename T>
  using Each = std::array<T, kWidth + kLanes>;  // one per path; the last are written, but never read
  using Stops = std::span<const MeteorStop>;
  using Words = typename Set::Words;

  // A key has, from the top, the weighted matches, counted down; the closed chunks; and the distance. Less is better.
  struct Layout {
    int distance_bits, chunk_bits, match_bits;
    explicit Layout(const MeteorMatcher& matcher);
  };
  // What a path may do at a stop: take one of the candidates or, after the last of them, leave the word.
  struct Choice {
    Words words;
    std::int32_t hypothesis_end;  // of the chunk that is open then, or kNoChunk
    std::int32_t next;  // the first word of the reference that is not consumed then
  };
  // Where a path comes from: a path of the level before, and what that did.
  class Origin {
   public:
    Origin() = default;
    constexpr Origin(std::uint32_t parent, std::uint32_t choice) : both_(choice << kParentBits | parent) {}
    constexpr std::uint32_t both() const { return both_; }
    std::uint32_t parent() const { return both_ & ((1u << kParentBits) - 1); }
    std::uint32_t choice() const { return both_ >> kParentBits; }

   private:
    static constexpr int kParentBits = std::bit_width(kWidth + kLanes);
    std::uint32_t both_ = 0;
  };
  // The paths after a stop.
  struct Level {
    const MeteorStop* stop;
    std::size_t first_sort;
    Each<Origin> origins;
  };
  struct Paths {
    Each<Words> used;
    Each<std::int32_t> last_end;  // where the open chunk ends in the hypothesis, or kNoChunk
    Each<std::int32_t> next;  // the first word of the reference not consumed; unused while in step
  };

  void branch(const MeteorStop& stop);
  bool finish_at_last_choice(const MeteorStop& stop, Stops fixed_after);
  void keep_best(const MeteorStop& stop);
  Key find_limit() const;
  void gather_branches_below(Key limit);
  void gather_first_of_equals(Key key);
  void become_branches(std::size_t first);
  void note_progress();
  void cross(std::size_t begin, std::size_t end, Stops fixed);
  std::int32_t end_before(std::size_t position, Stops fixed) const;
  std::size_t find_first() const;

  // Written so that compilers see what it is a multiple of.
  std::size_t stride() const { return blocks_ * kLanes; }
  std::size_t branch_count() const { return choice_count_ * stride(); }
  std::size_t count_branches(Key at_most) const;
  template <typename Use>
  void for_each_equal(const Key* row, Key key, Use use) const;
  void remember_keys();
  bool is_before(std::size_t a, std::size_t b) const;
  bool is_before(Origin a, Origin b) const;

  const MeteorMatcher* matcher_ = nullptr;
  Key one_chunk_ = 0, one_match_ = 0;

  std::size_t count_ = 0;
  Each<Key> keys_;
  std::array<Paths, 2> buffers_;
  Paths *paths_ = &buffers_[0], *parents_ = &buffers_[1];
  bool in_step_ = true;  // all paths have consumed the same words of the reference

  std::vector<Choice> choices_;
  std::size_t choice_count_ = 0;
  bool has_long_choice_ = false;  // of more than one word of the reference
  std::vector<Key> branches_;  // keys: a row per choice; in it a column per path, and a few dead ones
  std::size_t blocks_ = 0;
  std::vector<Origin> equals_;

  std::vector<Level> levels_;
  std::size_t level_count_ = 0;
  std::vector<Each<Key>> sorts_;  // the keys of all paths wherever METEOR sorts them
  std::size_t sort_count_ = 0;
};

template <typename Set, typename Key>
MeteorBeam<Set, Key>::Layout::Layout(const MeteorMatcher& matcher) {
  const std::size_t words = matcher.hypothesis_length() + matcher.reference_length();
  const auto bits = [](std::size_t most) { return static_cast<int>(std::bit_width(most)); };
  distance_bits = bits(matcher.candidate_count() * words);
  chunk_bits = bits(matcher.reference_length());
  match_bits = bits(words);
}

template <typename Set, typename Key>
bool MeteorBeam<Set, Key>::fits(const MeteorMatcher& matcher) {
  const Layout layout(matcher);
  return matcher.hypothesis_length() <= Set::kMost &&
         layout.distance_bits + layout.chunk_bits + layout.match_bits < std::numeric_limits<Key>::digits;
}

template <typename Set, typename Key>
void MeteorBeam<Set, Key>::search(const MeteorMatcher& matcher, std::vector<MeteorMatch>& alignment) {
  matcher_ = &matcher;
  const Stops stops = matcher.stops();
  const Layout layout(matcher);
  one_chunk_ = Key{1} << layout.distance_bits;
  one_match_ = one_chunk_ << layout.chunk_bits;
  if (levels_.size() < stops.size()) levels_.resize(stops.size());
  level_count_ = sort_count_ = 0;

  const auto is_choice = [](const MeteorStop& stop) { return !stop.is_fixed; };
  auto stop = std::ranges::find_if(stops, is_choice);
  count_ = 1;
  in_step_ = true;
  keys_[0] = static_cast<Key>(matcher.hypothesis_length() + matcher.reference_length()) * one_match_;
  paths_->used[0] = Set::none();
  paths_->last_end[0] = end_before(stop->position, {stops.begin(), stop});
  while (true) {
    const auto next_choice = std::find_if(stop + 1, stops.end(), is_choice);
    const Stops fixed(stop + 1, next_choice);
    const bool is_last = next_choice == stops.end();
    branch(*stop);
    if (is_last && finish_at_last_choice(*stop, fixed)) break;
    keep_best(*stop);
    cross(stop->position + 1, is_last ? matcher.reference_length() : next_choice->position, fixed);
    if (is_last) break;
    stop = next_choice;
  }
  std::size_t path = find_first();
  for (std::size_t level = level_count_; level-- > 0;) {
    const Origin origin = levels_[level].origins[path];
    const std::span<const MeteorCandidate> candidates = matcher.candidates(*levels_[level].stop);
    if (origin.choice() < candidates.size())
      alignment.push_back({levels_[level].stop->position, candidates[origin.choice()]});
    path = origin.parent();
  }
}

// Finds the keys of all that the paths may do at a stop.
template <typename Set, typename Key>
void MeteorBeam<Set, Key>::branch(const MeteorStop& stop) {
  const std::span<const MeteorCandidate> candidates = matcher_->candidates(stop);
  const auto position = static_cast<std::int32_t>(stop.position);
  choice_count_ = candidates.size() + 1;
  blocks_ = (count_ + kLanes - 1) / kLanes;
  if (choices_.size() < choice_count_) choices_.resize(choice_count_);
  if (branches_.size() < branch_count()) branches_.resize(branch_count());

  const Key one_chunk = one_chunk_;
  Paths& paths = *paths_;
  Each<Key> keys;  // if the open chunk is closed
  const std::size_t stride = this->stride();
  for (std::size_t k = 0; k < stride; ++k) keys[k] = keys_[k] + (paths.last_end[k] == kNoChunk ? 0 : one_chunk);
  for (std::size_t k = count_; k < stride; ++k) {
    keys[k] = kDead;
    paths.used[k] = Set::all();
  }
  has_long_choice_ = false;
  Key* row = branches_.data();
  for (std::size_t c = 0; c < candidates.size(); ++c, row += stride) {
    const MeteorCandidate& candidate = candidates[c];
    const std::int32_t start = candidate.hypothesis_start;
    const auto distance = static_cast<Key>(start > position ? start - position : position - start);
    const Key gain = candidate.search_weight * one_match_;
    choices_[c] = {Set::range(candidate.hypothesis_start, candidate.hypothesis_length),
                   start + candidate.hypothesis_length, position + candidate.reference_length};
    has_long_choice_ |= candidate.reference_length > 1;
    const Words words = choices_[c].words;
    for (std::size_t k = 0; k < stride; ++k) {
      const bool is_free = !Set::meet(paths.used[k], words);
      const Key taken = keys[k] - gain - (paths.last_end[k] == start ? one_chunk : 0);
      row[k] = is_free ? taken : kDead;
      // METEOR adds the distance to the path it branches from, not to the branch: later branches see it.
      keys[k] = is_free ? keys[k] + distance : keys[k];
    }
  }
  choices_[choice_count_ - 1] = {Set::none(), kNoChunk, position + 1};
  std::copy_n(keys.begin(), stride, row);

  if (in_step_) return;
  for (std::size_t k = 0; k < count_; ++k) {
    if (paths.next[k] <= position) continue;
    // It is inside a match already, and goes on as it is.
    for (std::size_t c = 0; c < candidates.size(); ++c) branches_[c * stride + k] = kDead;
    row[k] = keys_[k];
  }
}

// Calls use(k) for each branch of a row that has the key.
template <typename Set, typename Key>
template <typename Use>
void MeteorBeam<Set, Key>::for_each_equal(const Key* row, Key key, Use use) const {
#if defined(__AVX2__)
  for (std::uint32_t k = 0; k < stride(); k += kLanes)
    for (unsigned which = which_are_equal(key, row + k); which != 0; which &= which - 1)
      use(k + static_cast<std::uint32_t>(std::countr_zero(which)));
#else
  for (std::uint32_t k = 0; k < stride(); ++k)
    if (row[k] == key) use(k);
#endif
}

template <typename Set, typename Key>
std::size_t MeteorBeam<Set, Key>::count_branches(Key at_most) const {
  Key count = 0;  // as wide as what is compared, for vector instructions
  const std::size_t branches = branch_count();
  for (std::size_t i = 0; i < branches; ++i) count += branches_[i] <= at_most;
  return static_cast<std::size_t>(count);
}

// Makes paths of the best branches. Of those that are equal to the last one kept, METEOR keeps the first.
template <typename Set, typename Key>
void MeteorBeam<Set, Key>::keep_best(const MeteorStop& stop) {
  std::swap(paths_, parents_);
  Level& level = levels_[level_count_];
  level.stop = &stop;
  level.first_sort = sort_count_;
  if (branch_count() <= kWidth || count_branches(kDead - 1) <= kWidth) {
    gather_branches_below(kDead);
  } else {
    const Key limit = find_limit();
    gather_branches_below(limit);
    if (count_ < kWidth) gather_first_of_equals(limit);
  }
  ++level_count_;
  if (!in_step_ || has_long_choice_) note_progress();
  remember_keys();
}

// For the time when paths are not in step: how far each has come.
template <typename Set, typename Key>
void MeteorBeam<Set, Key>::note_progress() {
  const Level& level = levels_[level_count_ - 1];
  const auto after = static_cast<std::int32_t>(level.stop->position) + 1;
  const bool were_in_step = std::exchange(in_step_, true);
  for (std::size_t k = 0; k < count_; ++k) {
    const std::size_t parent = level.origins[k].parent();
    if (!were_in_step && parents_->next[parent] >= after) {
      paths_->next[k] = parents_->next[parent];
      paths_->last_end[k] = parents_->last_end[parent];
    } else {
      paths_->next[k] = choices_[level.origins[k].choice()].next;
    }
    in_step_ &= paths_->next[k] == after;
  }
}

// A key that exactly as many branches are below as the beam is wide. If equal branches are in the way, theirs.
template <typename Set, typename Key>
Key MeteorBeam<Set, Key>::find_limit() const {
  constexpr auto kWanted = static_cast<Key>(kWidth);
  const std::size_t branches = branch_count();
  Key low = kDead, high = 0;
  for (std::size_t i = 0; i < branches; ++i) {
    low = std::min(low, branches_[i]);
    high = std::max(high, branches_[i] < kDead ? branches_[i] : 0);
  }
  // Three guesses in one go cost little more than one, and narrow it down twice as fast.
  while (low < high) {
    const Key step = (high - low) / 4;
    const std::array<Key, 3> guesses = {low + step, low + 2 * step, low + 3 * step};
    Key first = 0, second = 0, third = 0;
    for (std::size_t i = 0; i < branches; ++i) {
      first += branches_[i] <= guesses[0];
      second += branches_[i] <= guesses[1];
      third += branches_[i] <= guesses[2];
    }
    const std::array<Key, 3> counts = {first, second, third};
    for (std::size_t i = 3; i-- > 0;) {
      if (counts[i] == kWanted) return guesses[i] + 1;
      if (counts[i] < kWanted) {
        low = guesses[i] + 1;
        break;
      }
      high = guesses[i];
    }
  }
  return low;
}

template <typename Set, typename Key>
void MeteorBeam<Set, Key>::gather_branches_below(Key limit) {
  Each<Origin>& origins = levels_[level_count_].origins;
  const Key* row = branches_.data();
  std::size_t kept = 0;
  for (std::uint32_t choice = 0; choice < choice_count_; ++choice, row += stride())
    for (std::uint32_t k = 0; k < stride(); ++k) {
      keys_[kept] = row[k];
      origins[kept] = Origin(k, choice);
      kept += row[k] < limit;
    }
  count_ = kept;
  become_branches(0);
}

#if defined(__AVX2__)
template <>
inline void MeteorBeam<FewWords<std::uint32_t>, std::int32_t>::gather_branches_below(std::int32_t limit) {
  static_assert(sizeof(Origin) == 4 && Origin(1, 0).both() == 1);
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  Origin* const origins = levels_[level_count_].origins.data();
  const std::uint32_t* const parents = parents_->used.data();
  std::uint32_t* const used = paths_->used.data();
  std::int32_t* const last_end = paths_->last_end.data();
  const std::int32_t* row = branches_.data();
  const auto stride = static_cast<std::uint32_t>(this->stride());
  std::size_t kept = 0;
  for (std::uint32_t choice = 0; choice < choice_count_; ++choice) {
    const __m256i words = _mm256_set1_epi32(static_cast<int>(choices_[choice].words));
    const __m256i end = _mm256_set1_epi32(choices_[choice].hypothesis_end);
    for (std::uint32_t k = 0; k < stride; k += kLanes, row += kLanes) {
      const unsigned which = which_are_below(limit, row);
      const __m256i origin = _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(Origin(k, choice).both())), lanes);
      pack(eight_at(row), which, &keys_[kept]);
      pack(origin, which, origins + kept);
      pack(_mm256_or_si256(eight_at(parents + k), words), which, used + kept);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(last_end + kept), end);
      kept += static_cast<std::size_t>(std::popcount(which));
    }
  }
  count_ = kept;
}
#endif

// Paths from here on take over what their parents have, and what they did.
template <typename Set, typename Key>
void MeteorBeam<Set, Key>::become_branches(std::size_t first) {
  for (std::size_t k = first; k < count_; ++k) {
    const Origin origin = levels_[level_count_].origins[k];
    const Choice& choice = choices_[origin.choice()];
    paths_->used[k] = Set::together(parents_->used[origin.parent()], choice.words);
    paths_->last_end[k] = choice.hypothesis_end;
  }
}

// As many as there is room for, the first in METEOR's order.
template <typename Set, typename Key>
void MeteorBeam<Set, Key>::gather_first_of_equals(Key key) {
  equals_.clear();
  const Key* row = branches_.data();
  for (std::uint32_t choice = 0; choice < choice_count_; ++choice, row += stride())
    for_each_equal(row, key, [&](std::uint32_t k) { equals_.emplace_back(k, choice); });
  const auto room = static_cast<std::ptrdiff_t>(kWidth - count_);
  std::nth_element(equals_.begin(), equals_.begin() + room - 1, equals_.end(),
                   [&](Origin a, Origin b) { return is_before(a, b); });
  std::fill_n(keys_.begin() + count_, room, key);
  std::copy_n(equals_.begin(), room, levels_[level_count_].origins.begin() + count_);
  const std::size_t first = std::exchange(count_, kWidth);
  become_branches(first);
}

template <typename Set, typename Key>
std::size_t MeteorBeam<Set, Key>::find_first() const {
  std::size_t first = 0;
  for (std::size_t k = 1; k < count_; ++k)
    if (is_before(k, first)) first = k;
  return first;
}

template <typename Set, typename Key>
void MeteorBeam<Set, Key>::remember_keys() {
  if (sorts_.size() == sort_count_) sorts_.emplace_back();
  sorts_[sort_count_++] = keys_;
}

// Whether METEOR has path a in front of path b: the last sort that told them apart has put it there.
template <typename Set, typename Key>
bool MeteorBeam<Set, Key>::is_before(std::size_t a, std::size_t b) const {
  std::size_t sort = sort_count_;
  for (std::size_t level = level_count_; level-- > 0;) {
    for (; sort > levels_[level].first_sort; --sort) {
      const Each<Key>& keys = sorts_[sort - 1];
      if (keys[a] != keys[b]) return keys[a] < keys[b];
    }
    const Origin from_a = levels_[level].origins[a], from_b = levels_[level].origins[b];
    if (from_a.parent() == from_b.parent()) return from_a.choice() < from_b.choice();
    a = from_a.parent();
    b = from_b.parent();
  }
  return false;
}

template <typename Set, typename Key>
bool MeteorBeam<Set, Key>::is_before(Origin a, Origin b) const {
  return a.parent() == b.parent() ? a.choice() < b.choice() : is_before(a.parent(), b.parent());
}

// Where the chunk ends that is open at a position, if the words before it have only these matches.
template <typename Set, typename Key>
std::int32_t MeteorBeam<Set, Key>::end_before(std::size_t position, Stops fixed) const {
  if (fixed.empty()) return kNoChunk;
  const MeteorCandidate& match = matcher_->candidates(fixed.back())[0];
  if (fixed.back().position + match.reference_length < position) return kNoChunk;
  return match.hypothesis_start + match.hypothesis_length;
}

// Crosses a stretch without choices. METEOR sorts the paths after each word of it; once all of them have left their
// last match they change alike, so no further sort can change their order, and what all have in common can be
// left out of their keys. At the end of the sentence open chunks are closed, as at a word that is left.
template <typename Set, typename Key>
void MeteorBeam<Set, Key>::cross(std::size_t begin, std::size_t end, Stops fixed) {
  const bool is_end = end == matcher_->reference_length();
  if (begin >= end && !is_end) return;
  Paths& paths = *paths_;
  // No other candidate has words of a fixed match, so all paths are in step there at the latest.
  const std::size_t limit = fixed.empty() ? end : fixed.front().position;
  for (; !in_step_ && begin < limit; ++begin) {
    in_step_ = true;
    for (std::size_t k = 0; k < count_; ++k) {
      const bool leaves = paths.next[k] <= static_cast<std::int32_t>(begin);
      keys_[k] += leaves & (paths.last_end[k] != kNoChunk) ? one_chunk_ : 0;
      paths.last_end[k] = leaves ? kNoChunk : paths.last_end[k];
      in_step_ &= leaves;
    }
    remember_keys();
  }
  if (begin >= end && !is_end) return;
  in_step_ = true;
  const bool match_follows = !fixed.empty() && fixed.front().position == begin;
  const std::int32_t next_match = match_follows ? matcher_->candidates(fixed.front())[0].hypothesis_start : kNoChunk;
  const std::int32_t last_end = end_before(end, fixed);
  const Key one_chunk = one_chunk_;  // a copy, for the compiler: no key is written over it
  const std::size_t count = count_;
  for (std::size_t k = 0; k < count; ++k) {
    const bool closes = (paths.last_end[k] != kNoChunk) & (paths.last_end[k] != next_match);
    keys_[k] += closes ? one_chunk : 0;
    paths.last_end[k] = last_end;
  }
  remember_keys();
}

// After the last choice only the winner counts, and it is known one word later: from there on all paths change
// alike. Two sorts decide, so the winner has the least key one word later, then here, then comes first. It must also
// be among the best here, or METEOR would have cut it off; if it is not, returns false and changes nothing.
template <typename Set, typename Key>
bool MeteorBeam<Set, Key>::finish_at_last_choice(const MeteorStop& stop, Stops fixed_after) {
  if (!in_step_ || has_long_choice_) return false;
  const bool match_follows = !fixed_after.empty() && fixed_after.front().position == stop.position + 1;
  const std::int32_t next_match =
      match_follows ? matcher_->candidates(fixed_after.front())[0].hypothesis_start : kNoChunk;

  Key least_later = kDead, winner_key = kDead;
  Origin winner;
  const Key* row = branches_.data();
  for (std::uint32_t c = 0; c < choice_count_; ++c, row += stride()) {
    const std::int32_t end = choices_[c].hypothesis_end;
    const Key closing = end == kNoChunk || end == next_match ? 0 : one_chunk_;
    Key least = kDead;
    for (std::size_t k = 0; k < stride(); ++k) least = std::min(least, row[k]);
    if (least == kDead) continue;
    const std::pair here(least + closing, least), best(least_later, winner_key);
    if (here > best) continue;
    bool is_better = here < best;
    std::tie(least_later, winner_key) = here;
    for_each_equal(row, least, [&](std::uint32_t k) {
      if (!is_better && !is_before(Origin(k, c), winner)) return;
      winner = Origin(k, c);
      is_better = false;
    });
  }
  if (branch_count() > kWidth && count_branches(winner_key) > kWidth) {
    std::size_t better = 0;
    row = branches_.data();
    for (std::uint32_t c = 0; c < choice_count_; ++c, row += stride())
      for (std::uint32_t k = 0; k < count_; ++k)
        better += row[k] < winner_key || (row[k] == winner_key && is_before(Origin(k, c), winner));
    if (better >= kWidth) return false;
  }
  Level& level = levels_[level_count_++];
  level.stop = &stop;
  level.origins[0] = winner;
  count_ = 1;
  return true;
}

}  // namespace kataribe
