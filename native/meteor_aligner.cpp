#include "meteor_aligner.hpp"

#include <algorithm>

namespace kataribe {

const std::vector<MeteorMatch>& MeteorAligner::align(const MeteorMatcher& matcher) {
  const std::size_t length = matcher.reference_length();
  alignment_.clear();
  is_fixed_.resize(length);
  bool is_ambiguous = false;
  for (std::size_t j = 0; j < length; ++j) {
    is_fixed_[j] = matcher.is_fixed(j);
    if (is_fixed_[j]) alignment_.push_back({j, matcher.starting_at(j)[0]});
    is_ambiguous |= !is_fixed_[j] && !matcher.starting_at(j).empty();
  }
  if (!is_ambiguous) return alignment_;

  mask_words_ = (matcher.hypothesis_length() + 63) / 64;
  if (mask_words_ == 1) {
    search<1>(matcher);
  } else {
    search<0>(matcher);
  }
  const Path* best = std::min_element(paths_.data(), paths_.data() + path_count_,
                                      [](const Path& a, const Path& b) { return a.key < b.key; });
  for (std::uint32_t step = best->last_step; step != kNoStep; step = steps_[step].previous)
    alignment_.push_back(
        {steps_[step].position, matcher.starting_at(steps_[step].position)[steps_[step].candidate]});
  std::sort(alignment_.begin(), alignment_.end(),
            [](const auto& a, const auto& b) { return a.reference_start < b.reference_start; });
  return alignment_;
}

template <std::size_t kMaskWords>
void MeteorAligner::search(const MeteorMatcher& matcher) {
  const std::size_t words = mask_words<kMaskWords>();
  masks_.resize(std::max(masks_.size(), kBeamWidth * words));
  parent_masks_.resize(masks_.size());
  std::fill_n(masks_.begin(), words, 0);
  steps_.clear();
  paths_[0] = {kStartKey, 0, kNoChunk, kNoStep};
  mask_of_[0] = 0;
  path_count_ = 1;

  const std::size_t length = matcher.reference_length();
  for (std::size_t j = 0; j < length;) {
    if (is_fixed_[j] || matcher.starting_at(j).empty()) {
      j = pass(matcher, j);
    } else {
      branch<kMaskWords>(matcher, j);
      ++j;
    }
  }
  for (std::size_t k = 0; k < path_count_; ++k)
    if (paths_[k].last_end != kNoChunk) paths_[k].key += kOneChunk;
}

// A position that leaves no choice: a fixed match begins here, or nothing does. Returns the next position.
std::size_t MeteorAligner::pass(const MeteorMatcher& matcher, std::size_t j) {
  const bool fixed = is_fixed_[j];
  const MeteorCandidate* match = fixed ? matcher.starting_at(j).data() : nullptr;
  for (std::size_t k = 0; k < path_count_; ++k) {
    Path& path = paths_[k];
    if (path.next > j) continue;
    if (fixed) {
      if (path.last_end != kNoChunk && path.last_end != match->hypothesis_start) path.key += kOneChunk;
      path.key = add_distance(path.key, j, match->hypothesis_start) - match->search_weight() * kOneMatch;
      path.last_end = match->hypothesis_start + match->hypothesis_length;
      path.next = static_cast<std::uint32_t>(j + match->reference_length);
    } else {
      if (path.last_end != kNoChunk) path.key += kOneChunk;
      path.last_end = kNoChunk;
      path.next = static_cast<std::uint32_t>(j + 1);
    }
  }
  sort_paths();
  return j + 1;
}

// Stable; almost sorted already.
void MeteorAligner::sort_paths() {
  for (std::size_t k = 1; k < path_count_; ++k) {
    if (paths_[k - 1].key <= paths_[k].key) continue;
    const Path path = paths_[k];
    const std::uint8_t mask = mask_of_[k];
    std::size_t to = k;
    for (; to > 0 && path.key < paths_[to - 1].key; --to) {
      paths_[to] = paths_[to - 1];
      mask_of_[to] = mask_of_[to - 1];
    }
    paths_[to] = path;
    mask_of_[to] = mask;
  }
}

// Keeps the best branches, sorted; of equals the earlier is the better.
inline void MeteorAligner::insert(Key key, Branch branch) {
  if (branch_count_ == kBeamWidth) {
    if (key >= branch_keys_[kBeamWidth - 1]) return;
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

template <std::size_t kMaskWords>
void MeteorAligner::branch(const MeteorMatcher& matcher, std::size_t j) {
  const std::size_t words = mask_words<kMaskWords>();
  const std::span<const MeteorCandidate> candidates = matcher.starting_at(j);
  const auto is_used = [](const std::uint64_t* mask, std::size_t i) { return mask[i / 64] >> (i % 64) & 1; };
  branch_count_ = 0;
  for (std::uint32_t k = 0; k < path_count_; ++k) {
    const Path& path = paths_[k];
    if (path.next > j) {
      insert(path.key, {k, kCarryOn});
      continue;
    }
    const std::uint64_t* mask = masks_.data() + mask_of_[k] * words;
    Key key = path.key;
    for (std::uint32_t c = 0; c < candidates.size(); ++c) {
      const MeteorCandidate& candidate = candidates[c];
      const std::size_t start = candidate.hypothesis_start;
      bool is_free = !is_used(mask, start);
      for (std::size_t i = 1; i < candidate.hypothesis_length; ++i) is_free = is_free && !is_used(mask, start + i);
      if (!is_free) continue;
      const bool breaks_chunk = path.last_end != kNoChunk && path.last_end != candidate.hypothesis_start;
      insert(key - candidate.search_weight() * kOneMatch + breaks_chunk * kOneChunk, {k, c});
      // METEOR adds the distance to the path it branches from, not to the branch: later branches see it.
      key = add_distance(key, j, start);
    }
    insert(key + (path.last_end != kNoChunk ? kOneChunk : 0), {k, kSkip});
  }

  std::swap(paths_, parents_);
  std::swap(masks_, parent_masks_);
  const std::array<std::uint8_t, kBeamWidth> parent_mask_of = mask_of_;
  path_count_ = branch_count_;
  for (std::size_t k = 0; k < path_count_; ++k) {
    const auto [parent, c] = branches_[k];
    Path& path = paths_[k] = parents_[parent];
    path.key = branch_keys_[k];
    mask_of_[k] = static_cast<std::uint8_t>(k);
    std::uint64_t* mask = masks_.data() + k * words;
    std::copy_n(parent_masks_.data() + parent_mask_of[parent] * words, words, mask);
    if (c == kCarryOn) continue;
    if (c == kSkip) {
      path.last_end = kNoChunk;
      path.next = static_cast<std::uint32_t>(j + 1);
      continue;
    }
    const MeteorCandidate& candidate = candidates[c];
    for (std::size_t i = 0; i < candidate.hypothesis_length; ++i)
      mask[(candidate.hypothesis_start + i) / 64] |= std::uint64_t{1} << (candidate.hypothesis_start + i) % 64;
    path.last_end = candidate.hypothesis_start + candidate.hypothesis_length;
    path.next = static_cast<std::uint32_t>(j + candidate.reference_length);
    steps_.push_back({path.last_step, static_cast<std::uint32_t>(j), c});
    path.last_step = static_cast<std::uint32_t>(steps_.size() - 1);
  }
}

}  // namespace kataribe
