#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace kataribe {

// Tries WordNet's rules of detachment for nouns, verbs and adjectives, in METEOR's order, until try_base() accepts
// the base form one of them leads to.
template <typename TryBase>
void detach_ending(std::string_view word, TryBase try_base) {
  constexpr std::pair<std::string_view, std::string_view> kSuffixesAndEndings[] = {
      {"s", ""},      {"ses", "s"}, {"xes", "x"}, {"zes", "z"}, {"ches", "ch"}, {"shes", "sh"},
      {"men", "man"}, {"ies", "y"}, {"es", "e"},  {"es", ""},   {"ed", "e"},    {"ed", ""},
      {"ing", "e"},   {"ing", ""},  {"er", ""},   {"est", ""},  {"er", "e"},    {"est", "e"},
  };
  if (word.size() <= 2 || word.ends_with("ss")) return;
  for (const auto& [suffix, ending] : kSuffixesAndEndings) {
    if (!word.ends_with(suffix)) continue;
    std::string base(word.substr(0, word.size() - suffix.size()));
    base += ending;
    if (try_base(base)) return;
  }
}

}  // namespace kataribe
