#include "ptb/automaton.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

namespace kataribe {
namespace {

using NodeSet = std::vector<int>;  // sorted

bool contains(const CodeSet& set, char32_t code) {
  const auto after = std::upper_bound(set.begin(), set.end(), code,
                                      [](char32_t value, const CodeRange& range) { return value < range.first; });
  return after != set.begin() && code <= std::prev(after)->last;
}

// For each node, the nodes that matter (with a set or a complete pattern) among those it leads to by empty moves.
std::vector<NodeSet> follow_empty_moves(const std::vector<PatternGraph::Node>& nodes) {
  std::vector<NodeSet> closures(nodes.size());
  std::vector<int> seen_from(nodes.size(), -1);
  NodeSet pending;
  for (int start = 0; start < static_cast<int>(nodes.size()); ++start) {
    pending.push_back(start);
    seen_from[start] = start;
    while (!pending.empty()) {
      const int at = pending.back();
      pending.pop_back();
      const PatternGraph::Node& node = nodes[at];
      if (node.set >= 0 || node.pattern != PatternGraph::kNoPattern) closures[start].push_back(at);
      for (const int next : node.empty_moves) {
        if (std::exchange(seen_from[next], start) != start) pending.push_back(next);
      }
    }
    std::sort(closures[start].begin(), closures[start].end());
  }
  return closures;
}

NodeSet union_of(const std::vector<NodeSet>& closures, const NodeSet& nodes) {
  NodeSet all;
  for (const int node : nodes) all.insert(all.end(), closures[node].begin(), closures[node].end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace

Automaton::Automaton(const std::vector<std::string>& patterns, const Names& names) {
  PatternGraph graph(names);
  for (std::size_t i = 0; i < patterns.size(); ++i) graph.add(patterns[i], static_cast<std::uint16_t>(i));
  determinize(graph, assign_classes(graph.sets));
}

// Characters that belong to the same sets share a class. Returns the classes that each set consists of.
Automaton::ClassesOfSet Automaton::assign_classes(const std::vector<CodeSet>& sets) {
  std::map<CodeSet, std::vector<std::size_t>> positions;  // of each distinct set
  for (std::size_t i = 0; i < sets.size(); ++i) positions[sets[i]].push_back(i);

  std::vector<char32_t> borders{0, kBeyond + 1};
  for (const auto& [set, unused] : positions) {
    for (const auto [first, last] : set) {
      borders.push_back(std::min<char32_t>(first, kBeyond));
      borders.push_back(std::min<char32_t>(last + 1, kBeyond + 1));
    }
  }
  std::sort(borders.begin(), borders.end());
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());

  ClassesOfSet classes_of_set(sets.size());
  std::map<std::vector<bool>, std::uint8_t> class_by_membership;
  for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
    std::vector<bool> membership;
    for (const auto& [set, unused] : positions) membership.push_back(contains(set, borders[i]));
    const auto next_class = static_cast<std::uint8_t>(class_by_membership.size());
    const auto [entry, is_new] = class_by_membership.try_emplace(membership, next_class);
    std::fill(class_of_.begin() + borders[i], class_of_.begin() + borders[i + 1], entry->second);
    if (!is_new) continue;
    std::size_t distinct = 0;
    for (const auto& [unused, same_sets] : positions) {
      if (!membership[distinct++]) continue;
      for (const std::size_t set : same_sets) classes_of_set[set].push_back(entry->second);
    }
  }
  classes_ = class_by_membership.size();
  if (classes_ > 256) throw std::length_error("more than 256 character classes");
  return classes_of_set;
}

// The subset construction: a state stands for all the nodes where the patterns may be after the same characters.
void Automaton::determinize(const PatternGraph& graph, const ClassesOfSet& classes_of_set) {
  const std::vector<NodeSet> closures = follow_empty_moves(graph.nodes);
  std::map<NodeSet, State> state_by_nodes;
  std::vector<NodeSet> nodes_by_state;
  const auto state_of = [&](const NodeSet& nodes) {
    const auto [entry, is_new] = state_by_nodes.try_emplace(nodes, static_cast<State>(nodes_by_state.size()));
    if (is_new) {
      nodes_by_state.push_back(nodes);
      if (nodes_by_state.size() > 0xFFFF) throw std::length_error("more than 65535 states");
    }
    return entry->second;
  };
  state_of({});  // kDead
  state_of(closures[PatternGraph::root]);

  std::vector<NodeSet> targets(classes_);
  for (std::size_t state = 0; state < nodes_by_state.size(); ++state) {
    for (NodeSet& nodes : targets) nodes.clear();
    std::uint16_t matched = kNoPattern;
    for (const int at : nodes_by_state[state]) {
      const PatternGraph::Node& node = graph.nodes[at];
      matched = std::min(matched, node.pattern);
      if (node.set < 0) continue;
      for (const std::uint8_t cls : classes_of_set[node.set]) targets[cls].push_back(node.target);
    }
    matched_.push_back(matched);
    std::map<NodeSet, State> known;  // most classes share their targets with others
    for (const NodeSet& nodes : targets) {
      const auto [entry, is_new] = known.try_emplace(nodes, kDead);
      if (is_new) entry->second = state_of(union_of(closures, nodes));
      table_.push_back(entry->second);
    }
  }
}

}  // namespace kataribe
