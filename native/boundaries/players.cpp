// Lists of boundaries that nobody gave: what most annotators agree on, and what chance would draw.
#include <algorithm>
#include <cmath>
#include <limits>

#include "common/interrupt.hpp"
#include "common/ragged.hpp"

namespace kataribe {
namespace {

using std::int64_t;
using std::size_t;
using std::uint64_t;

// What more than half of a group's lists agree on. Again and again the boundary with boundaries of the most lists
// within the tolerance is taken (the earliest of equals), as the median of the nearest one of each; these are then
// used up.
nb::tuple majority_boundaries(const RaggedArrays<double>& boundaries, const RaggedArrays<int64_t>& members,
                              In1<double> tolerances) {
  const Ragged<double> lists(boundaries, "boundaries");
  const Ragged<int64_t> groups(members, "boundaries");
  if (tolerances.shape(0) != groups.size()) throw std::invalid_argument("boundaries: a tolerance for each group");
  check_indices(members.first, lists.size(), "boundaries: no such list");
  std::vector<double> agreed;
  std::vector<int64_t> bounds{0};
  {
    nb::gil_scoped_release release;
    struct Mark {
      double time;
      size_t list;
    };
    std::vector<Mark> marks;
    std::vector<size_t> nearest, best;
    std::vector<double> found, group_times;
    InterruptCheck tick;
    for (size_t group = 0; group < groups.size(); ++group) {
      const double tolerance = tolerances.data()[group];
      marks.clear();
      for (size_t member = 0; member < groups[group].size(); ++member) {
        for (const double time : lists[groups[group][member]]) marks.push_back({time, member});
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
        if (best.size() * 2 <= groups[group].size()) break;
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

void bind_boundary_players(nb::module_& m) {
  m.def("majority_boundaries", &majority_boundaries, nb::arg("lists"), nb::arg("members"), nb::arg("tolerances"));
  m.def("draw_slots", &draw_slots, nb::arg("seeds"), nb::arg("slots"), nb::arg("counts"));
}

}  // namespace kataribe
