// The rules of the PTB tokenizer.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ptb/pattern.hpp"

namespace kataribe::ptb {

// What becomes of the matched text.
enum class Edit : std::uint8_t {
  kKeep,
  kDrop,
  kReplace,              // by Rule::text
  kFirstLetter,          // the rest stays in the input
  kWord,                 // soft hyphens go, &amp; is decoded
  kClitic,               // apostrophes become straight
  kQuotes,               // each mark becomes ` `` ' or ''
  kRoundBrackets,        // become -lrb- and -rrb-
  kNoBreak,              // blanks become no-break spaces, so that the token stays one
  kNoBreakRoundBrackets  // both
};

struct Rule {
  std::string_view pattern;
  Edit edit = Edit::kKeep;
  // Text that must follow. It counts in the length of the match, but stays in the input.
  std::string_view ahead = {};
  int ahead_size = 0;  // in characters
  std::string_view text = {};
};

// In order of precedence: the longest match wins, the earlier rule on a tie.
const std::vector<Rule>& rules();

// The names that the patterns use.
const Names& names();

}  // namespace kataribe::ptb
