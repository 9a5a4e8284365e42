// Event boundaries: many short lists of times, each ascending, compared pair by pair.
//
// Every function answers one row for each pair, so that one call serves a corpus, its annotators and its baselines.
#pragma once

#include <span>
#include <stdexcept>

#include "common/ragged.hpp"

namespace kataribe {

class BoundaryComparison {
 public:
  // Pair i is the list predicted_of[i] of the predicted ones beside the list truth_of[i] of the true ones.
  BoundaryComparison(const RaggedArrays<double>& predicted, const RaggedArrays<double>& truth,
                     const In1<std::int64_t>& predicted_of, const In1<std::int64_t>& truth_of)
      : predicted_(predicted, "boundaries"),
        truth_(truth, "boundaries"),
        predicted_of_(predicted_of),
        truth_of_(truth_of) {
    if (truth_of.shape(0) != size()) throw std::invalid_argument("boundaries: pairs of different lengths");
    check_indices(predicted_of, predicted_.size(), "boundaries: no such list of predictions");
    check_indices(truth_of, truth_.size(), "boundaries: no such list of true boundaries");
  }

  std::size_t size() const { return predicted_of_.shape(0); }
  std::span<const double> predicted(std::size_t pair) const { return predicted_[predicted_of_.data()[pair]]; }
  std::span<const double> truth(std::size_t pair) const { return truth_[truth_of_.data()[pair]]; }

  // Where the pair's predictions begin among those of all lists, and how many there are in all.
  std::int64_t first_predicted(std::size_t pair) const { return predicted_.offsets()[predicted_of_.data()[pair]]; }
  std::size_t all_predicted() const { return predicted_.values().size(); }

  template <typename T>
  void check(const In1<T>& per_pair) const {
    if (per_pair.shape(0) != size()) throw std::invalid_argument("boundaries: one value for each pair is needed");
  }

 private:
  Ragged<double> predicted_, truth_;
  In1<std::int64_t> predicted_of_, truth_of_;
};

}  // namespace kataribe
