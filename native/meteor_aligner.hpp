#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "meteor_matcher.hpp"

namespace kataribe {

struct MeteorMatch {
  std::size_t reference_start;
  MeteorCandidate candidate;
};

// Chooses the alignment METEOR chooses among the candidates: a beam search from left to right over the reference.
// Keeps scratch memory, so use one per thread.
class MeteorAligner {
 public:
  // In order of the reference. Valid until the next call.
  const std::vector<MeteorMatch>& align(const MeteorMatcher& matcher);

 private:
  static constexpr std::size_t kBeamWidth = 40;
  static constexpr std::int32_t kNoChunk = -1;
  static constexpr std::uint32_t kNoStep = UINT32_MAX;

  // How good a path is, in one number; less is better. From the top: 16 bits of weighted matches, counted down;
  // 16 bits of closed chunks; 32 bits of distance, which wrap around as METEOR's do.
  using Key = std::uint64_t;
  static constexpr Key kStartKey = 0xFFFF'0000'8000'0000u;
  static constexpr Key kOneMatch = Key{1} << 48, kOneChunk = Key{1} << 32;
  static Key add_distance(Key key, std::size_t a, std::size_t b) {
    const Key distance = a > b ? a - b : b - a;
    return (key & ~Key{0xFFFF'FFFF}) | ((key + distance) & 0xFFFF'FFFF);
  }

  struct Path {
    Key key;
    std::uint32_t next;     // the first word of the reference not consumed
    std::int32_t last_end;  // where the open chunk ends in the hypothesis, or kNoChunk
    std::uint32_t last_step;
  };
  // A chosen match and the one chosen before it: paths share their past.
  struct Step {
    std::uint32_t previous, position, candidate;
  };
  // A path that could be: parents are extended only in thought until the best are known.
  struct Branch {
    std::uint32_t parent, candidate;
  };
  static constexpr std::uint32_t kSkip = UINT32_MAX, kCarryOn = UINT32_MAX - 1;

  // Used words of the hypothesis: kMaskWords x 64 bits per path, or, if that is 0, as many as the sentence needs.
  template <std::size_t kMaskWords>
  void search(const MeteorMatcher& matcher);
  template <std::size_t kMaskWords>
  void branch(const MeteorMatcher& matcher, std::size_t position);
  void insert(Key key, Branch branch);
  std::size_t pass(const MeteorMatcher& matcher, std::size_t position);
  void sort_paths();
  template <std::size_t kMaskWords>
  std::size_t mask_words() const {
    return kMaskWords > 0 ? kMaskWords : mask_words_;
  }

  std::vector<MeteorMatch> alignment_;
  std::vector<std::uint8_t> is_fixed_;
  std::size_t mask_words_ = 1;
  std::size_t path_count_ = 0, branch_count_ = 0;
  std::array<Path, kBeamWidth> paths_, parents_;
  std::vector<std::uint64_t> masks_, parent_masks_;
  std::array<std::uint8_t, kBeamWidth> mask_of_;
  std::array<Key, kBeamWidth> branch_keys_;
  std::array<Branch, kBeamWidth> branches_;
  std::vector<Step> steps_;
};

}  // namespace kataribe
