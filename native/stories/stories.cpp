// Stories: intersection over union of segments, and the alignment of two stories by dynamic programming.
//
// Video v has a table of references x predictions, row by row; the tables of all videos stand behind each other.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "common/interrupt.hpp"
#include "common/ragged.hpp"

namespace kataribe {
namespace {

using std::int64_t;
using std::size_t;

struct Segment {
  double start, end;

  // Times that are reversed, empty, infinite or no numbers overlap nothing.
  bool is_real() const { return end > start && std::isfinite(start) && std::isfinite(end); }
};

double exact_iou(Segment a, Segment b) {
  const double overlap = std::min(a.end, b.end) - std::max(a.start, b.start);
  return overlap > 0 ? overlap / (std::max(a.end, b.end) - std::min(a.start, b.start)) : 0.0;
}

// The published scorers' formula: the constant keeps a perfect overlap just below 1 and an exact .5 below .5.
double tool_iou(Segment a, Segment b) {
  const double overlap = std::max(0.0, std::min(a.end, b.end) - std::max(a.start, b.start));
  const double hull = std::max(a.end, b.end) - std::min(a.start, b.start);
  const double lengths = (a.end - a.start) + (b.end - b.start);
  return overlap / (std::min(hull, lengths) + 1e-8);
}

// The segments of many videos: those of video v are segments[offsets[v]] .. segments[offsets[v + 1]].
using SegmentArrays = std::pair<In2<double>, In1<int64_t>>;

struct Segments {
  const Segment* segments;
  const int64_t* offsets;
  size_t videos;

  explicit Segments(const SegmentArrays& arrays)
      : segments(reinterpret_cast<const Segment*>(arrays.first.data())),
        offsets(arrays.second.data()),
        videos(arrays.second.shape(0) - 1) {
    if (arrays.first.shape(1) != 2) throw std::invalid_argument("stories: a segment has a start and an end");
    check_offsets(arrays.second, arrays.first.shape(0), "stories");
  }

  std::span<const Segment> operator[](size_t video) const {
    return {segments + offsets[video], static_cast<size_t>(offsets[video + 1] - offsets[video])};
  }
};

auto story_ious(const SegmentArrays& reference_arrays, const SegmentArrays& prediction_arrays, bool exact) {
  const Segments references(reference_arrays), predictions(prediction_arrays);
  if (references.videos != predictions.videos) throw std::invalid_argument("story_ious: different videos");
  std::vector<double> ious;
  {
    nb::gil_scoped_release release;
    size_t total = 0;
    for (size_t v = 0; v < references.videos; ++v) total += references[v].size() * predictions[v].size();
    ious.reserve(total);
    InterruptCheck tick;
    for (size_t v = 0; v < references.videos; ++v) {
      for (const Segment& reference : references[v]) {
        tick(1 + predictions[v].size());
        for (const Segment& prediction : predictions[v]) {
          const bool comparable = reference.is_real() && prediction.is_real();
          ious.push_back(!comparable ? 0.0
                         : exact     ? exact_iou(reference, prediction)
                                     : tool_iou(reference, prediction));
        }
      }
    }
  }
  return to_numpy(std::move(ious));
}

// For each prediction the best IoU with a reference of each annotator, for each reference the best with a prediction.
// References are given by their annotators, predictions by their bounds; the tables of the videos stand in `ious`.
nb::tuple best_overlaps(In1<double> ious, const RaggedArrays<int64_t>& annotator, int64_t annotators,
                        In1<int64_t> prediction_bounds) {
  const Ragged<int64_t> references(annotator, "best_overlaps");
  const size_t videos = references.size();
  if (annotators < 0) throw std::invalid_argument("best_overlaps: fewer than no annotators");
  check_indices(annotator.first, static_cast<size_t>(annotators), "best_overlaps: no such annotator");
  if (prediction_bounds.shape(0) != videos + 1) throw std::invalid_argument("best_overlaps: different videos");
  const int64_t* bounds = prediction_bounds.data();
  check_offsets(prediction_bounds, static_cast<size_t>(bounds[videos]), "best_overlaps");
  size_t cells = 0;
  for (size_t v = 0; v < videos; ++v) cells += references[v].size() * static_cast<size_t>(bounds[v + 1] - bounds[v]);
  if (cells != ious.shape(0)) throw std::invalid_argument("best_overlaps: an IoU for each pair is needed");
  std::vector<double> of_predictions(bounds[videos] * annotators, 0.0);
  std::vector<double> of_references(references.values().size(), 0.0);
  {
    nb::gil_scoped_release release;
    const double* iou = ious.data();
    double* of_reference = of_references.data();
    InterruptCheck tick;
    for (size_t v = 0; v < videos; ++v) {
      for (const int64_t whose : references[v]) {
        tick(1 + bounds[v + 1] - bounds[v]);
        for (int64_t p = bounds[v]; p < bounds[v + 1]; ++p, ++iou) {
          double& of_prediction = of_predictions[p * annotators + whose];
          of_prediction = std::max(of_prediction, *iou);
          *of_reference = std::max(*of_reference, *iou);
        }
        ++of_reference;
      }
    }
  }
  return nb::make_tuple(to_numpy(std::move(of_predictions), annotators), to_numpy(std::move(of_references)));
}

// S[i][j], the best sum of an ordered one-to-one alignment of the first i rows and the first j columns.
class AlignmentTable {
 public:
  template <typename Cost>
  void fill(size_t rows, size_t columns, Cost cost) {
    rows_ = rows;
    columns_ = columns;
    sums_.assign((rows + 1) * (columns + 1), 0.0);
    for (size_t i = 1; i <= rows; ++i) {
      tick_(1 + columns);
      for (size_t j = 1; j <= columns; ++j) {
        at(i, j) = std::max({at(i - 1, j), at(i - 1, j - 1) + cost(i - 1, j - 1), at(i, j - 1)});
      }
    }
  }

  double best() const { return sums_.back(); }

  // Calls visit(row, column) for each pair of a best alignment, last first. A pair is made only where leaving either
  // side out would lower the sum.
  template <typename Visit>
  void trace_best(Visit visit) const {
    size_t i = rows_, j = columns_;
    while (i > 0 && j > 0) {
      if (at(i, j) == at(i - 1, j)) {
        --i;
      } else if (at(i, j) == at(i, j - 1)) {
        --j;
      } else {
        visit(--i, --j);
      }
    }
  }

  // The pairs that the published SODA tool makes in its variants a and b, last first. Each row, from the last to the
  // first, takes the latest free column at which pairing is strictly the best way to arrive; columns before that one
  // stay free. It does not follow one path, so a row that the best alignment skips may find a partner, and take it
  // from the row that had it. The first row and the first column are a pair whenever both are free, whatever their
  // cost.
  template <typename Cost, typename Visit>
  void trace_tool(Cost cost, Visit visit) const {
    size_t free = columns_;
    for (size_t i = rows_; i > 0 && free > 0; --i) {
      for (size_t j = free; j > 0; --j) {
        const double paired = at(i - 1, j - 1) + cost(i - 1, j - 1);
        const bool is_first = i == 1 && j == 1;
        if (is_first || (paired > at(i - 1, j) && paired > at(i, j - 1))) {
          visit(i - 1, j - 1);
          free = j - 1;
          break;
        }
      }
    }
  }

 private:
  double at(size_t i, size_t j) const { return sums_[i * (columns_ + 1) + j]; }
  double& at(size_t i, size_t j) { return sums_[i * (columns_ + 1) + j]; }

  InterruptCheck tick_;
  std::vector<double> sums_;
  size_t rows_ = 0, columns_ = 0;
};

// Rows and columns must be those of the video's table of costs.
void check_table(std::span<const double> costs, std::span<const int64_t> rows, std::span<const int64_t> columns) {
  const auto width = static_cast<int64_t>(columns.size());
  const int64_t height = width == 0 ? 0 : static_cast<int64_t>(costs.size()) / width;
  const auto outside = [](int64_t limit) { return [limit](int64_t index) { return index < 0 || index >= limit; }; };
  if (height * width != static_cast<int64_t>(costs.size()) || std::ranges::any_of(columns, outside(width)) ||
      (width > 0 && std::ranges::any_of(rows, outside(height)))) {
    throw std::out_of_range("align_stories: a row or column outside of its video's table");
  }
}

// Aligns many readings. Reading r is of the video video_of[r]; its list in `rows` has its rows of the video's table of
// costs, in their order; the video's list in `columns` has the order of the columns. Answers the best sums and the
// pairs, by reading, first pair first.
nb::tuple align_stories(const RaggedArrays<double>& cost_tables, In1<int64_t> video_of,
                        const RaggedArrays<int64_t>& row_lists, const RaggedArrays<int64_t>& column_lists,
                        bool tool_pairs) {
  const Ragged<double> costs(cost_tables, "align_stories");
  const Ragged<int64_t> rows(row_lists, "align_stories"), columns(column_lists, "align_stories");
  const size_t readings = video_of.shape(0);
  if (rows.size() != readings) throw std::invalid_argument("align_stories: rows for each reading are needed");
  if (columns.size() != costs.size()) throw std::invalid_argument("align_stories: columns for each video are needed");
  check_indices(video_of, costs.size(), "align_stories: no such video");
  std::vector<double> sums(readings);
  std::vector<int64_t> pair_rows, pair_columns, pair_bounds{0};
  {
    nb::gil_scoped_release release;
    AlignmentTable table;
    for (size_t r = 0; r < readings; ++r) {
      const std::span<const double> cost = costs[video_of.data()[r]];
      const std::span<const int64_t> row = rows[r], column = columns[video_of.data()[r]];
      check_table(cost, row, column);
      const size_t width = column.size();
      const auto cost_of = [&](size_t i, size_t j) { return cost[row[i] * width + column[j]]; };
      table.fill(row.size(), width, cost_of);
      sums[r] = table.best();
      const auto first = static_cast<std::ptrdiff_t>(pair_rows.size());
      const auto add_pair = [&](size_t i, size_t j) {
        pair_rows.push_back(row[i]);
        pair_columns.push_back(column[j]);
      };
      if (tool_pairs) {
        table.trace_tool(cost_of, add_pair);
      } else {
        table.trace_best(add_pair);
      }
      std::reverse(pair_rows.begin() + first, pair_rows.end());
      std::reverse(pair_columns.begin() + first, pair_columns.end());
      pair_bounds.push_back(static_cast<int64_t>(pair_rows.size()));
    }
  }
  return nb::make_tuple(to_numpy(std::move(sums)), to_numpy(std::move(pair_rows)), to_numpy(std::move(pair_columns)),
                        to_numpy(std::move(pair_bounds)));
}

}  // namespace

void bind_stories(nb::module_& m) {
  m.def("story_ious", &story_ious, nb::arg("references"), nb::arg("predictions"), nb::arg("exact"));
  m.def("best_overlaps", &best_overlaps, nb::arg("ious"), nb::arg("annotator"), nb::arg("annotators"),
        nb::arg("prediction_bounds"));
  m.def("align_stories", &align_stories, nb::arg("costs"), nb::arg("video_of"), nb::arg("rows"), nb::arg("columns"),
        nb::kw_only(), nb::arg("tool_pairs"));
}

}  // namespace kataribe
