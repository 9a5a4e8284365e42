// Patterns over code points, parsed into a nondeterministic automaton (Thompson's construction).
//
// A pattern has literals, [sets] with ranges and ^, (a|b), ? * + {n} {n,} {n,m}, (?i:...) for either case of ASCII
// letters, \t \n \uXXXX, \ before any other character that is meant literally, and {name} for a named pattern.
// The dot is a literal.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kataribe {

struct CodeRange {
  char32_t first, last;
  auto operator<=>(const CodeRange&) const = default;
};
using CodeSet = std::vector<CodeRange>;  // sorted and disjoint

constexpr char32_t kLastCode = 0x10FFFF;

// What {name} stands for: a set of code points too long to write out, or another pattern.
struct Names {
  std::map<std::string, CodeSet, std::less<>> sets;
  std::map<std::string, std::string, std::less<>> patterns;
};

class PatternGraph {
 public:
  static constexpr std::uint16_t kNoPattern = 0xFFFF;

  // A node either leads to `target` by any character of `set`, or leads on without a character.
  struct Node {
    int set = -1;
    int target = -1;
    std::vector<int> empty_moves;
    std::uint16_t pattern = kNoPattern;  // the pattern that is complete here
  };

  explicit PatternGraph(const Names& names) : names_(names) { add_node(); }

  void add(std::string_view pattern, std::uint16_t number);

  static constexpr int root = 0;
  std::vector<Node> nodes;
  std::vector<CodeSet> sets;

 private:
  struct Fragment {
    int entry, exit;
  };

  int add_node();
  void join(int from, int to) { nodes[from].empty_moves.push_back(to); }
  void append(Fragment& to, Fragment next);

  Fragment parse(std::string_view pattern);
  Fragment alternatives();
  Fragment sequence();
  Fragment repeated();
  Fragment atom();
  Fragment named();
  Fragment bracketed_set();
  Fragment one_of(CodeSet set);
  Fragment empty();

  bool take(std::string_view token);
  char32_t take_code();
  char32_t take_literal();
  int take_number();
  std::string_view take_name();
  [[noreturn]] void fail(std::string why) const;

  const Names& names_;
  std::string_view rest_;  // what is still to be parsed
  bool either_case_ = false;
};

}  // namespace kataribe
