#include "meteor/score.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace kataribe {

MeteorStatistics meteor_statistics(const MeteorSentences& sentences, std::size_t hypothesis, std::size_t reference,
                                   const std::vector<MeteorMatch>& alignment) {
  MeteorStatistics statistics{};
  const std::span<const std::uint32_t> hypothesis_words = sentences.words(hypothesis);
  const std::span<const std::uint32_t> reference_words = sentences.words(reference);
  statistics[kHypothesisWords] = static_cast<std::int32_t>(hypothesis_words.size());
  statistics[kReferenceWords] = static_cast<std::int32_t>(reference_words.size());
  statistics[kHypothesisFunctionWords] = sentences.function_word_count(hypothesis);
  statistics[kReferenceFunctionWords] = sentences.function_word_count(reference);

  std::size_t hypothesis_end = SIZE_MAX, reference_end = SIZE_MAX;
  for (const auto& [reference_start, match] : alignment) {
    std::int32_t* stage = &statistics[kStageMatches + 4 * match.stage];
    for (const std::uint32_t word : hypothesis_words.subspan(match.hypothesis_start, match.hypothesis_length))
      ++stage[sentences.is_function(word) ? 2 : 0];
    for (const std::uint32_t word : reference_words.subspan(reference_start, match.reference_length))
      ++stage[sentences.is_function(word) ? 3 : 1];
    statistics[kHypothesisMatches] += match.hypothesis_length;
    statistics[kReferenceMatches] += match.reference_length;
    if (match.hypothesis_start != hypothesis_end || reference_start != reference_end) ++statistics[kChunks];
    hypothesis_end = std::size_t{match.hypothesis_start} + match.hypothesis_length;
    reference_end = reference_start + match.reference_length;
  }
  // A pair that matches from end to end is not fragmented at all; METEOR takes its one chunk for none.
  const bool is_whole = statistics[kHypothesisMatches] == statistics[kHypothesisWords] &&
                        statistics[kReferenceMatches] == statistics[kReferenceWords];
  if (is_whole && statistics[kChunks] == 1) statistics[kChunks] = 0;
  return statistics;
}

double MeteorScorer::penalty(double fragmentation) {
  Power& power = powers_[std::hash<double>{}(fragmentation) % powers_.size()];
  if (power.base != fragmentation) power = {fragmentation, std::pow(fragmentation, parameters_.beta)};
  return parameters_.gamma * power.result;
}

double MeteorScorer::operator()(std::span<const double, kMeteorColumns> statistics) {
  const auto& [alpha, beta, gamma, delta, stage_weights] = parameters_;
  const auto content_and_function = [&](double content, double function) {
    return delta * content + (1 - delta) * function;
  };
  double matches[2] = {0, 0};
  for (std::size_t stage = 0; stage < kMeteorStages; ++stage)
    for (std::size_t side = 0; side < 2; ++side) {
      const double* counts = &statistics[kStageMatches + 4 * stage + side];
      matches[side] += stage_weights[stage] * content_and_function(counts[0], counts[2]);
    }
  const auto weighted_length = [&](MeteorColumn words, MeteorColumn function_words) {
    return content_and_function(statistics[words] - statistics[function_words], statistics[function_words]);
  };
  const double precision = matches[0] / weighted_length(kHypothesisWords, kHypothesisFunctionWords);
  const double recall = matches[1] / weighted_length(kReferenceWords, kReferenceFunctionWords);
  const double mean = 1 / ((1 - alpha) / precision + alpha / recall);
  const double matched_words = (statistics[kHypothesisMatches] + statistics[kReferenceMatches]) / 2;
  const double fragmentation = statistics[kChunks] == 0 ? 0 : statistics[kChunks] / matched_words;
  const double score = mean * (1 - penalty(fragmentation));
  return std::isnan(score) ? 0 : std::max(score, 0.0);
}

}  // namespace kataribe
