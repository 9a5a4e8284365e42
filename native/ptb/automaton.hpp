// Many patterns compiled together into one table: a step per character, whatever the number of patterns.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ptb/pattern.hpp"

namespace kataribe {

class Automaton {
 public:
  using State = std::uint16_t;
  static constexpr State kDead = 0;  // no pattern can match any more
  static constexpr State kStart = 1;
  static constexpr std::uint16_t kNoPattern = PatternGraph::kNoPattern;

  Automaton(const std::vector<std::string>& patterns, const Names& names);

  State step(State state, char32_t code) const { return table_[state * classes_ + class_of(code)]; }

  // The first of the patterns that match the characters which led to this state.
  std::uint16_t matched(State state) const { return matched_[state]; }

 private:
  using ClassesOfSet = std::vector<std::vector<std::uint8_t>>;

  // No pattern tells characters beyond the basic plane apart: one entry stands for them all.
  static constexpr char32_t kBeyond = 0x10000;
  std::uint8_t class_of(char32_t code) const { return class_of_[code < kBeyond ? code : kBeyond]; }

  ClassesOfSet assign_classes(const std::vector<CodeSet>& sets);
  void determinize(const PatternGraph& graph, const ClassesOfSet& classes_of_set);

  std::array<std::uint8_t, kBeyond + 1> class_of_{};
  std::size_t classes_ = 0;
  std::vector<State> table_;  // next state by state and class
  std::vector<std::uint16_t> matched_;
};

}  // namespace kataribe
