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

// The words of the hypothesis that a path has used.
class UsedWords64 {
 public:
  void clear(std::size_t) { bits_ = 0; }
  bool is_free(std::size_t start, std::size_t length) const { return (bits_ & mask(start, length)) == 0; }
  void add(std::size_t start, std::size_t length) { bits_ |= mask(start, length); }

 private:
  static std::uint64_t mask(std::size_t start, std::size_t length) { return ~std::uint64_t{0} >> (64 - length) << start; }
  std::uint64_t bits_ = 0;
};

class UsedWords {
 public:
  void clear(std::size_t words) { used_.assign(words, false); }
  bool is_free(std::size_t start, std::size_t length) const {
    for (std::size_t i = start; i < start + length; ++i)
      if (used_[i]) return false;
    return true;
  }
  void add(std::size_t start, std::size_t length) {
    for (std::size_t i = start; i < start + length; ++i) used_[i] = true;
  }

 private:
  std::vector<bool> used_;
};

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
  // 16 bits of closed chunks; 32 bits of distance, signed, which overflow as METEOR's do.
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
    std::uint32_t previous, position, candidate;
  };
  // What a path may do: take a candidate, or one of these.
  static constexpr std::uint32_t kSkip = UINT32_MAX, kCarryOn = UINT32_MAX - 1;
  struct Branch {
    std::uint32_t parent, choice;
  };

  template <typename Hopeless, typename Sink>
  void for_each_branch(std::size_t j, Hopeless is_hopeless, Sink sink) const;
  void branch(std::size_t j);
  void insert(Key key, Branch branch);
  bool finish_at_last_choice(std::size_t j);
  void cross(std::size_t begin, std::size_t end);
  void advance(Path& path, std::size_t j) const;
  Key close_chunk(Key key, std::int32_t last_end) const { return last_end == kNoChunk ? key : key + kOneChunk; }
  void sort();

  const MeteorMatcher* matcher_ = nullptr;
  std::vector<std::uint32_t> choices_;
  std::vector<Path> paths_, parents_;
  std::size_t path_count_ = 0, branch_count_ = 0;
  std::array<Key, kWidth> branch_keys_;
  std::array<Branch, kWidth> branches_;
  std::vector<Key> last_keys_;
  std::vector<Step> steps_;
};

template <typename Used>
void MeteorBeam<Used>::search(const MeteorMatcher& matcher, std::vector<MeteorMatch>& alignment) {
  matcher_ = &matcher;
  choices_.clear();
  for (std::size_t j = 0; j < matcher.reference_length(); ++j)
    if (matcher.kind(j) == MeteorMatcher::Kind::kChoice) choices_.push_back(static_cast<std::uint32_t>(j));
  steps_.clear();
  paths_.resize(kWidth);
  parents_.resize(kWidth);
  paths_[0].key = kStartKey;
  paths_[0].next = 0;
  paths_[0].last_end = kNoChunk;
  paths_[0].last_step = kNoStep;
  paths_[0].used.clear(matcher.hypothesis_length());
  path_count_ = 1;

  std::size_t from = 0;
  for (const std::size_t j : choices_) {
    cross(from, j);
    from = j + 1;
    if (j == choices_.back() && finish_at_last_choice(j)) break;
    branch(j);
    if (j == choices_.back()) {
      cross(from, matcher.reference_length());
      for (std::size_t k = 0; k < path_count_; ++k) paths_[k].key = close_chunk(paths_[k].key, paths_[k].last_end);
      sort();
    }
  }
  for (std::uint32_t step = paths_[0].last_step; step != kNoStep; step = steps_[step].previous) {
    const auto [previous, position, candidate] = steps_[step];
    alignment.push_back({position, matcher.starting_at(position)[candidate]});
  }
}

// A position that leaves no choice: a fixed match begins here, or nothing does.
template <typename Used>
void MeteorBeam<Used>::advance(Path& path, std::size_t j) const {
  if (path.next > j) return;
  const std::span<const MeteorCandidate> fixed = matcher_->starting_at(j);
  if (fixed.empty()) {
    path.key = close_chunk(path.key, path.last_end);
    path.last_end = kNoChunk;
    path.next = static_cast<std::uint32_t>(j + 1);
  } else {
    const MeteorCandidate& match = fixed[0];
    if (path.last_end != match.hypothesis_start) path.key = close_chunk(path.key, path.last_end);
    path.key = add_distance(path.key, j, match.hypothesis_start) - match.search_weight() * kOneMatch;
    path.last_end = match.hypothesis_start + match.hypothesis_length;
    path.next = static_cast<std::uint32_t>(j + match.reference_length);
  }
}

// Crosses a stretch without choices. METEOR sorts the paths after each word of it; once all of them have left their
// last match they change alike, so no further sort can change their order.
template <typename Used>
void MeteorBeam<Used>::cross(std::size_t begin, std::size_t end) {
  bool in_step = path_count_ == 1;
  for (std::size_t j = begin; j < end; ++j) {
    if (in_step) {
      const Path before = paths_[0];
      Path& first = paths_[0];
      for (; j < end; ++j) advance(first, j);
      for (std::size_t k = 1; k < path_count_; ++k) {
        paths_[k].key += first.key - before.key;
        paths_[k].last_end = first.last_end;
        paths_[k].next = first.next;
      }
      return;
    }
    in_step = true;
    for (std::size_t k = 0; k < path_count_; ++k) {
      in_step = in_step && paths_[k].next <= j;
      advance(paths_[k], j);
    }
    sort();
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
void MeteorBeam<Used>::for_each_branch(std::size_t j, Hopeless is_hopeless, Sink sink) const {
  const std::span<const MeteorCandidate> candidates = matcher_->starting_at(j);
  for (std::uint32_t k = 0; k < path_count_; ++k) {
    const Path& path = paths_[k];
    if (is_hopeless(path.key)) break;
    if (path.next > j) {
      sink(path.key, k, kCarryOn);
      continue;
    }
    Key key = path.key;
    for (std::uint32_t c = 0; c < candidates.size(); ++c) {
      const MeteorCandidate& candidate = candidates[c];
      const std::size_t start = candidate.hypothesis_start;
      if (!path.used.is_free(start, candidate.hypothesis_length)) continue;
      const Key taken = key - candidate.search_weight() * kOneMatch;
      sink(path.last_end == candidate.hypothesis_start ? taken : close_chunk(taken, path.last_end), k, c);
      // METEOR adds the distance to the path it branches from, not to the branch: later branches see it.
      key = add_distance(key, j, start);
    }
    sink(close_chunk(key, path.last_end), k, kSkip);
  }
}

// Keeps the best branches, sorted; of equals the earlier is the better.
template <typename Used>
inline void MeteorBeam<Used>::insert(Key key, Branch branch) {
  if (branch_count_ == kWidth) {
    if (key >= branch_keys_[kWidth - 1]) return;
  } else {
    ++branch_count_;
  }
  std::size_t to = branch_count_ - 1;
  for (; to > 0 && key < branch_keys_[to - 1]; --to) {
    branch_keys_[to] = branch_keys_[to - 1];
    branches_[to] = branches_[to - 1];
  }
  branch_keys_[to] = key;
  branches_[to] = branch;
}

template <typename Used>
void MeteorBeam<Used>::branch(std::size_t j) {
  branch_count_ = 0;
  Key most_gain = 0;
  for (const MeteorCandidate& candidate : matcher_->starting_at(j))
    most_gain = std::max(most_gain, candidate.search_weight() * kOneMatch);
  // Distances may overflow, so they decide nothing here.
  const auto is_hopeless = [&](Key key) {
    return branch_count_ == kWidth && (key - most_gain) >> 32 > branch_keys_[kWidth - 1] >> 32;
  };
  for_each_branch(j, is_hopeless, [&](Key key, std::uint32_t parent, std::uint32_t choice) {
    insert(key, {parent, choice});
  });

  std::swap(paths_, parents_);
  path_count_ = branch_count_;
  for (std::size_t k = 0; k < path_count_; ++k) {
    const auto [parent, choice] = branches_[k];
    Path& path = paths_[k] = parents_[parent];
    path.key = branch_keys_[k];
    if (choice == kCarryOn) continue;
    if (choice == kSkip) {
      path.last_end = kNoChunk;
      path.next = static_cast<std::uint32_t>(j + 1);
      continue;
    }
    const MeteorCandidate& candidate = matcher_->starting_at(j)[choice];
    path.used.add(candidate.hypothesis_start, candidate.hypothesis_length);
    path.last_end = candidate.hypothesis_start + candidate.hypothesis_length;
    path.next = static_cast<std::uint32_t>(j + candidate.reference_length);
    steps_.push_back({path.last_step, static_cast<std::uint32_t>(j), choice});
    path.last_step = static_cast<std::uint32_t>(steps_.size() - 1);
  }
}

// After the last choice only the winner counts, and it is known one word later: from there on all paths change
// alike. Two sorts decide, so the winner has the least key one word later, then here, then comes first. It must also
// be among the best here, or METEOR would have cut it off; if it is not, returns false and changes nothing.
template <typename Used>
bool MeteorBeam<Used>::finish_at_last_choice(std::size_t j) {
  const std::span<const MeteorCandidate> candidates = matcher_->starting_at(j);
  const auto goes_further = [](const auto& candidate) { return candidate.reference_length > 1; };
  if (std::ranges::any_of(candidates, goes_further)) return false;
  for (std::size_t k = 0; k < path_count_; ++k)
    if (paths_[k].next > j + 1) return false;

  std::int32_t next_match = kNoChunk;  // where the next word's match begins, if it has one
  if (j + 1 < matcher_->reference_length())
    if (const auto fixed = matcher_->starting_at(j + 1); !fixed.empty()) next_match = fixed[0].hypothesis_start;
  std::pair<Key, Key> best{~Key{0}, ~Key{0}};
  std::size_t best_at = 0;
  Branch winner{};
  last_keys_.clear();
  const auto never = [](Key) { return false; };
  for_each_branch(j, never, [&](Key key, std::uint32_t parent, std::uint32_t choice) {
    std::int32_t last_end = kNoChunk;
    if (choice == kCarryOn) last_end = paths_[parent].last_end;
    else if (choice != kSkip) last_end = candidates[choice].hypothesis_start + candidates[choice].hypothesis_length;
    const Key later = last_end == next_match ? key : close_chunk(key, last_end);
    if (std::pair(later, key) < best) {
      best = {later, key};
      best_at = last_keys_.size();
      winner = {parent, choice};
    }
    last_keys_.push_back(key);
  });
  if (last_keys_.size() > kWidth) {
    const auto rank = std::count_if(last_keys_.begin(), last_keys_.begin() + best_at, [&](Key key) { return key <= best.second; }) +
                      std::count_if(last_keys_.begin() + best_at + 1, last_keys_.end(), [&](Key key) { return key < best.second; });
    if (static_cast<std::size_t>(rank) >= kWidth) return false;
  }
  std::uint32_t step = paths_[winner.parent].last_step;
  if (winner.choice != kSkip && winner.choice != kCarryOn) {
    steps_.push_back({step, static_cast<std::uint32_t>(j), winner.choice});
    step = static_cast<std::uint32_t>(steps_.size() - 1);
  }
  paths_[0].last_step = step;
  return true;
}

}  // namespace kataribe
