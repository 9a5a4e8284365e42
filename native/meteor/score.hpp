#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "meteor/aligner.hpp"

namespace kataribe {

// What the score of a pair, or of a sum of pairs, is computed from.
enum MeteorColumn : std::size_t {
  kHypothesisWords,
  kReferenceWords,
  kHypothesisFunctionWords,
  kReferenceFunctionWords,
  kStageMatches,  // four columns per stage: hypothesis and reference content words, then function words
  kChunks = kStageMatches + 4 * kMeteorStages,
  kHypothesisMatches,
  kReferenceMatches,
  kMeteorColumns,
};

constexpr std::array<std::string_view, kMeteorColumns> kMeteorColumnNames = {
    "hypothesis_words",
    "reference_words",
    "hypothesis_function_words",
    "reference_function_words",
    "exact_hypothesis_content",
    "exact_reference_content",
    "exact_hypothesis_function",
    "exact_reference_function",
    "stem_hypothesis_content",
    "stem_reference_content",
    "stem_hypothesis_function",
    "stem_reference_function",
    "synonym_hypothesis_content",
    "synonym_reference_content",
    "synonym_hypothesis_function",
    "synonym_reference_function",
    "paraphrase_hypothesis_content",
    "paraphrase_reference_content",
    "paraphrase_hypothesis_function",
    "paraphrase_reference_function",
    "chunks",
    "hypothesis_matches",
    "reference_matches",
};

struct MeteorParameters {
  double alpha, beta, gamma, delta;
  std::array<double, kMeteorStages> stage_weights;
};
constexpr MeteorParameters kMeteorEnglish = {0.85, 0.2, 0.6, 0.75, {1.0, 0.6, 0.8, 0.6}};
constexpr MeteorParameters kMeteorOther = {0.75, 1.4, 0.7, 0.5, {1.0, 1.0, 1.0, 1.0}};

// Statistics add up: those of a corpus are the sum over its pairs. Scores do not.
using MeteorStatistics = std::array<std::int32_t, kMeteorColumns>;
MeteorStatistics meteor_statistics(const MeteorSentences& sentences, std::size_t hypothesis, std::size_t reference,
                                   const std::vector<MeteorMatch>& alignment);

// Scores rows of statistics one after the other. Fragmentation takes few values, so it remembers what it has raised
// to a power, which is most of the work.
class MeteorScorer {
 public:
  explicit MeteorScorer(const MeteorParameters& parameters) : parameters_(parameters) {}
  double operator()(std::span<const double, kMeteorColumns> statistics);

 private:
  struct Power {
    double base = -1, result = 0;
  };
  double penalty(double fragmentation);

  const MeteorParameters& parameters_;
  std::array<Power, 1024> powers_;
};

}  // namespace kataribe
