#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "meteor/matcher.hpp"

namespace kataribe {

struct MeteorMatch {
  std::size_t reference_start;
  MeteorCandidate candidate;
};

// Chooses the alignment METEOR chooses among the candidates. Keeps scratch memory, so use one per thread.
class MeteorAligner {
 public:
  MeteorAligner();
  ~MeteorAligner();

  // In order of the reference. Valid until the next call.
  const std::vector<MeteorMatch>& align(const MeteorMatcher& matcher);

 private:
  struct Beams;
  std::unique_ptr<Beams> beams_;
  std::vector<MeteorMatch> alignment_;
};

}  // namespace kataribe
