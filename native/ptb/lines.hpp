// The tokens of each line, edited as their rules ask, without the punctuation that pycocoevalcap throws away.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ptb/rules.hpp"

namespace kataribe::ptb {

class Lines {
 public:
  void add_token(const Rule& rule, std::string_view matched);
  void end_line();
  std::vector<std::string> take() { return std::move(lines_); }

 private:
  std::vector<std::string> lines_;
  std::string line_;
  bool ends_in_token_ = false;  // and not in one that was thrown away
};

// Appends the text with a blank for whatever ends a line.
void append_as_one_line(std::string& out, std::string_view text);

}  // namespace kataribe::ptb
