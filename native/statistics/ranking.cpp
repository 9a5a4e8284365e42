// Rankings of many videos' predictions in one: short summaries of each video's scores, and the average precision of
// every bootstrap draw from them.
#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "common/ragged.hpp"

namespace kataribe {
namespace {

using std::int64_t;
using std::size_t;

struct Level {
  size_t begin;
  size_t size;
  bool heavy = false;
};

// A value that many instances share must keep a group of its own: joined to its neighbours it would be ranked with them
// against all other videos. Marks such levels, at most a quarter of `most`, and says how large the others' groups get.
double mark_heavy(std::vector<Level>& levels, size_t instances, size_t most) {
  size_t heavy = 0, light = instances;
  const auto target = [&] { return static_cast<double>(light) / static_cast<double>(most - 2 * heavy - 1); };
  for (bool found = true; found;) {
    found = false;
    const double too_much = 2 * target();
    for (Level& level : levels) {
      if (level.heavy || static_cast<double>(level.size) < too_much || heavy == most / 4) continue;
      level.heavy = found = true;
      heavy += 1;
      light -= level.size;
    }
  }
  return target();
}

// For each instance its group: consecutive numbers from 0 within each list, whose scores descend. Equal scores are one
// level. A list with at most `most` levels has a group for each; the levels of others are joined to groups of about
// equal size.
auto score_groups(const RaggedArrays<double>& score_lists, int64_t most) {
  const Ragged<double> lists(score_lists, "ranking");
  if (most < 4) throw std::invalid_argument("ranking: at least four groups are needed");
  const double* scores = lists.values().data();
  std::vector<int64_t> groups(lists.values().size());
  {
    nb::gil_scoped_release release;
    std::vector<Level> levels;
    for (size_t list = 0; list < lists.size(); ++list) {
      const auto begin = static_cast<size_t>(lists.offsets()[list]), end = begin + lists[list].size();
      levels.clear();
      for (size_t i = begin; i < end; ++i) {
        if (i == begin || scores[i] != scores[i - 1]) levels.push_back({i, 0});
        levels.back().size += 1;
      }
      const bool each_its_own = levels.size() <= static_cast<size_t>(most);
      const double target = each_its_own ? 0.0 : mark_heavy(levels, end - begin, static_cast<size_t>(most));
      int64_t group = 0;
      size_t members = 0;
      bool was_heavy = false;
      for (const Level& level : levels) {
        if (members > 0 && (level.heavy || was_heavy || static_cast<double>(members) >= target)) {
          group += 1;
          members = 0;
        }
        members += level.size;
        was_heavy = level.heavy;
        std::fill_n(groups.begin() + static_cast<std::ptrdiff_t>(level.begin), level.size, group);
      }
    }
  }
  return to_numpy(std::move(groups));
}

// Draws that are computed side by side; the inner loops become vector instructions.
constexpr size_t kLanes = 8;
using Lanes = std::array<double, kLanes>;

// For each draw (row of `weights`: how often each item counts) and column of `correct` the sum, over groups, of the
// correct instances times the precision down to their score: average precision before it is divided by the positives.
// Groups come in order of descending score; `ends` is 1 at the last one of each score.
auto precision_sums(In2<double> weights, In1<int64_t> items, In1<double> sizes, In2<double> correct, In1<int8_t> ends) {
  const size_t draws = weights.shape(0), count = weights.shape(1), groups = items.shape(0), columns = correct.shape(1);
  if (sizes.shape(0) != groups || correct.shape(0) != groups || ends.shape(0) != groups) {
    throw std::invalid_argument("ranking: one value for each group is needed");
  }
  for (size_t group = 0; group < groups; ++group) {
    if (items.data()[group] < 0 || static_cast<size_t>(items.data()[group]) >= count) {
      throw std::out_of_range("ranking: a group of no item");
    }
  }
  std::vector<double> sums(draws * columns, 0.0);
  {
    nb::gil_scoped_release release;
    std::vector<Lanes> drawn(count), found(columns), before(columns), area(columns);
    for (size_t first = 0; first < draws; first += kLanes) {
      const size_t lanes = std::min(kLanes, draws - first);
      for (size_t item = 0; item < count; ++item) {
        for (size_t lane = 0; lane < kLanes; ++lane) {
          drawn[item][lane] = lane < lanes ? weights.data()[(first + lane) * count + item] : 0.0;
        }
      }
      for (auto* table : {&found, &before, &area}) std::fill(table->begin(), table->end(), Lanes{});
      Lanes ranked{};
      for (size_t group = 0; group < groups; ++group) {
        const Lanes& weight = drawn[static_cast<size_t>(items.data()[group])];
        const double size = sizes.data()[group];
        const double* right = correct.data() + group * columns;
        for (size_t lane = 0; lane < kLanes; ++lane) ranked[lane] += weight[lane] * size;
        for (size_t column = 0; column < columns; ++column) {
          for (size_t lane = 0; lane < kLanes; ++lane) found[column][lane] += weight[lane] * right[column];
        }
        if (!ends.data()[group]) continue;
        for (size_t column = 0; column < columns; ++column) {
          for (size_t lane = 0; lane < kLanes; ++lane) {
            const double precision = ranked[lane] > 0 ? found[column][lane] / ranked[lane] : 0.0;
            area[column][lane] += (found[column][lane] - before[column][lane]) * precision;
            before[column][lane] = found[column][lane];
          }
        }
      }
      for (size_t column = 0; column < columns; ++column) {
        for (size_t lane = 0; lane < lanes; ++lane) sums[(first + lane) * columns + column] = area[column][lane];
      }
    }
  }
  return to_numpy(std::move(sums), columns);
}

}  // namespace

void bind_ranking(nb::module_& m) {
  m.def("score_groups", &score_groups, nb::arg("scores"), nb::arg("most"));
  m.def("precision_sums", &precision_sums, nb::arg("weights"), nb::arg("items"), nb::arg("sizes"), nb::arg("correct"),
        nb::arg("ends"));
}

}  // namespace kataribe
