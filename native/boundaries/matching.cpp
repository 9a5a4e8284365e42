// Which predictions find a true boundary, one to one, and how far away the nearest ones are.
#include <algorithm>
#include <cmath>
#include <limits>

#include "boundaries/comparison.hpp"
#include "common/interrupt.hpp"

namespace kataribe {
namespace {

using std::int32_t;
using std::int64_t;
using std::size_t;

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

auto boundary_hits(const BoundaryComparison& comparison, In1<double> tolerances, bool optimal, bool strict) {
  comparison.check(tolerances);
  std::vector<int32_t> hits(comparison.size());
  {
    nb::gil_scoped_release release;
    std::vector<char> taken;
    InterruptCheck tick;
    for (size_t pair = 0; pair < comparison.size(); ++pair) {
      const auto predicted = comparison.predicted(pair), truth = comparison.truth(pair);
      const double tolerance = tolerances.data()[pair];
      tick(1 + predicted.size() + truth.size());
      hits[pair] = optimal ? match_most(predicted, truth, tolerance, strict)
                           : match_in_order(predicted, truth, tolerance, strict, taken, tick);
    }
  }
  return to_numpy(std::move(hits));
}

// For each prediction of each pair, in the order of the pairs: 1 if it finds a true boundary of its own when the most
// confident predictions choose first and take the nearest that is left. `ranks` holds, list by list, the indices of
// its predictions from the most to the least confident.
auto boundary_hits_by_rank(const BoundaryComparison& comparison, In1<int64_t> ranks, In1<double> tolerances,
                           bool strict) {
  comparison.check(tolerances);
  if (ranks.shape(0) != comparison.all_predicted()) throw std::invalid_argument("boundaries: a rank for each time");
  std::vector<double> found;
  {
    nb::gil_scoped_release release;
    std::vector<char> taken;
    InterruptCheck tick;
    for (size_t pair = 0; pair < comparison.size(); ++pair) {
      const auto predicted = comparison.predicted(pair), truth = comparison.truth(pair);
      const int64_t* order = ranks.data() + comparison.first_predicted(pair);
      const size_t first = found.size();
      found.resize(first + predicted.size(), 0.0);
      taken.assign(truth.size(), 0);
      for (size_t rank = 0; rank < predicted.size(); ++rank) {
        tick(1 + truth.size());
        if (order[rank] < 0 || static_cast<size_t>(order[rank]) >= predicted.size()) {
          throw std::out_of_range("boundaries: a rank outside its list");
        }
        const auto index = static_cast<size_t>(order[rank]);
        size_t nearest = truth.size();
        double distance = std::numeric_limits<double>::infinity();
        for (size_t i = 0; i < truth.size(); ++i) {
          const double away = std::abs(predicted[index] - truth[i]);
          if (!taken[i] && away < distance) {
            distance = away;
            nearest = i;
          }
        }
        if (nearest < truth.size() && within(distance, tolerances.data()[pair], strict)) {
          taken[nearest] = 1;
          found[first + index] = 1.0;
        }
      }
    }
  }
  return to_numpy(std::move(found));
}

// The median distance from each time to the nearest other one.
double median_distance(std::span<const double> from, std::span<const double> to, std::vector<double>& distances,
                       InterruptCheck& tick) {
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
}

// Per pair: the median distance from each prediction to the nearest true boundary, and the other way round; infinity
// where a side is empty.
nb::tuple median_distances(const BoundaryComparison& comparison) {
  std::vector<double> from_predicted(comparison.size(), std::numeric_limits<double>::infinity());
  std::vector<double> from_true = from_predicted;
  {
    nb::gil_scoped_release release;
    std::vector<double> distances;
    InterruptCheck tick;
    for (size_t pair = 0; pair < comparison.size(); ++pair) {
      const auto predicted = comparison.predicted(pair), truth = comparison.truth(pair);
      if (predicted.empty() || truth.empty()) continue;
      from_predicted[pair] = median_distance(predicted, truth, distances, tick);
      from_true[pair] = median_distance(truth, predicted, distances, tick);
    }
  }
  return nb::make_tuple(to_numpy(std::move(from_predicted)), to_numpy(std::move(from_true)));
}

}  // namespace

void bind_boundary_matching(nb::module_& m) {
  nb::class_<BoundaryComparison>(m, "BoundaryComparison", "Pairs of a list of predicted and a list of true times.")
      .def(nb::init<const RaggedArrays<double>&, const RaggedArrays<double>&, const In1<int64_t>&,
                    const In1<int64_t>&>(),
           nb::arg("predicted"), nb::arg("truth"), nb::arg("predicted_of"), nb::arg("truth_of"))
      .def("__len__", &BoundaryComparison::size);
  m.def("boundary_hits", &boundary_hits, nb::arg("comparison"), nb::arg("tolerances"), nb::kw_only(),
        nb::arg("optimal"), nb::arg("strict"));
  m.def("boundary_hits_by_rank", &boundary_hits_by_rank, nb::arg("comparison"), nb::arg("ranks"), nb::arg("tolerances"),
        nb::kw_only(), nb::arg("strict"));
  m.def("median_distances", &median_distances, nb::arg("comparison"));
}

}  // namespace kataribe
