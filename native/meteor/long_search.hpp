// METEOR's beam search for sentences of any length, where MeteorBeam's sets and keys are too small.
//
// Paths stand in METEOR's order. Its list of candidates may name every place of a word that both sentences repeat over
// and over, so what a path may do is not tried one by one. Candidates that follow each other in the hypothesis and
// count alike form a run: the farther down its list, the worse the branch, because METEOR adds each candidate's
// distance to all that follow. So a run is left at the first branch that is not among the best 40, and the distances
// of the rest are summed up from bits. Where METEOR's 32-bit distances overflow, and only there, all are tried.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "common/interrupt.hpp"
#include "meteor/aligner.hpp"

namespace kataribe {

class MeteorLongSearch {
 public:
  // Appends the matches chosen at positions where there is a choice. Throws MeteorTooMuchWork.
  void search(const MeteorMatcher& matcher, std::vector<MeteorMatch>& alignment);

 private:
  using Key = std::uint64_t;
  using Word = std::uint64_t;
  static constexpr std::size_t kWidth = 40;
  static constexpr std::int32_t kNoChunk = -1;
  static constexpr std::uint32_t kNothing = UINT32_MAX;
  // From the top: weighted matches, counted down; closed chunks; METEOR's signed distance.
  static constexpr Key kOneChunk = Key{1} << 32, kOneMatch = Key{1} << 48;

  struct Path {
    Key key;
    std::int32_t last_end;  // where the open chunk ends in the hypothesis, or kNoChunk
    std::uint32_t next;     // the first word of the reference that is not consumed
    std::uint32_t taken;    // its last match, in taken_
    std::uint32_t set;      // its used words, in used_
  };
  struct Taken {
    std::uint32_t before;  // in taken_
    std::uint32_t position;
    MeteorCandidate candidate;
  };
  struct Branch {
    Key key;
    std::uint32_t path, choice;
    bool operator<(const Branch& other) const {
      if (key != other.key) return key < other.key;
      return path != other.path ? path < other.path : choice < other.choice;
    }
  };
  // Candidates begin to end of a stop. A long run has a set of the words where they begin, and for each of its
  // integers the number of bits and the sum of their places.
  struct Run {
    std::uint32_t begin, end;
    std::vector<Word> starts;
    std::vector<std::uint32_t> counts, sums;
  };
  using Runs = std::vector<Run>;

  const Runs& runs_of(const MeteorStop& stop);
  void branch(const MeteorStop& stop);
  Key branch_long(const Run& run, std::uint32_t path, Key key, std::uint32_t position);
  Key branch_short(const Run& run, std::uint32_t path, Key key, std::uint32_t position);
  std::uint64_t distance_of_free(const Run& run, std::size_t begin, std::size_t end, std::uint32_t position) const;
  void offer(Key key, std::uint32_t path, std::uint32_t choice);
  void become_branches(const MeteorStop& stop);
  void take_fixed(const MeteorStop& stop);
  void cross(std::uint32_t begin, std::uint32_t end);
  bool leave(std::uint32_t position);
  void sort();
  bool is_hopeless(Key key) const { return key >= worst_; }
  void keep_best();
  Word* set(std::uint32_t which) { return used_.data() + which * words_; }

  const MeteorMatcher* matcher_ = nullptr;
  std::span<const MeteorCandidate> candidates_;
  std::size_t words_ = 0;  // of a set
  std::uint64_t tried_ = 0;
  InterruptCheck check_;
  std::vector<Path> paths_, next_paths_;
  std::vector<Word> used_, free_;
  std::vector<Taken> taken_;
  std::vector<Branch> best_;  // of the branches so far, in any order, the best and some more
  Key worst_ = 0;             // what a branch must be better than
  std::unordered_map<std::uint32_t, Runs> shared_runs_;  // of stops that have the same candidates
  Runs own_runs_;
};

}  // namespace kataribe
