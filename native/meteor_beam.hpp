// The beam search behind MeteorAligner: from left to right over the words of the reference, keeping the best paths.
//
// The result must be METEOR's, not the best there is, so the beam is cut where METEOR cuts it and equal paths stay
// in METEOR's order. What can be saved is work that does not change the outcome: branches become paths only once
// the best are known, stretches without a choice are crossed in one go, and the last choice needs no beam any more.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "meteor_aligner.hpp"

namespace kataribe {

// Used: one of the classes of meteor_used_words.hpp.
template <typename Used>
class MeteorBeam {
 public:
  // Appends the matches chosen at positions where there is a choice.
  void search(const MeteorMatcher& matcher, std::vector<MeteorMatch>& alignment);

 private:
  static constexpr std::size_t kWidth = 40;
  static constexpr std::int32_t kNoChunk = -1;
  static constexpr std::uint32_t kNoStep = UINT32_MAX;

  // How good a path is, in one number; less is better. From the top: 16 bits of weighted matches, counted down;
  // 16 bits of closed chunks; 32 bits of distance, biased because METEOR's is signed and may overflow.
  using Key = std::uint64_t;
  static constexpr Key kStartKey = 0xFFFF'0000'8000'0000u;
  static constexpr Key kOneMatch = Key{1} << 48, kOneChunk = Key{1} << 32, kDistance = kOneChunk - 1;
  static Key add_distance(Key key, std::size_t a, std::size_t b) {
    const Key distance = a > b ? a - b : b - a;
    return (key & ~kDistance) | ((key + distance) & kDistance);
  }

  struct Path {
    Key key;
    std::uint32_t next;     // the first word of the reference that it has not consumed
    std::int32_t last_end;  // where the open chunk ends in the hypothesis, or kNoChunk
    std::uint32_t last_step;
    Used used;
  };
  // A chosen match and the one chosen before it: paths share their past.
  struct Step {
    std::uint32_t previous;
    MeteorMatch match;
  };
  // What a path may do: take a candidate, or one of these.
  static constexpr std::uint32_t kSkip = UINT32_MAX, kCarryOn = UINT32_MAX - 1;
  struct Branch {
    Key key;
    std::uint32_t parent, choice;
  };

  using Stops = std::span<const MeteorStop>;
  template <typename Hopeless, typename Sink>
  void for_each_branch(const MeteorStop& stop, Hopeless is_hopeless, Sink sink) const;
  void branch(const MeteorStop& stop);
  void insert(const Branch& branch);
  bool finish_at_last_choice(const MeteorStop& stop, Stops fixed_after);
  void cross(std::size_t begin, std::size_t end, Stops fixed);
  void cross_in_step(std::size_t end, Stops fixed);
  void take_fixed(Path& path, const MeteorStop& stop) const;
  static void leave_words_until(Path& path, std::size_t position);
  static Key close_chunk(Key key, std::int32_t last_end) { return last_end == kNoChunk ? key : key + kOneChunk; }
  void sort();

  const MeteorMatcher* matcher_ = nullptr;
  std::vector<Path> paths_, parents_;
  std::size_t path_count_ = 0, branch_count_ = 0;
  std::array<Branch, kWidth> branches_;
  std::vector<Key> last_keys_;
  std::vector<Step> steps_;
};

template <typename Used>
void MeteorBeam<Used>::search(const MeteorMatcher& matcher, std::vector<MeteorMatch>& alignment) {
  matcher_ = &matcher;
  steps_.clear();
  paths_.resize(kWidth);
  parents_.resize(kWidth);
  paths_[0].key = kStartKey;
  paths_[0].next = 0;
  paths_[0].last_end = kNoChunk;
  paths_[0].last_step = kNoStep;
  paths_[0].used.clear(matcher.hypothesis_length());
  path_count_ = 1;

  const Stops stops = matcher.stops();
  const auto is_choice = [](const MeteorStop& stop) { return !stop.is_fixed; };
  auto stop = std::ranges::find_if(stops, is_choice);
  cross(0, stop->position, Stops(stops.begin(), stop));
  while (true) {
    const auto next_choice = std::find_if(stop + 1, stops.end(), is_choice);
    const Stops fixed(stop + 1, next_choice);
    if (next_choice != stops.end()) {
      branch(*stop);
      cross(stop->position + 1, next_choice->position, fixed);
      stop = next_choice;
      continue;
    }
    if (finish_at_last_choice(*stop, fixed)) break;
    branch(*stop);
    cross(stop->position + 1, matcher.reference_length(), fixed);
    for (std::size_t k = 0; k < path_count_; ++k) paths_[k].key = close_chunk(paths_[k].key, paths_[k].last_end);
    sort();
    break;
  }
  for (std::uint32_t step = paths_[0].last_step; step != kNoStep; step = steps_[step].previous)
    alignment.push_back(steps_[step].match);
}

template <typename Used>
void MeteorBeam<Used>::take_fixed(Path& path, const MeteorStop& stop) const {
  const MeteorCandidate& match = matcher_->candidates(stop)[0];
  if (path.last_end != match.hypothesis_start) path.key = close_chunk(path.key, path.last_end);
  path.key = add_distance(path.key, stop.position, match.hypothesis_start) - match.search_weight * kOneMatch;
  path.last_end = match.hypothesis_start + match.hypothesis_length;
  path.next = stop.position + match.reference_length;
}

template <typename Used>
void MeteorBeam<Used>::leave_words_until(Path& path, std::size_t position) {
  if (path.next >= position) return;
  path.key = close_chunk(path.key, path.last_end);
  path.last_end = kNoChunk;
  path.next = static_cast<std::uint32_t>(position);
}

// Crosses a stretch without choices. METEOR sorts the paths after each word of it; once all of them have left their
// last match they change alike, so no further sort can change their order.
template <typename Used>
void MeteorBeam<Used>::cross(std::size_t begin, std::size_t end, Stops fixed) {
  bool in_step = path_count_ == 1;
  for (std::size_t j = begin; j < end && !in_step; ++j) {
    const bool is_match = !fixed.empty() && fixed.front().position == j;
    in_step = true;
    for (std::size_t k = 0; k < path_count_; ++k) {
      Path& path = paths_[k];
      if (path.next > j) {
        in_step = false;
      } else if (is_match) {
        take_fixed(path, fixed.front());
      } else {
        leave_words_until(path, j + 1);
      }
    }
    if (is_match) fixed = fixed.subspan(1);
    sort();
  }
  if (in_step) cross_in_step(end, fixed);
}

template <typename Used>
void MeteorBeam<Used>::cross_in_step(std::size_t end, Stops fixed) {
  Path& first = paths_[0];
  const Key before = first.key;
  for (const MeteorStop& stop : fixed) {
    leave_words_until(first, stop.position);
    take_fixed(first, stop);
  }
  leave_words_until(first, end);
  const Key change = first.key - before;
  for (std::size_t k = 1; k < path_count_; ++k) {
    paths_[k].key += change;
    paths_[k].last_end = first.last_end;
    paths_[k].next = first.next;
  }
}

// Stable; the paths are almost sorted already.
template <typename Used>
void MeteorBeam<Used>::sort() {
  for (std::size_t k = 1; k < path_count_; ++k) {
    if (paths_[k - 1].key <= paths_[k].key) continue;
    Path path = std::move(paths_[k]);
    std::size_t to = k;
    for (; to > 0 && path.key < paths_[to - 1].key; --to) paths_[to] = std::move(paths_[to - 1]);
    paths_[to] = std::move(path);
  }
}

// Calls sink(key, parent, choice) for all that the paths may do at a position, in METEOR's order. Stops before a
// path that is_hopeless(key), as are all after it.
template <typename Used>
template <typename Hopeless, typename Sink>
void MeteorBeam<Used>::for_each_branch(const MeteorStop& stop, Hopeless is_hopeless, Sink sink) const {
  const std::span<const MeteorCandidate> candidates = matcher_->candidates(stop);
  for (std::uint32_t k = 0; k < path_count_; ++k) {
    const Path& path = paths_[k];
    if (is_hopeless(path.key)) break;
    if (path.next > stop.position) {
      sink(path.key, k, kCarryOn);
      continue;
    }
    Key key = path.key;
    for (std::uint32_t c = 0; c < candidates.size(); ++c) {
      const MeteorCandidate& candidate = candidates[c];
      if (!path.used.is_free(candidate.hypothesis_start, candidate.hypothesis_length)) continue;
      const Key taken = key - candidate.search_weight * kOneMatch;
      sink(path.last_end == candidate.hypothesis_start ? taken : close_chunk(taken, path.last_end), k, c);
      // METEOR adds the distance to the path it branches from, not to the branch: later branches see it.
      key = add_distance(key, stop.position, candidate.hypothesis_start);
    }
    sink(close_chunk(key, path.last_end), k, kSkip);
  }
}

// Keeps the best branches, sorted; of equals the earlier is the better.
template <typename Used>
inline void MeteorBeam<Used>::insert(const Branch& branch) {
  if (branch_count_ == kWidth) {
    if (branch.key >= branches_[kWidth - 1].key) return;
  } else {
    ++branch_count_;
  }
  std::size_t to = branch_count_ - 1;
  for (; to > 0 && branch.key < branches_[to - 1].key; --to) branches_[to] = branches_[to - 1];
  branches_[to] = branch;
}

template <typename Used>
void MeteorBeam<Used>::branch(const MeteorStop& stop) {
  const std::span<const MeteorCandidate> candidates = matcher_->candidates(stop);
  Key most_gain = 0;
  for (const MeteorCandidate& candidate : candidates)
    most_gain = std::max(most_gain, candidate.search_weight * kOneMatch);
  // Distances may overflow, so they decide nothing here.
  const auto is_hopeless = [&](Key key) {
    return branch_count_ == kWidth && (key - most_gain) >> 32 > branches_[kWidth - 1].key >> 32;
  };
  branch_count_ = 0;
  for_each_branch(stop, is_hopeless, [&](Key key, std::uint32_t parent, std::uint32_t choice) {
    insert({key, parent, choice});
  });

  std::swap(paths_, parents_);
  path_count_ = branch_count_;
  for (std::size_t k = 0; k < path_count_; ++k) {
    const auto [key, parent, choice] = branches_[k];
    Path& path = paths_[k] = parents_[parent];
    path.key = key;
    if (choice == kCarryOn) continue;
    if (choice == kSkip) {
      path.last_end = kNoChunk;
      path.next = stop.position + 1;
      continue;
    }
    const MeteorCandidate& candidate = candidates[choice];
    path.used.add(candidate.hypothesis_start, candidate.hypothesis_length);
    path.last_end = candidate.hypothesis_start + candidate.hypothesis_length;
    path.next = stop.position + candidate.reference_length;
    steps_.push_back({path.last_step, {stop.position, candidate}});
    path.last_step = static_cast<std::uint32_t>(steps_.size() - 1);
  }
}

// After the last choice only the winner counts, and it is known one word later: from there on all paths change
// alike. Two sorts decide, so the winner has the least key one word later, then here, then comes first. It must also
// be among the best here, or METEOR would have cut it off; if it is not, returns false and changes nothing.
template <typename Used>
bool MeteorBeam<Used>::finish_at_last_choice(const MeteorStop& stop, Stops fixed_after) {
  const std::span<const MeteorCandidate> candidates = matcher_->candidates(stop);
  for (const MeteorCandidate& candidate : candidates)
    if (candidate.reference_length > 1) return false;
  for (std::size_t k = 0; k < path_count_; ++k)
    if (paths_[k].next > stop.position + 1) return false;

  const bool match_follows = !fixed_after.empty() && fixed_after.front().position == stop.position + 1;
  const std::int32_t next_match =
      match_follows ? matcher_->candidates(fixed_after.front())[0].hypothesis_start : kNoChunk;
  const auto end_of_chunk = [&](std::uint32_t parent, std::uint32_t choice) -> std::int32_t {
    if (choice == kSkip) return kNoChunk;
    if (choice == kCarryOn) return paths_[parent].last_end;
    return candidates[choice].hypothesis_start + candidates[choice].hypothesis_length;
  };
  Key least_later = ~Key{0};
  std::size_t winner_at = 0;
  Branch winner{~Key{0}, 0, kSkip};
  last_keys_.clear();
  const auto never = [](Key) { return false; };
  for_each_branch(stop, never, [&](Key key, std::uint32_t parent, std::uint32_t choice) {
    const std::int32_t last_end = end_of_chunk(parent, choice);
    const Key later = last_end == next_match ? key : close_chunk(key, last_end);
    if (later < least_later || (later == least_later && key < winner.key)) {
      least_later = later;
      winner = {key, parent, choice};
      winner_at = last_keys_.size();
    }
    last_keys_.push_back(key);
  });
  if (last_keys_.size() > kWidth) {
    std::size_t better = 0;
    for (std::size_t i = 0; i < last_keys_.size(); ++i)
      better += last_keys_[i] < winner.key || (last_keys_[i] == winner.key && i < winner_at);
    if (better >= kWidth) return false;
  }
  paths_[0].last_step = paths_[winner.parent].last_step;
  if (winner.choice != kSkip && winner.choice != kCarryOn) {
    steps_.push_back({paths_[0].last_step, {stop.position, candidates[winner.choice]}});
    paths_[0].last_step = static_cast<std::uint32_t>(steps_.size() - 1);
  }
  return true;
}

}  // namespace kataribe
