// Event boundaries: matching, windows and baselines on many short sorted lists of times at once.
//
// Lists are ragged: list i holds times[offsets[i]] .. times[offsets[i + 1]], ascending. Every function takes pairs of
// lists and answers one row for each pair, so that one call serves a corpus, its annotators and its baselines.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>

#include "common/bindings.hpp"
#include "common/interrupt.hpp"

namespace kataribe {
namespace {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint64_t;

struct Lists {
  const double* times;
  const int64_t* offsets;
  size_t count;

  Lists(const In1<double>& flat, const In1<int64_t>& bounds)
      : times(flat.data()), offsets(bounds.data()), count(bounds.shape(0) == 0 ? 0 : bounds.shape(0) - 1) {
    if (bounds.shape(0) == 0 || offsets[0] != 0 || offsets[count] != static_cast<int64_t>(flat.shape(0))) {
      throw std::invalid_argument("boundaries: offsets do not cover the times");
    }
    if (!std::is_sorted(offsets, offsets + count + 1)) throw std::invalid_argument("boundaries: offsets descend");
  }

  std::span<const double> operator[](int64_t list) const {
    if (list < 0 || static_cast<size_t>(list) >= count) throw std::out_of_range("boundaries: no such list");
    return {times + offsets[list], static_cast<size_t>(offsets[list + 1] - offsets[list])};
  }
};

// The two sides of every comparison.
struct Pairs {
  Lists predicted, truth;
  const int64_t* predicted_of;
  const int64_t* truth_of;
  size_t count;

  Pairs(const In1<double>& predicted_times, const In1<int64_t>& predicted_offsets, const In1<double>& true_times,
        const In1<int64_t>& true_offsets, const In1<int64_t>& predicted_pairs, const In1<int64_t>& true_pairs)
      : predicted(predicted_times, predicted_offsets),
        truth(true_times, true_offsets),
        predicted_of(predicted_pairs.data()),
        truth_of(true_pairs.data()),
        count(predicted_pairs.shape(0)) {
    if (true_pairs.shape(0) != count) throw std::invalid_argument("boundaries: pairs of different lengths");
  }

  template <typename Other>
  void check(const Other& per_pair) const {
    if (per_pair.shape(0) != count) throw std::invalid_argument("boundaries: one value for each pair is needed");
  }
};

bool within(double distance, double tolerance, bool strict) {
  return strict ? distance < tolerance : distance <= tolerance;
}

// True boundaries in order, each takes the nearest prediction that is left: the published tool's matching.
int32_t match_in_order(std::span<const double> predicted, std::span<const double> truth, double tolerance, bool strict,
                       std::vector<char>& taken, InterruptCheck& tick) {
  taken.assign(predicted.size(), 0);
  int32_t hits = 0;
  for (const double time : truth) {
    tick(1 + predicted.size());
    size_t nearest = predicted.size();
    double distance = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < predicted.size(); ++i) {
      const double away = std::abs(predicted[i] - time);
      if (!taken[i] && away < distance) {
        distance = away;
        nearest = i;
      }
    }
    if (nearest < predicted.size() && within(distance, tolerance, strict)) {
      taken[nearest] = 1;
      ++hits;
    }
  }
  return hits;
}

// The largest one-to-one matching. On sorted times with one tolerance, pairing the earliest that can be paired is best.
int32_t match_most(std::span<const double> predicted, std::span<const double> truth, double tolerance, bool strict) {
  int32_t hits = 0;
  for (size_t i = 0, j = 0; i < predicted.size() && j < truth.size();) {
    if (within(std::abs(predicted[i] - truth[j]), tolerance, strict)) {
      ++hits, ++i, ++j;
    } else if (predicted[i] < truth[j]) {
      ++i;
    } else {
      ++j;
    }
  }
  return hits;
}

auto boundary_hits(In1<double> predicted_times, In1<int64_t> predicted_offsets, In1<double> true_times,
                   In1<int64_t> true_offsets, In1<int64_t> predicted_pairs, In1<int64_t> true_pairs,
                   In1<double> tolerances, bool optimal, bool strict) {
  const Pairs pairs(predicted_times, predicted_offsets, true_times, true_offsets, predicted_pairs, true_pairs);
  pairs.check(tolerances);
  std::vector<int32_t> hits(pairs.count);
  {
    nb::gil_scoped_release release;
    std::vector<char> taken;
    InterruptCheck tick;
    for (size_t pair = 0; pair < pairs.count; ++pair) {
      const auto predicted = pairs.predicted[pairs.predicted_of[pair]];
      const auto truth = pairs.truth[pairs.truth_of[pair]];
      const double tolerance = tolerances.data()[pair];
      tick(1 + predicted.size() + truth.size());
      hits[pair] = optimal ? match_most(predicted, truth, tolerance, strict)
                           : match_in_order(predicted, truth, tolerance, strict, taken, tick);
    }
  }
  return to_numpy(std::move(hits));
}

// For each prediction of each pair, in the order of the pairs: 1 if it finds a true boundary of its own when the most
// confident predictions choose first and take the nearest that is left. `ranks` holds, list by list, the places of
// its predictions from the most to the least confident.
auto boundary_hits_by_rank(In1<double> predicted_times, In1<int64_t> predicted_offsets, In1<int64_t> ranks,
                           In1<double> true_times, In1<int64_t> true_offsets, In1<int64_t> predicted_pairs,
                           In1<int64_t> true_pairs, In1<double> tolerances, bool strict) {
  const Pairs pairs(predicted_times, predicted_offsets, true_times, true_offsets, predicted_pairs, true_pairs);
  pairs.check(tolerances);
  if (ranks.shape(0) != predicted_times.shape(0)) throw std::invalid_argument("boundaries: a rank for each time");
  std::vector<double> found;
  {
    nb::gil_scoped_release release;
    std::vector<char> taken;
    InterruptCheck tick;
    for (size_t pair = 0; pair < pairs.count; ++pair) {
      const int64_t list = pairs.predicted_of[pair];
      const auto predicted = pairs.predicted[list];
      const auto truth = pairs.truth[pairs.truth_of[pair]];
      const int64_t* order = ranks.data() + pairs.predicted.offsets[list];
      const size_t first = found.size();
      found.resize(first + predicted.size(), 0.0);
      taken.assign(truth.size(), 0);
      for (size_t rank = 0; rank < predicted.size(); ++rank) {
        tick(1 + truth.size());
        if (order[rank] < 0 || static_cast<size_t>(order[rank]) >= predicted.size()) {
          throw std::out_of_range("boundaries: a rank outside its list");
        }
        const auto place = static_cast<size_t>(order[rank]);
        size_t nearest = truth.size();
        double distance = std::numeric_limits<double>::infinity();
        for (size_t i = 0; i < truth.size(); ++i) {
          const double away = std::abs(predicted[place] - truth[i]);
          if (!taken[i] && away < distance) {
            distance = away;
            nearest = i;
          }
        }
        if (nearest < truth.size() && within(distance, tolerances.data()[pair], strict)) {
          taken[nearest] = 1;
          found[first + place] = 1.0;
        }
      }
    }
  }
  return to_numpy(std::move(found));
}

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
auto window_frames(In1<double> predicted_times, In1<int64_t> predicted_offsets, In1<double> true_times,
                   In1<int64_t> true_offsets, In1<int64_t> predicted_pairs, In1<int64_t> true_pairs,
                   In1<double> tolerances, In1<int64_t> frames) {
  const Pairs pairs(predicted_times, predicted_offsets, true_times, true_offsets, predicted_pairs, true_pairs);
  pairs.check(tolerances);
  pairs.check(frames);
  std::vector<int64_t> rows(pairs.count * 3, 0);
  {
    nb::gil_scoped_release release;
    std::vector<char> predicted, truth;
    InterruptCheck tick;
    for (size_t pair = 0; pair < pairs.count; ++pair) {
      const auto length = static_cast<size_t>(std::max<int64_t>(0, frames.data()[pair]));
      tick(1 + length);
      predicted.resize(length);
      truth.resize(length);
      mark_windows(pairs.predicted[pairs.predicted_of[pair]], tolerances.data()[pair], predicted);
      mark_windows(pairs.truth[pairs.truth_of[pair]], tolerances.data()[pair], truth);
      int64_t* row = rows.data() + pair * 3;
      for (size_t i = 0; i < length; ++i) {
        row[0] += predicted[i] & truth[i];
        row[1] += predicted[i];
        row[2] += truth[i];
      }
    }
  }
  return to_numpy(std::move(rows), 3);
}

// 1 for each frame of each list's video that lies in one of the list's windows.
auto window_masks(In1<double> times, In1<int64_t> offsets, In1<double> tolerances, In1<int64_t> frames) {
  const Lists lists(times, offsets);
  if (tolerances.shape(0) != lists.count || frames.shape(0) != lists.count) {
    throw std::invalid_argument("boundaries: one tolerance and length for each list");
  }
  std::vector<double> masks;
  {
    nb::gil_scoped_release release;
    std::vector<char> mask;
    InterruptCheck tick;
    for (size_t list = 0; list < lists.count; ++list) {
      tick(1 + static_cast<size_t>(std::max<int64_t>(0, frames.data()[list])));
      mask.resize(static_cast<size_t>(std::max<int64_t>(0, frames.data()[list])));
      mark_windows(lists[static_cast<int64_t>(list)], tolerances.data()[list], mask);
      masks.insert(masks.end(), mask.begin(), mask.end());
    }
  }
  return to_numpy(std::move(masks));
}

// f(t) = sum over a list's boundaries of weight * exp(-(boundary - t)^2 / sigma^2), for each frame t of its video.
auto boundary_density(In1<double> times, In1<int64_t> offsets, In1<double> weights, In1<int64_t> frames, double sigma) {
  const Lists lists(times, offsets);
  if (weights.shape(0) != times.shape(0) || frames.shape(0) != lists.count) {
    throw std::invalid_argument("boundaries: one weight for each time, one length for each list");
  }
  std::vector<double> density;
  {
    nb::gil_scoped_release release;
    InterruptCheck tick;
    for (size_t list = 0; list < lists.count; ++list) {
      const auto boundaries = lists[static_cast<int64_t>(list)];
      const double* weight = weights.data() + lists.offsets[list];
      for (int64_t frame = 0; frame < frames.data()[list]; ++frame) {
        tick(1 + 8 * boundaries.size());
        double sum = 0;
        for (size_t i = 0; i < boundaries.size(); ++i) {
          const double away = (boundaries[i] - static_cast<double>(frame)) / sigma;
          sum += weight[i] * std::exp(-away * away);
        }
        density.push_back(sum);
      }
    }
  }
  return to_numpy(std::move(density));
}

// Pk and WindowDiff: per pair the probes, those that disagree on "same segment?", those that disagree on the number of
// boundaries between their ends. Boundaries stand on frames; one on frame b separates b - 1 from b.
auto segmentation_errors(In1<double> predicted_times, In1<int64_t> predicted_offsets, In1<double> true_times,
                         In1<int64_t> true_offsets, In1<int64_t> predicted_pairs, In1<int64_t> true_pairs,
                         In1<int64_t> widths, In1<int64_t> frames) {
  const Pairs pairs(predicted_times, predicted_offsets, true_times, true_offsets, predicted_pairs, true_pairs);
  pairs.check(widths);
  pairs.check(frames);
  std::vector<int64_t> rows(pairs.count * 3, 0);
  {
    nb::gil_scoped_release release;
    // before[t]: how many segments begin at or before frame t.
    const auto count_before = [](std::span<const double> boundaries, size_t length, std::vector<int64_t>& before) {
      before.assign(length, 0);
      for (const double frame : boundaries) {
        if (frame > 0 && frame < static_cast<double>(length)) before[static_cast<size_t>(frame)] += 1;
      }
      for (size_t i = 1; i < length; ++i) before[i] += before[i - 1];
    };
    std::vector<int64_t> predicted, truth;
    InterruptCheck tick;
    for (size_t pair = 0; pair < pairs.count; ++pair) {
      const int64_t length = std::max<int64_t>(0, frames.data()[pair]);
      const int64_t width = std::max<int64_t>(1, widths.data()[pair]);
      tick(1 + static_cast<size_t>(length));
      count_before(pairs.predicted[pairs.predicted_of[pair]], static_cast<size_t>(length), predicted);
      count_before(pairs.truth[pairs.truth_of[pair]], static_cast<size_t>(length), truth);
      int64_t* row = rows.data() + pair * 3;
      for (int64_t start = 0; start + width < length; ++start) {
        const int64_t here = predicted[start + width] - predicted[start], there = truth[start + width] - truth[start];
        row[0] += 1;
        row[1] += (here == 0) != (there == 0);
        row[2] += here != there;
      }
    }
  }
  return to_numpy(std::move(rows), 3);
}

// Per pair: the median distance from each prediction to the nearest true boundary, and the other way round; infinity
// where a side is empty.
auto median_distances(In1<double> predicted_times, In1<int64_t> predicted_offsets, In1<double> true_times,
                      In1<int64_t> true_offsets, In1<int64_t> predicted_pairs, In1<int64_t> true_pairs) {
  const Pairs pairs(predicted_times, predicted_offsets, true_times, true_offsets, predicted_pairs, true_pairs);
  std::vector<double> rows(pairs.count * 2, std::numeric_limits<double>::infinity());
  {
    nb::gil_scoped_release release;
    std::vector<double> distances;
    InterruptCheck tick;
    const auto median = [&](std::span<const double> from, std::span<const double> to) {
      distances.clear();
      for (const double time : from) {
        tick(1 + to.size());
        double nearest = std::numeric_limits<double>::infinity();
        for (const double other : to) nearest = std::min(nearest, std::abs(time - other));
        distances.push_back(nearest);
      }
      std::sort(distances.begin(), distances.end());
      const size_t half = distances.size() / 2;
      return distances.size() % 2 ? distances[half] : (distances[half - 1] + distances[half]) / 2;
    };
    for (size_t pair = 0; pair < pairs.count; ++pair) {
      const auto predicted = pairs.predicted[pairs.predicted_of[pair]];
      const auto truth = pairs.truth[pairs.truth_of[pair]];
      if (predicted.empty() || truth.empty()) continue;
      rows[pair * 2] = median(predicted, truth);
      rows[pair * 2 + 1] = median(truth, predicted);
    }
  }
  return to_numpy(std::move(rows), 2);
}

// What more than half of a group's lists agree on. Again and again the boundary with boundaries of the most lists
// within the tolerance is taken (the earliest of equals), as the median of the nearest one of each; these are then
// used up.
nb::tuple majority_boundaries(In1<double> times, In1<int64_t> offsets, In1<int64_t> members, In1<int64_t> groups,
                              In1<double> tolerances) {
  const Lists lists(times, offsets);
  if (groups.shape(0) == 0 || tolerances.shape(0) + 1 != groups.shape(0) ||
      groups.data()[groups.shape(0) - 1] != static_cast<int64_t>(members.shape(0))) {
    throw std::invalid_argument("boundaries: groups do not cover their members");
  }
  std::vector<double> agreed;
  std::vector<int64_t> bounds{0};
  {
    nb::gil_scoped_release release;
    struct Mark {
      double time;
      int64_t list;
    };
    std::vector<Mark> marks;
    std::vector<size_t> nearest, best;
    std::vector<double> found, group_times;
    InterruptCheck tick;
    for (size_t group = 0; group + 1 < groups.shape(0); ++group) {
      const int64_t begin = groups.data()[group], end = groups.data()[group + 1];
      const double tolerance = tolerances.data()[group];
      marks.clear();
      for (int64_t member = begin; member < end; ++member) {
        for (const double time : lists[members.data()[member]]) marks.push_back({time, member});
      }
      std::stable_sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) { return a.time < b.time; });
      group_times.clear();
      while (true) {
        best.clear();
        for (const Mark& centre : marks) {
          tick(1 + marks.size());
          nearest.clear();
          for (size_t i = 0; i < marks.size(); ++i) {
            const double away = std::abs(marks[i].time - centre.time);
            if (away > tolerance) continue;
            const auto same =
                std::find_if(nearest.begin(), nearest.end(), [&](size_t k) { return marks[k].list == marks[i].list; });
            if (same == nearest.end()) {
              nearest.push_back(i);
            } else if (away < std::abs(marks[*same].time - centre.time)) {
              *same = i;
            }
          }
          if (nearest.size() > best.size()) best = nearest;
        }
        if (static_cast<int64_t>(best.size()) * 2 <= end - begin) break;
        found.clear();
        for (const size_t i : best) found.push_back(marks[i].time);
        std::sort(found.begin(), found.end());
        const size_t half = found.size() / 2;
        group_times.push_back(found.size() % 2 ? found[half] : (found[half - 1] + found[half]) / 2);
        std::sort(best.begin(), best.end());
        for (auto i = best.rbegin(); i != best.rend(); ++i) marks.erase(marks.begin() + static_cast<int64_t>(*i));
      }
      std::sort(group_times.begin(), group_times.end());
      agreed.insert(agreed.end(), group_times.begin(), group_times.end());
      bounds.push_back(static_cast<int64_t>(agreed.size()));
    }
  }
  return nb::make_tuple(to_numpy(std::move(agreed)), to_numpy(std::move(bounds)));
}

// splitmix64: one short, well-mixed stream for each seed.
class Stream {
 public:
  explicit Stream(uint64_t seed) : state_(seed) {}

  uint64_t below(uint64_t bound) {  // by rejection, so that no number is favoured
    const uint64_t limit = std::numeric_limits<uint64_t>::max() - std::numeric_limits<uint64_t>::max() % bound;
    uint64_t drawn = next();
    while (drawn >= limit) drawn = next();
    return drawn % bound;
  }

 private:
  uint64_t next() {
    uint64_t x = (state_ += 0x9e3779b97f4a7c15ULL);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
  }

  uint64_t state_;
};

// For each row, `count` different numbers below `slots`, ascending (all of them where there are fewer).
nb::tuple draw_slots(In1<uint64_t> seeds, In1<int64_t> slots, In1<int64_t> counts) {
  if (slots.shape(0) != seeds.shape(0) || counts.shape(0) != seeds.shape(0)) {
    throw std::invalid_argument("boundaries: one seed, one length and one count for each draw");
  }
  std::vector<double> drawn;
  std::vector<int64_t> bounds{0};
  {
    nb::gil_scoped_release release;
    std::vector<int64_t> chosen;
    InterruptCheck tick;
    for (size_t row = 0; row < seeds.shape(0); ++row) {
      Stream stream(seeds.data()[row]);
      const int64_t all = std::max<int64_t>(0, slots.data()[row]), wanted = std::min(counts.data()[row], all);
      chosen.clear();
      for (int64_t top = all - wanted; top < all; ++top) {  // Floyd's sampling: `wanted` draws, no repetition
        const auto pick = static_cast<int64_t>(stream.below(static_cast<uint64_t>(top) + 1));
        tick(1 + chosen.size());
        const bool known = std::find(chosen.begin(), chosen.end(), pick) != chosen.end();
        chosen.push_back(known ? top : pick);
      }
      std::sort(chosen.begin(), chosen.end());
      drawn.insert(drawn.end(), chosen.begin(), chosen.end());
      bounds.push_back(static_cast<int64_t>(drawn.size()));
    }
  }
  return nb::make_tuple(to_numpy(std::move(drawn)), to_numpy(std::move(bounds)));
}

}  // namespace

void bind_boundaries(nb::module_& m) {
  m.def("boundary_hits", &boundary_hits);
  m.def("boundary_hits_by_rank", &boundary_hits_by_rank);
  m.def("window_frames", &window_frames);
  m.def("window_masks", &window_masks);
  m.def("boundary_density", &boundary_density);
  m.def("segmentation_errors", &segmentation_errors);
  m.def("median_distances", &median_distances);
  m.def("majority_boundaries", &majority_boundaries);
  m.def("draw_slots", &draw_slots);
}

}  // namespace kataribe
