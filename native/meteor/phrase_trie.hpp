#pragma once

#include <cstdint>
#include <vector>

namespace kataribe {

// Phrases as a growing trie: (phrase, word that follows) -> phrase. Numbers are dense; 0 is the empty phrase.
class PhraseTrie {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  // kNone if it was never added.
  std::uint32_t find(std::uint32_t phrase, std::uint32_t word) const {
    const std::uint32_t found = slots_[slot_of(edge(phrase, word))];
    return found == 0 ? kNone : found;
  }
  std::uint32_t add(std::uint32_t phrase, std::uint32_t word) {
    if (2 * edges_.size() > slots_.size()) grow();
    std::uint32_t& slot = slots_[slot_of(edge(phrase, word))];
    if (slot == 0) {
      slot = size();
      edges_.push_back(edge(phrase, word));
    }
    return slot;
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(edges_.size()); }
  std::uint32_t parent(std::uint32_t phrase) const { return static_cast<std::uint32_t>(edges_[phrase] >> 32); }
  std::uint32_t word(std::uint32_t phrase) const { return static_cast<std::uint32_t>(edges_[phrase]); }
  // Frees memory once nothing is looked up any more.
  void release_index() { slots_ = {}; }

 private:
  static std::uint64_t edge(std::uint32_t phrase, std::uint32_t word) { return std::uint64_t{phrase} << 32 | word; }

  // A hash table with linear probing.
  std::size_t slot_of(std::uint64_t edge) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = (edge ^ edge >> 29) * 0x9E3779B97F4A7C15u >> 32 & mask;
    while (slots_[slot] != 0 && edges_[slots_[slot]] != edge) slot = (slot + 1) & mask;
    return slot;
  }
  void grow() {
    slots_.assign(2 * slots_.size(), 0);
    for (std::uint32_t phrase = 1; phrase < size(); ++phrase) slots_[slot_of(edges_[phrase])] = phrase;
  }

  std::vector<std::uint64_t> edges_{0};  // parent and last word of each phrase
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(1 << 10);
};

}  // namespace kataribe
