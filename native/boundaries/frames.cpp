// Event boundaries frame by frame: windows around them, bells on them, and probes that slide over the segments.
#include <algorithm>
#include <cmath>

#include "boundaries/comparison.hpp"
#include "common/interrupt.hpp"

namespace kataribe {
namespace {

using std::int64_t;
using std::size_t;

// Marks frames within the tolerance of a boundary; both are in frames, the boundaries on whole ones.
void mark_windows(std::span<const double> boundaries, double tolerance, std::vector<char>& mask) {
  std::fill(mask.begin(), mask.end(), 0);
  const auto last = static_cast<double>(mask.size()) - 1;
  for (const double frame : boundaries) {
    const double from = std::max(0.0, std::ceil(frame - tolerance)), to = std::min(last, std::floor(frame + tolerance));
    for (auto i = static_cast<int64_t>(from); i <= static_cast<int64_t>(to); ++i) mask[i] = 1;
  }
}

// Per pair: frames in both kinds of windows, in predicted ones, in true ones.
nb::tuple window_frames(const BoundaryComparison& comparison, In1<double> tolerances, In1<int64_t> frames) {
  comparison.check(tolerances);
  comparison.check(frames);
  std::vector<int64_t> in_both(comparison.size(), 0), in_predicted = in_both, in_true = in_both;
  {
    nb::gil_scoped_release release;
    std::vector<char> predicted, truth;
    InterruptCheck tick;
    for (size_t pair = 0; pair < comparison.size(); ++pair) {
      const auto length = static_cast<size_t>(std::max<int64_t>(0, frames.data()[pair]));
      tick(1 + length);
      predicted.resize(length);
      truth.resize(length);
      mark_windows(comparison.predicted(pair), tolerances.data()[pair], predicted);
      mark_windows(comparison.truth(pair), tolerances.data()[pair], truth);
      for (size_t i = 0; i < length; ++i) {
        in_both[pair] += predicted[i] & truth[i];
        in_predicted[pair] += predicted[i];
        in_true[pair] += truth[i];
      }
    }
  }
  return nb::make_tuple(to_numpy(std::move(in_both)), to_numpy(std::move(in_predicted)), to_numpy(std::move(in_true)));
}

// 1 for each frame of each list's video that lies in one of the list's windows.
auto window_masks(const RaggedArrays<double>& boundaries, In1<double> tolerances, In1<int64_t> frames) {
  const Ragged<double> lists(boundaries, "boundaries");
  if (tolerances.shape(0) != lists.size() || frames.shape(0) != lists.size()) {
    throw std::invalid_argument("boundaries: one tolerance and length for each list");
  }
  std::vector<double> masks;
  {
    nb::gil_scoped_release release;
    std::vector<char> mask;
    InterruptCheck tick;
    for (size_t list = 0; list < lists.size(); ++list) {
      const auto length = static_cast<size_t>(std::max<int64_t>(0, frames.data()[list]));
      tick(1 + length);
      mask.resize(length);
      mark_windows(lists[list], tolerances.data()[list], mask);
      masks.insert(masks.end(), mask.begin(), mask.end());
    }
  }
  return to_numpy(std::move(masks));
}

// f(t) = sum over a list's boundaries of weight * exp(-(boundary - t)^2 / sigma^2), for each frame t of its video.
auto boundary_density(const RaggedArrays<double>& boundaries, In1<double> weights, In1<int64_t> frames, double sigma) {
  const Ragged<double> lists(boundaries, "boundaries");
  if (weights.shape(0) != lists.values().size() || frames.shape(0) != lists.size()) {
    throw std::invalid_argument("boundaries: one weight for each time, one length for each list");
  }
  std::vector<double> density;
  {
    nb::gil_scoped_release release;
    InterruptCheck tick;
    for (size_t list = 0; list < lists.size(); ++list) {
      const auto times = lists[list];
      const double* weight = weights.data() + lists.offsets()[list];
      for (int64_t frame = 0; frame < frames.data()[list]; ++frame) {
        tick(1 + 8 * times.size());
        double sum = 0;
        for (size_t i = 0; i < times.size(); ++i) {
          const double away = (times[i] - static_cast<double>(frame)) / sigma;
          sum += weight[i] * std::exp(-away * away);
        }
        density.push_back(sum);
      }
    }
  }
  return to_numpy(std::move(density));
}

// before[t]: how many segments begin at or before frame t.
void count_before(std::span<const double> boundaries, size_t length, std::vector<int64_t>& before) {
  before.assign(length, 0);
  for (const double frame : boundaries) {
    if (frame > 0 && frame < static_cast<double>(length)) before[static_cast<size_t>(frame)] += 1;
  }
  for (size_t i = 1; i < length; ++i) before[i] += before[i - 1];
}

// Pk and WindowDiff: per pair the probes, those that disagree on "same segment?", those that disagree on the number of
// boundaries between their ends. Boundaries stand on frames; one on frame b separates b - 1 from b.
nb::tuple segmentation_errors(const BoundaryComparison& comparison, In1<int64_t> widths, In1<int64_t> frames) {
  comparison.check(widths);
  comparison.check(frames);
  std::vector<int64_t> probes(comparison.size(), 0), segment_errors = probes, count_errors = probes;
  {
    nb::gil_scoped_release release;
    std::vector<int64_t> predicted, truth;
    InterruptCheck tick;
    for (size_t pair = 0; pair < comparison.size(); ++pair) {
      const int64_t length = std::max<int64_t>(0, frames.data()[pair]);
      const int64_t width = std::max<int64_t>(1, widths.data()[pair]);
      tick(1 + static_cast<size_t>(length));
      count_before(comparison.predicted(pair), static_cast<size_t>(length), predicted);
      count_before(comparison.truth(pair), static_cast<size_t>(length), truth);
      for (int64_t start = 0; start + width < length; ++start) {
        const int64_t here = predicted[start + width] - predicted[start], there = truth[start + width] - truth[start];
        probes[pair] += 1;
        segment_errors[pair] += (here == 0) != (there == 0);
        count_errors[pair] += here != there;
      }
    }
  }
  return nb::make_tuple(to_numpy(std::move(probes)), to_numpy(std::move(segment_errors)),
                        to_numpy(std::move(count_errors)));
}

}  // namespace

void bind_boundary_frames(nb::module_& m) {
  m.def("window_frames", &window_frames, nb::arg("comparison"), nb::arg("tolerances"), nb::arg("frames"));
  m.def("window_masks", &window_masks, nb::arg("lists"), nb::arg("tolerances"), nb::arg("frames"));
  m.def("boundary_density", &boundary_density, nb::arg("lists"), nb::arg("weights"), nb::arg("frames"),
        nb::arg("sigma"));
  m.def("segmentation_errors", &segmentation_errors, nb::arg("comparison"), nb::arg("widths"), nb::arg("frames"));
}

}  // namespace kataribe
