#pragma once

#include <cstdint>
#include <vector>

namespace kataribe {

// Sparse ids to dense ones, in order of first appearance. Open addressing: several times faster than a
// std::unordered_map where there is one look-up per phrase of every sentence.
class Numbering {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::uint32_t add(std::uint32_t id) {
    if (2 * (ids_.size() + 1) > slots_.size()) grow();
    std::uint32_t& slot = slots_[slot_of(id)];
    if (slot == kNone) {
      slot = static_cast<std::uint32_t>(ids_.size());
      ids_.push_back(id);
    }
    return slot;
  }

  std::uint32_t find(std::uint32_t id) const { return slots_.empty() ? kNone : slots_[slot_of(id)]; }
  std::size_t size() const { return ids_.size(); }
  std::uint32_t operator[](std::size_t number) const { return ids_[number]; }

 private:
  std::size_t slot_of(std::uint32_t id) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = id * 0x9E3779B97F4A7C15u >> 32 & mask;
    while (slots_[slot] != kNone && ids_[slots_[slot]] != id) slot = (slot + 1) & mask;
    return slot;
  }

  void grow() {
    slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), kNone);
    for (std::uint32_t number = 0; number < ids_.size(); ++number) slots_[slot_of(ids_[number])] = number;
  }

  std::vector<std::uint32_t> ids_, slots_;
};

}  // namespace kataribe
