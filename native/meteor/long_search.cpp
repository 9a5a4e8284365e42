#include "meteor/long_search.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

namespace kataribe {

namespace {

constexpr std::size_t kLongRun = 64;
// Branches tried one by one for one pair: some ten seconds.
constexpr std::uint64_t kMostTried = std::uint64_t{1} << 33;

std::uint64_t distance_between(std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; }

// METEOR's distance is a signed integer of 32 bits that may overflow.
std::uint64_t farther(std::uint64_t key, std::uint64_t distance) {
  constexpr std::uint64_t kDistance = UINT32_MAX;
  return (key & ~kDistance) | ((key + distance) & kDistance);
}

bool may_overflow(std::uint64_t key, std::uint64_t distance) { return (key & UINT32_MAX) + distance > UINT32_MAX; }

std::uint64_t count_of(std::uint64_t bits) { return static_cast<std::uint64_t>(std::popcount(bits)); }

// The sum of the places of the bits.
std::uint64_t sum_of_places(std::uint64_t bits) {
  constexpr std::uint64_t kPlanes[] = {0xAAAAAAAAAAAAAAAA, 0xCCCCCCCCCCCCCCCC, 0xF0F0F0F0F0F0F0F0,
                                       0xFF00FF00FF00FF00, 0xFFFF0000FFFF0000, 0xFFFFFFFF00000000};
  std::uint64_t sum = 0;
  for (int plane = 0; plane < 6; ++plane) sum += count_of(bits & kPlanes[plane]) << plane;
  return sum;
}

std::uint64_t below(std::size_t place) { return place >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << place) - 1; }

bool is_free(const std::uint64_t* used, const MeteorCandidate& candidate) {
  const std::size_t end = std::size_t{candidate.hypothesis_start} + candidate.hypothesis_length;
  for (std::size_t word = candidate.hypothesis_start; word < end; ++word)
    if ((used[word / 64] >> word % 64 & 1) != 0) return false;
  return true;
}

}  // namespace

void MeteorLongSearch::search(const MeteorMatcher& matcher, std::vector<MeteorMatch>& alignment) {
  matcher_ = &matcher;
  words_ = matcher.hypothesis_length() / 64 + 1;
  tried_ = 0;
  used_.assign(2 * kWidth * words_, 0);
  free_.assign(words_, 0);
  taken_.clear();
  shared_runs_.clear();
  constexpr Key kNoDistance = kOneChunk / 2;  // half-way, as distances are signed
  const Key most_matches = matcher.hypothesis_length() + matcher.reference_length();
  paths_.assign(1, {most_matches * kOneMatch + kNoDistance, kNoChunk, 0, kNothing, 0});

  std::uint32_t position = 0;
  for (const MeteorStop& stop : matcher.stops()) {
    cross(position, stop.position);
    if (stop.is_fixed) {
      take_fixed(stop);
      sort();
    } else {
      branch(stop);
    }
    position = stop.position + 1;
  }
  cross(position, static_cast<std::uint32_t>(matcher.reference_length()) + 1);  // at the end open chunks are closed
  for (std::uint32_t at = paths_.front().taken; at != kNothing; at = taken_[at].before)
    alignment.push_back({taken_[at].position, taken_[at].candidate});
}

// Stable, as METEOR's: of equal paths the one that was in front stays in front.
void MeteorLongSearch::sort() {
  const auto is_before = [](const Path& a, const Path& b) { return a.key < b.key; };
  if (!std::is_sorted(paths_.begin(), paths_.end(), is_before))
    std::stable_sort(paths_.begin(), paths_.end(), is_before);
}

// All paths are in step there, as no other candidate has words of a fixed match.
void MeteorLongSearch::take_fixed(const MeteorStop& stop) {
  const MeteorCandidate& match = matcher_->candidates(stop)[0];
  for (Path& path : paths_) {
    if (path.last_end != kNoChunk && path.last_end != match.hypothesis_start) path.key += kOneChunk;
    path.key =
        farther(path.key - match.search_weight * kOneMatch, distance_between(match.hypothesis_start, stop.position));
    path.last_end = match.hypothesis_start + match.hypothesis_length;
    path.next = stop.position + match.reference_length;
  }
}

// Words without a candidate. Once all paths have left their last match, no further word changes anything.
void MeteorLongSearch::cross(std::uint32_t begin, std::uint32_t end) {
  for (bool all_have_left = false; begin < end && !all_have_left; ++begin) {
    all_have_left = leave(begin);
    sort();
  }
}

// Paths that are not inside a match leave the word, and with it the open chunk. Whether none is inside one.
bool MeteorLongSearch::leave(std::uint32_t position) {
  bool all = true;
  for (Path& path : paths_) {
    if (path.next > position) {
      all = false;
      continue;
    }
    if (path.last_end != kNoChunk) path.key += kOneChunk;
    path.last_end = kNoChunk;
  }
  return all;
}

const MeteorLongSearch::Runs& MeteorLongSearch::runs_of(const MeteorStop& stop) {
  const auto count = static_cast<std::uint32_t>(candidates_.size());
  if (count < kLongRun) {
    own_runs_.resize(1);
    own_runs_[0] = {0, count, {}, {}, {}};
    return own_runs_;
  }
  Runs* runs = &own_runs_;
  if (stop.is_shared) {
    const auto [entry, is_new] = shared_runs_.try_emplace(stop.begin);
    if (!is_new) return entry->second;
    runs = &entry->second;
  }
  runs->clear();
  const auto continues = [&](const MeteorCandidate& one, const MeteorCandidate& other) {
    return one.hypothesis_start < other.hypothesis_start && one.hypothesis_length == other.hypothesis_length &&
           one.search_weight == other.search_weight;
  };
  for (std::uint32_t begin = 0, end; begin < count; begin = end) {
    for (end = begin + 1; end < count && continues(candidates_[end - 1], candidates_[end]);) ++end;
    const bool is_long = end - begin >= kLongRun;
    if (!is_long && !runs->empty() && runs->back().starts.empty()) {
      runs->back().end = end;  // short runs are tried one by one, so they may be one
      continue;
    }
    runs->push_back({begin, end, {}, {}, {}});
    if (!is_long) continue;
    std::vector<Word>& starts = runs->back().starts;
    starts.resize(words_);
    for (std::uint32_t c = begin; c < end; ++c)
      starts[candidates_[c].hypothesis_start / 64] |= Word{1} << candidates_[c].hypothesis_start % 64;
    for (const Word bits : starts) {
      runs->back().counts.push_back(static_cast<std::uint32_t>(std::popcount(bits)));
      runs->back().sums.push_back(static_cast<std::uint32_t>(sum_of_places(bits)));
    }
  }
  return *runs;
}

// Finds the best of all that the paths may do at a stop.
void MeteorLongSearch::branch(const MeteorStop& stop) {
  candidates_ = matcher_->candidates(stop);
  const Runs& runs = runs_of(stop);
  std::uint64_t all_distances = 0;
  for (const MeteorCandidate& candidate : candidates_)
    all_distances += distance_between(candidate.hypothesis_start, stop.position);
  const auto leaves = static_cast<std::uint32_t>(candidates_.size());  // the choice after the last candidate
  best_.clear();
  worst_ = ~Key{0};
  for (std::uint32_t k = 0; k < paths_.size(); ++k) {
    const Path& path = paths_[k];
    if (path.next > stop.position) {  // it is inside a match already, and goes on as it is
      offer(path.key, k, leaves);
      continue;
    }
    Key key = path.key + (path.last_end == kNoChunk ? 0 : kOneChunk);
    if (may_overflow(key, all_distances)) {
      key = branch_short({0, leaves, {}, {}, {}}, k, key, stop.position);
    } else {
      for (const Run& run : runs)
        key = run.starts.empty() ? branch_short(run, k, key, stop.position) : branch_long(run, k, key, stop.position);
    }
    offer(key, k, leaves);
  }
  become_branches(stop);
}

// Returns the key that the path has after the run: METEOR adds the distance of a branch to the path it branches from.
MeteorLongSearch::Key MeteorLongSearch::branch_short(const Run& run, std::uint32_t k, Key key, std::uint32_t position) {
  check_(run.end - run.begin);
  tried_ += run.end - run.begin;
  if (tried_ > kMostTried) throw MeteorTooMuchWork();
  const Path& path = paths_[k];
  const Word* used = set(path.set);
  for (std::uint32_t c = run.begin; c < run.end; ++c) {
    const MeteorCandidate& candidate = candidates_[c];
    if (!is_free(used, candidate)) continue;
    const bool goes_on = path.last_end == candidate.hypothesis_start;
    offer(key - candidate.search_weight * kOneMatch - (goes_on ? kOneChunk : 0), k, c);
    key = farther(key, distance_between(candidate.hypothesis_start, position));
  }
  return key;
}

// The sum of the distances to `position` of the free words of a run from `begin` to `end`. Where all of the run are
// free, which is nearly everywhere, it is known.
std::uint64_t MeteorLongSearch::distance_of_free(const Run& run, std::size_t begin, std::size_t end,
                                                 std::uint32_t position) const {
  std::uint64_t sum = 0;
  for (std::size_t at = begin / 64; at * 64 < end; ++at) {
    const std::uint64_t first = at * 64;
    Word here = free_[at];
    if (here == 0) continue;
    if (begin > first) here &= ~below(begin - first);
    if (end < first + 64) here &= below(end - first);
    const Word before = here & (position > first ? below(position - first) : 0), after = here & ~before;
    // Unsigned numbers wrap around, and back.
    const auto from_position = [&](std::uint64_t places, std::uint64_t count) {
      return places - count * (position - first);
    };
    if (before == 0 || after == 0) {
      const bool is_whole = here == run.starts[at];
      const std::uint64_t all =
          is_whole ? from_position(run.sums[at], run.counts[at]) : from_position(sum_of_places(here), count_of(here));
      sum += before == 0 ? all : -all;
    } else {
      sum += from_position(sum_of_places(after), count_of(after));
      sum -= from_position(sum_of_places(before), count_of(before));
    }
  }
  return sum;
}

MeteorLongSearch::Key MeteorLongSearch::branch_long(const Run& run, std::uint32_t k, Key key, std::uint32_t position) {
  check_(words_);
  const Path& path = paths_[k];
  const Word* used = set(path.set);
  const MeteorCandidate& any = candidates_[run.begin];
  for (std::size_t at = 0; at < words_; ++at) {
    Word taken = used[at];
    for (std::size_t k = 1; k < any.hypothesis_length; ++k)
      taken |= used[at] >> k | (at + 1 < words_ ? used[at + 1] << (64 - k) : 0);
    free_[at] = run.starts[at] & ~taken;
  }
  const Key gain = any.search_weight * kOneMatch;
  const auto number_of = [&](std::uint32_t start) {
    const auto first = candidates_.begin() + run.begin, last = candidates_.begin() + run.end;
    const auto found = std::lower_bound(first, last, start, [](const MeteorCandidate& candidate, std::uint32_t place) {
      return candidate.hypothesis_start < place;
    });
    return static_cast<std::uint32_t>(found - candidates_.begin());
  };

  std::uint32_t done = 0;  // the words of the hypothesis before this one are dealt with
  bool has_hope = true;
  for (std::size_t at = 0; at < words_ && has_hope; ++at)
    for (Word rest = free_[at]; rest != 0; rest &= rest - 1) {
      const auto start = static_cast<std::uint32_t>(at * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
      const bool goes_on = path.last_end == static_cast<std::int32_t>(start);
      if (!goes_on && is_hopeless(key - gain)) {
        has_hope = false;
        break;
      }
      offer(key - gain - (goes_on ? kOneChunk : 0), k, number_of(start));
      key += distance_between(start, position);
      done = start + 1;
    }
  if (has_hope) return key;

  const auto next = static_cast<std::uint32_t>(path.last_end);
  const std::size_t length = matcher_->hypothesis_length();
  if (path.last_end != kNoChunk && next >= done && next < length && (free_[next / 64] >> next % 64 & 1) != 0) {
    key += distance_of_free(run, done, next, position);
    offer(key - gain - kOneChunk, k, number_of(next));
    done = next;
  }
  return key + distance_of_free(run, done, length, position);
}

// Branches come in METEOR's order, so of equal ones the first stay.
void MeteorLongSearch::offer(Key key, std::uint32_t path, std::uint32_t choice) {
  if (is_hopeless(key)) return;
  best_.push_back({key, path, choice});
  if (best_.size() == 3 * kWidth) keep_best();
}

void MeteorLongSearch::keep_best() {
  if (best_.size() <= kWidth) return;
  const auto last = best_.begin() + (kWidth - 1);
  std::nth_element(best_.begin(), last, best_.end());
  worst_ = last->key;
  best_.resize(kWidth);
}

void MeteorLongSearch::become_branches(const MeteorStop& stop) {
  keep_best();
  std::sort(best_.begin(), best_.end());
  next_paths_.clear();
  const std::uint32_t first_set = paths_.front().set < kWidth ? kWidth : 0;
  for (const Branch& branch : best_) {
    const Path& parent = paths_[branch.path];
    Path path = parent;
    path.key = branch.key;
    path.set = first_set + static_cast<std::uint32_t>(next_paths_.size());
    std::copy_n(set(parent.set), words_, set(path.set));
    if (branch.choice < candidates_.size()) {
      const MeteorCandidate& candidate = candidates_[branch.choice];
      for (std::size_t word = candidate.hypothesis_start, n = 0; n < candidate.hypothesis_length; ++word, ++n)
        set(path.set)[word / 64] |= Word{1} << word % 64;
      path.last_end = candidate.hypothesis_start + candidate.hypothesis_length;
      path.next = stop.position + candidate.reference_length;
      path.taken = static_cast<std::uint32_t>(taken_.size());
      taken_.push_back({parent.taken, stop.position, candidate});
    } else if (parent.next <= stop.position) {
      path.last_end = kNoChunk;
      path.next = stop.position + 1;
    }
    next_paths_.push_back(path);
  }
  std::swap(paths_, next_paths_);
}

}  // namespace kataribe
