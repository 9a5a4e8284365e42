// Strings to dense ids, in order of first appearance.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace kataribe {

// FNV-1a. Part of the resource format: changing it means a new format version.
inline std::uint64_t hash_bytes(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash ^ (hash >> 32);
}

class Interner {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::uint32_t add(std::string_view text) {
    if (2 * (size() + 1) > slots_.size()) grow();
    std::uint32_t& slot = slots_[slot_of(text)];
    if (slot == kNone) {
      slot = size();
      bytes_.append(text);
      offsets_.push_back(bytes_.size());
    }
    return slot;
  }

  std::uint32_t find(std::string_view text) const { return slots_.empty() ? kNone : slots_[slot_of(text)]; }

  std::uint32_t size() const { return static_cast<std::uint32_t>(offsets_.size() - 1); }

  // Valid until the next add().
  std::string_view operator[](std::uint32_t id) const {
    return std::string_view(bytes_).substr(offsets_[id], offsets_[id + 1] - offsets_[id]);
  }

  // The bare table (a power of two, at most half full, linear probing), for writing to a file.
  const std::vector<std::uint32_t>& slots() const { return slots_; }

 private:
  std::size_t slot_of(std::string_view text) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash_bytes(text) & mask;
    while (slots_[slot] != kNone && !has_text(slots_[slot], text)) slot = (slot + 1) & mask;
    return slot;
  }

  bool has_text(std::uint32_t id, std::string_view text) const {
    const std::size_t start = offsets_[id];
    return offsets_[id + 1] - start == text.size() && std::memcmp(bytes_.data() + start, text.data(), text.size()) == 0;
  }

  void grow() {
    slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), kNone);
    for (std::uint32_t id = 0; id < size(); ++id) slots_[slot_of((*this)[id])] = id;
  }

  std::string bytes_;
  std::vector<std::size_t> offsets_{0};
  std::vector<std::uint32_t> slots_;
};

}  // namespace kataribe
