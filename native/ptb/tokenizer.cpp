// The PTB tokenizer of the caption metrics: longest match over the rules of ptb_rules.cpp, then what pycocoevalcap
// does with the tokens.
#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "common/bindings.hpp"
#include "common/interrupt.hpp"
#include "common/utf8.hpp"
#include "ptb/automaton.hpp"
#include "ptb/lines.hpp"
#include "ptb/rules.hpp"

namespace kataribe {
namespace {

using ptb::Edit;
using ptb::Rule;

// Finds the longest match at a position of one text.
class Matcher {
 public:
  struct Match {
    const Rule* rule;  // null where no rule matches
    std::size_t end;
  };

  explicit Matcher(std::string_view text) : text_(text) {}

  Match at(std::size_t start) {
    const Automaton& automaton = shared_automaton();
    std::uint16_t matched = Automaton::kNoPattern;
    std::size_t end = start;
    Automaton::State state = Automaton::kStart;
    overrun_.clear();
    for (std::size_t position = start; position < text_.size();) {
      const Decoded decoded = decode_utf8(text_, position);
      state = automaton.step(state, decoded.code);
      if (state == Automaton::kDead) break;
      const bool is_checkpoint = position / kCheckpointSpacing != (position + decoded.size) / kCheckpointSpacing;
      position += decoded.size;
      if (const std::uint16_t pattern = automaton.matched(state); pattern != Automaton::kNoPattern) {
        matched = pattern;
        end = position;
        overrun_.clear();
      } else if (is_checkpoint) {
        const std::uint64_t checkpoint = static_cast<std::uint64_t>(position) << 16 | state;
        if (hopeless_.contains(checkpoint)) break;
        overrun_.push_back(checkpoint);
      }
    }
    hopeless_.insert(overrun_.begin(), overrun_.end());
    if (matched == Automaton::kNoPattern) return {nullptr, start};
    const Rule& rule = ptb::rules()[matched];
    for (int i = 0; i < rule.ahead_size; ++i) end = previous_utf8(text_, end);
    return {&rule, rule.edit == Edit::kFirstLetter ? start + 1 : end};
  }

 private:
  static const Automaton& shared_automaton() {
    static const Automaton kAutomaton = [] {
      std::vector<std::string> patterns;
      for (const Rule& rule : ptb::rules()) {
        patterns.push_back(std::string("(").append(rule.pattern).append(")").append(rule.ahead));
      }
      return Automaton(patterns, ptb::names());
    }();
    return kAutomaton;
  }

  // "a,a,a,..." may be the start of "a,a,a-b", so that each "a" reads to the end in vain. To stay linear, remember
  // now and then in which state we were at which position when nothing came of it: the next one stops there.
  static constexpr std::size_t kCheckpointSpacing = 16;
  std::string_view text_;
  std::unordered_set<std::uint64_t> hopeless_;
  std::vector<std::uint64_t> overrun_;  // checkpoints since the last match
};

// Adds every line of the text, whether or not a newline ends the last one.
void tokenize(std::string_view text, ptb::Lines& lines, InterruptCheck& tick) {
  constexpr std::uint64_t kWorkPerToken = 64;
  Matcher matcher(text);
  for (std::size_t at = 0; at < text.size();) {
    tick(kWorkPerToken);
    if (text[at] == '\n') {
      lines.end_line();
      ++at;
      continue;
    }
    const auto [rule, end] = matcher.at(at);
    if (rule == nullptr) {
      at += decode_utf8(text, at).size;
      continue;
    }
    // The value of a tag's attribute is all that may run over the end of a line.
    std::string_view matched = text.substr(at, end - at);
    at = end;
    if (rule->edit == Edit::kDrop) continue;
    for (std::size_t newline; (newline = matched.find('\n')) != std::string_view::npos;) {
      lines.add_token(*rule, matched.substr(0, newline));
      lines.end_line();
      matched.remove_prefix(newline + 1);
    }
    lines.add_token(*rule, matched);
  }
  if (!text.empty() && text.back() != '\n') lines.end_line();
}

nb::list ptb_tokenize(const nb::list& texts, bool look_ahead) {
  std::string joined;  // each text on a line of its own
  std::vector<std::size_t> ends;
  for (const nb::handle text : texts) {
    Py_ssize_t size;
    const char* utf8 = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (utf8 == nullptr) throw nb::python_error();
    ptb::append_as_one_line(joined, {utf8, static_cast<std::size_t>(size)});
    joined += '\n';
    ends.push_back(joined.size());
  }
  std::vector<std::string> tokenized;
  {
    nb::gil_scoped_release release;
    ptb::Lines lines;
    InterruptCheck tick;
    if (look_ahead) {
      // The original's input ends without a newline, and its last line therefore without what look-aheads ask for.
      tokenize(std::string_view(joined).substr(0, joined.size() - !joined.empty()), lines, tick);
    } else {
      std::size_t start = 0;
      for (const std::size_t end : ends) {
        tokenize(std::string_view(joined).substr(start, end - start), lines, tick);
        start = end;
      }
    }
    tokenized = lines.take();
    tokenized.resize(ends.size());  // an empty last line had nothing to end it
  }
  nb::list result;
  for (const std::string& line : tokenized) {
    nb::object text = nb::str(line.data(), line.size());
    const bool is_ascii = std::all_of(line.begin(), line.end(), [](char c) { return (c & 0x80) == 0; });
    result.append(is_ascii ? text : text.attr("lower")());
  }
  return result;
}

}  // namespace

void bind_ptb(nb::module_& m) {
  m.def("ptb_tokenize", &ptb_tokenize, nb::arg("texts"), nb::arg("look_ahead"),
        "Texts -> the lower-case tokens of each, punctuation thrown away, joined by one space.");
}

}  // namespace kataribe
