#include "meteor/aligner.hpp"

#include <algorithm>

#include "meteor/beam.hpp"
#include "meteor/long_search.hpp"

namespace kataribe {

struct MeteorAligner::Beams {
  MeteorBeam<FewWords<std::uint32_t>, std::int32_t> up_to_32_words;
  MeteorBeam<FewWords<std::uint64_t>, std::int32_t> up_to_64_words;
  MeteorLongSearch any_length;

  void search(const MeteorMatcher& matcher, std::vector<MeteorMatch>& alignment) {
    if (up_to_32_words.fits(matcher)) {
      up_to_32_words.search(matcher, alignment);
    } else if (up_to_64_words.fits(matcher)) {
      up_to_64_words.search(matcher, alignment);
    } else {
      any_length.search(matcher, alignment);
    }
  }
};

MeteorAligner::MeteorAligner() : beams_(std::make_unique<Beams>()) {}
MeteorAligner::~MeteorAligner() = default;

const std::vector<MeteorMatch>& MeteorAligner::align(const MeteorMatcher& matcher) {
  alignment_.clear();
  bool is_ambiguous = false;
  for (const MeteorStop& stop : matcher.stops()) {
    if (stop.is_fixed) alignment_.push_back({stop.position, matcher.candidates(stop)[0]});
    is_ambiguous |= !stop.is_fixed;
  }
  if (!is_ambiguous) return alignment_;
  beams_->search(matcher, alignment_);
  std::sort(alignment_.begin(), alignment_.end(),
            [](const auto& a, const auto& b) { return a.reference_start < b.reference_start; });
  return alignment_;
}

}  // namespace kataribe
