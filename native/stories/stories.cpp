// Stories: intersection over union of segments, and the alignment of two stories by dynamic programming.
//
// Video v has a table of references x predictions, row by row, at cells[v] .. cells[v + 1].
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "common/bindings.hpp"
#include "common/interrupt.hpp"

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

auto story_ious(In2<double> references, In1<int64_t> reference_bounds, In2<double> predictions,
                In1<int64_t> prediction_bounds, bool exact) {
  const auto* reference = reinterpret_cast<const Segment*>(references.data());
  const auto* prediction = reinterpret_cast<const Segment*>(predictions.data());
  const size_t videos = reference_bounds.shape(0) - 1;
  std::vector<double> ious;
  {
    nb::gil_scoped_release release;
    size_t total = 0;
    for (size_t v = 0; v < videos; ++v) {
      total += (reference_bounds.data()[v + 1] - reference_bounds.data()[v]) *
               (prediction_bounds.data()[v + 1] - prediction_bounds.data()[v]);
    }
    ious.reserve(total);
    InterruptCheck tick;
    for (size_t v = 0; v < videos; ++v) {
      for (int64_t g = reference_bounds.data()[v]; g < reference_bounds.data()[v + 1]; ++g) {
        tick(1 + prediction_bounds.data()[v + 1] - prediction_bounds.data()[v]);
        for (int64_t p = prediction_bounds.data()[v]; p < prediction_bounds.data()[v + 1]; ++p) {
          const bool comparable = reference[g].is_real() && prediction[p].is_real();
          ious.push_back(!comparable ? 0.0
                         : exact     ? exact_iou(reference[g], prediction[p])
                                     : tool_iou(reference[g], prediction[p]));
        }
      }
    }
  }
  return to_numpy(std::move(ious));
}

// For each prediction the best IoU with a reference of each annotator, for each reference the best with a prediction.
nb::tuple best_overlaps(In1<double> ious, In1<int64_t> reference_bounds, In1<int64_t> annotator, int64_t annotators,
                        In1<int64_t> prediction_bounds) {
  const size_t videos = reference_bounds.shape(0) - 1;
  std::vector<double> of_predictions(prediction_bounds.data()[videos] * annotators, 0.0);
  std::vector<double> of_references(reference_bounds.data()[videos], 0.0);
  {
    nb::gil_scoped_release release;
    const double* iou = ious.data();
    InterruptCheck tick;
    for (size_t v = 0; v < videos; ++v) {
      for (int64_t g = reference_bounds.data()[v]; g < reference_bounds.data()[v + 1]; ++g) {
        tick(1 + prediction_bounds.data()[v + 1] - prediction_bounds.data()[v]);
        for (int64_t p = prediction_bounds.data()[v]; p < prediction_bounds.data()[v + 1]; ++p, ++iou) {
          double& of_prediction = of_predictions[p * annotators + annotator.data()[g]];
          of_prediction = std::max(of_prediction, *iou);
          of_references[g] = std::max(of_references[g], *iou);
        }
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

// Aligns many readings. Reading r is of the video video_of[r]; its rows, in their order, are
// rows[row_bounds[r]:row_bounds[r + 1]], counted within the video; the columns of video v, in their order, are
// columns[column_bounds[v]:column_bounds[v + 1]]. Answers the best sums and the pairs, by reading, first pair first.
nb::tuple align_stories(In1<double> costs, In1<int64_t> cells, In1<int64_t> video_of, In1<int64_t> rows,
                        In1<int64_t> row_bounds, In1<int64_t> columns, In1<int64_t> column_bounds, bool tool_pairs) {
  const size_t readings = video_of.shape(0);
  if (row_bounds.shape(0) != readings + 1) throw std::invalid_argument("align_stories: row_bounds do not fit");
  std::vector<double> sums(readings);
  std::vector<int64_t> pair_rows, pair_columns, pair_bounds{0};
  {
    nb::gil_scoped_release release;
    AlignmentTable table;
    for (size_t r = 0; r < readings; ++r) {
      const int64_t video = video_of.data()[r];
      const double* cost = costs.data() + cells.data()[video];
      const int64_t* row = rows.data() + row_bounds.data()[r];
      const int64_t* column = columns.data() + column_bounds.data()[video];
      const size_t height = row_bounds.data()[r + 1] - row_bounds.data()[r];
      const size_t width = column_bounds.data()[video + 1] - column_bounds.data()[video];
      const auto cost_of = [&](size_t i, size_t j) { return cost[row[i] * width + column[j]]; };
      table.fill(height, width, cost_of);
      sums[r] = table.best();
      const size_t first = pair_rows.size();
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
  m.def("story_ious", &story_ious, nb::arg("references"), nb::arg("reference_bounds"), nb::arg("predictions"),
        nb::arg("prediction_bounds"), nb::arg("exact"));
  m.def("best_overlaps", &best_overlaps, nb::arg("ious"), nb::arg("reference_bounds"), nb::arg("annotator"),
        nb::arg("annotators"), nb::arg("prediction_bounds"));
  m.def("align_stories", &align_stories, nb::arg("costs"), nb::arg("cells"), nb::arg("video_of"), nb::arg("rows"),
        nb::arg("row_bounds"), nb::arg("columns"), nb::arg("column_bounds"), nb::arg("tool_pairs"));
}

}  // namespace kataribe
