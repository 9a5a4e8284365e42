#include "ptb/pattern.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "common/utf8.hpp"

namespace kataribe {
namespace {

CodeSet normalized(CodeSet set) {
  std::sort(set.begin(), set.end());
  CodeSet merged;
  for (const CodeRange& range : set) {
    if (!merged.empty() && range.first <= merged.back().last + 1) {
      merged.back().last = std::max(merged.back().last, range.last);
    } else {
      merged.push_back(range);
    }
  }
  return merged;
}

CodeSet complement(const CodeSet& set) {
  CodeSet rest;
  char32_t next = 0;
  for (const CodeRange& range : set) {
    if (range.first > next) rest.push_back({next, range.first - 1});
    next = range.last + 1;
  }
  if (next <= kLastCode) rest.push_back({next, kLastCode});
  return rest;
}

CodeSet with_other_case(CodeSet set) {
  const CodeSet written = set;
  for (const auto [first, last] : written) {
    for (char32_t letter = 'a'; letter <= 'z'; ++letter) {
      const char32_t capital = letter - 'a' + 'A';
      if (first <= letter && letter <= last) set.push_back({capital, capital});
      if (first <= capital && capital <= last) set.push_back({letter, letter});
    }
  }
  return set;
}

bool is_digit(std::string_view text, std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; }

}  // namespace

void PatternGraph::add(std::string_view pattern, std::uint16_t number) {
  const Fragment fragment = parse(pattern);
  join(root, fragment.entry);
  nodes[fragment.exit].pattern = number;
}

int PatternGraph::add_node() {
  nodes.emplace_back();
  return static_cast<int>(nodes.size()) - 1;
}

void PatternGraph::append(Fragment& to, Fragment next) {
  join(to.exit, next.entry);
  to.exit = next.exit;
}

PatternGraph::Fragment PatternGraph::parse(std::string_view pattern) {
  const std::string_view outer_rest = std::exchange(rest_, pattern);
  const Fragment fragment = alternatives();
  if (!rest_.empty()) fail("unbalanced )");
  rest_ = outer_rest;
  return fragment;
}

PatternGraph::Fragment PatternGraph::alternatives() {
  Fragment one = sequence();
  if (!rest_.starts_with('|')) return one;
  const Fragment all{add_node(), add_node()};
  while (true) {
    join(all.entry, one.entry);
    join(one.exit, all.exit);
    if (!take("|")) return all;
    one = sequence();
  }
}

PatternGraph::Fragment PatternGraph::sequence() {
  Fragment result = empty();
  while (!rest_.empty() && rest_.front() != '|' && rest_.front() != ')') append(result, repeated());
  return result;
}

PatternGraph::Fragment PatternGraph::repeated() {
  constexpr int kEndless = std::numeric_limits<int>::max();
  const std::string_view repeated_text = rest_;
  const Fragment once = atom();
  int least = 1, most = 1;
  if (take("?")) {
    least = 0;
  } else if (take("*")) {
    least = 0, most = kEndless;
  } else if (take("+")) {
    most = kEndless;
  } else if (rest_.starts_with('{') && is_digit(rest_, 1)) {
    take("{");
    least = most = take_number();
    if (take(",")) most = is_digit(rest_, 0) ? take_number() : kEndless;
    if (!take("}")) fail("missing }");
  } else {
    return once;
  }

  // Every repetition needs nodes of its own: parse the same text again.
  const std::string_view after = rest_;
  const auto another = [&] {
    rest_ = repeated_text;
    const Fragment fragment = atom();
    rest_ = after;
    return fragment;
  };
  Fragment result = empty();
  for (int i = 0; i < least; ++i) append(result, another());
  const int end = add_node();
  join(result.exit, end);
  if (most == kEndless) {
    join(end, once.entry);
    join(once.exit, end);
  } else {
    for (int i = least; i < most; ++i) {
      append(result, another());
      join(result.exit, end);
    }
  }
  return {result.entry, end};
}

PatternGraph::Fragment PatternGraph::atom() {
  if (take("(")) {
    const bool outer_case = either_case_;
    if (take("?i:")) either_case_ = true;
    const Fragment group = alternatives();
    either_case_ = outer_case;
    if (!take(")")) fail("missing )");
    return group;
  }
  if (take("[")) return bracketed_set();
  if (take("{")) return named();
  const char32_t code = take_literal();
  return one_of({{code, code}});
}

PatternGraph::Fragment PatternGraph::named() {
  const std::string_view name = take_name();
  if (const auto set = names_.sets.find(name); set != names_.sets.end()) return one_of(set->second);
  const auto pattern = names_.patterns.find(name);
  if (pattern == names_.patterns.end()) fail("unknown name " + std::string(name));
  return parse(pattern->second);
}

PatternGraph::Fragment PatternGraph::bracketed_set() {
  const bool negated = take("^");
  CodeSet set;
  while (!take("]")) {
    if (take("{")) {
      const std::string_view name = take_name();
      const auto named = names_.sets.find(name);
      if (named == names_.sets.end()) fail("unknown set " + std::string(name));
      set.insert(set.end(), named->second.begin(), named->second.end());
      continue;
    }
    const char32_t first = take_literal();
    const bool is_range = rest_.size() > 1 && rest_[0] == '-' && rest_[1] != ']' && take("-");
    set.push_back({first, is_range ? take_literal() : first});
  }
  if (negated) set = complement(normalized(std::move(set)));
  return one_of(std::move(set));
}

PatternGraph::Fragment PatternGraph::one_of(CodeSet set) {
  if (either_case_) set = with_other_case(std::move(set));
  const Fragment fragment{add_node(), add_node()};
  nodes[fragment.entry].set = static_cast<int>(sets.size());
  nodes[fragment.entry].target = fragment.exit;
  sets.push_back(normalized(std::move(set)));
  return fragment;
}

PatternGraph::Fragment PatternGraph::empty() {
  const int node = add_node();
  return {node, node};
}

bool PatternGraph::take(std::string_view token) {
  if (!rest_.starts_with(token)) return false;
  rest_.remove_prefix(token.size());
  return true;
}

char32_t PatternGraph::take_code() {
  if (rest_.empty()) fail("unfinished pattern");
  const Decoded decoded = decode_utf8(rest_, 0);
  rest_.remove_prefix(decoded.size);
  return decoded.code;
}

char32_t PatternGraph::take_literal() {
  if (!take("\\")) return take_code();
  if (take("t")) return '\t';
  if (take("n")) return '\n';
  if (take("u")) {
    const auto code = static_cast<char32_t>(std::stoul(std::string(rest_.substr(0, 4)), nullptr, 16));
    rest_.remove_prefix(4);
    return code;
  }
  return take_code();
}

int PatternGraph::take_number() {
  int number = 0;
  for (; is_digit(rest_, 0); rest_.remove_prefix(1)) number = number * 10 + (rest_.front() - '0');
  return number;
}

std::string_view PatternGraph::take_name() {
  const std::size_t end = rest_.find('}');
  if (end == std::string_view::npos) fail("missing }");
  const std::string_view name = rest_.substr(0, end);
  rest_.remove_prefix(end + 1);
  return name;
}

void PatternGraph::fail(std::string why) const { throw std::invalid_argument(why.append(" before: ").append(rest_)); }

}  // namespace kataribe
