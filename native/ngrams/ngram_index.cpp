#include "ngrams/ngram_index.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "common/interrupt.hpp"

namespace kataribe {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint64_t;

namespace {

// (prefix id, last word) -> n-gram id, by open addressing.
class NgramTable {
 public:
  explicit NgramTable(size_t expected) { rehash(std::max<size_t>(1024, expected * 2)); }

  int32_t id(int32_t prefix, int32_t last) {
    const uint64_t key = (static_cast<uint64_t>(static_cast<uint32_t>(prefix)) << 32) | static_cast<uint32_t>(last);
    size_t slot = mix(key) & mask_;
    while (ids_[slot] >= 0) {
      if (keys_[slot] == key) return ids_[slot];
      slot = (slot + 1) & mask_;
    }
    if (prefixes_.size() >= static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
      throw std::length_error("more than 2^31 distinct n-grams");
    }
    const auto fresh = static_cast<int32_t>(prefixes_.size());
    keys_[slot] = key;
    ids_[slot] = fresh;
    prefixes_.push_back(prefix);
    lasts_.push_back(last);
    if (prefixes_.size() * 2 > ids_.size()) rehash(ids_.size() * 2);
    return fresh;
  }

  std::vector<int32_t> prefixes_, lasts_;

 private:
  static uint64_t mix(uint64_t x) {  // the finaliser of splitmix64
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
  }

  void rehash(size_t at_least) {
    size_t capacity = 1024;
    while (capacity < at_least) capacity *= 2;
    std::vector<uint64_t> old_keys = std::move(keys_);
    std::vector<int32_t> old_ids = std::move(ids_);
    keys_.assign(capacity, 0);
    ids_.assign(capacity, -1);
    mask_ = capacity - 1;
    for (size_t i = 0; i < old_ids.size(); ++i) {
      if (old_ids[i] < 0) continue;
      size_t slot = mix(old_keys[i]) & mask_;
      while (ids_[slot] >= 0) slot = (slot + 1) & mask_;
      keys_[slot] = old_keys[i];
      ids_[slot] = old_ids[i];
    }
  }

  std::vector<uint64_t> keys_;
  std::vector<int32_t> ids_;
  size_t mask_ = 0;
};

}  // namespace

NgramIndex::NgramIndex(const TokenIndex& tokens, int orders) : tokens_(tokens), orders_(orders) {
  if (orders < 1) throw std::invalid_argument("NgramIndex: at least one order is needed");
  nb::gil_scoped_release release;
  bounds_.reserve(tokens.size() * orders + 1);
  NgramTable table(tokens.tokens().size());
  std::vector<int32_t> ending_here, sorted;  // ids of the n-grams that end at each position
  InterruptCheck tick;
  for (size_t s = 0; s < tokens.size(); ++s) {
    const std::span<const int32_t> words = tokens[static_cast<int64_t>(s)];
    const auto length = static_cast<int>(words.size());
    tick(kWorkPerToken * (1 + length));
    ending_here.assign(length, -1);
    for (int n = 1; n <= orders; ++n) {
      for (int end = length - 1; end >= n - 1; --end) {
        ending_here[end] = table.id(n == 1 ? -1 : ending_here[end - 1], words[end]);
      }
      sorted.clear();
      if (length >= n) sorted.assign(ending_here.begin() + (n - 1), ending_here.end());
      std::sort(sorted.begin(), sorted.end());
      for (size_t i = 0; i < sorted.size();) {
        size_t j = i;
        while (j < sorted.size() && sorted[j] == sorted[i]) ++j;
        ngrams_.push_back(sorted[i]);
        counts_.push_back(static_cast<int32_t>(j - i));
        i = j;
      }
      bounds_.push_back(static_cast<int64_t>(ngrams_.size()));
    }
  }
  prefixes_ = std::move(table.prefixes_);
  lasts_ = std::move(table.lasts_);
}

void bind_ngram_index(nb::module_& m) {
  using Self = nb::handle_t<NgramIndex>;
  const auto index = [](Self self) -> const NgramIndex& { return nb::cast<const NgramIndex&>(self); };
  nb::class_<NgramIndex>(m, "NgramIndex", "The n-grams of every sentence up to some order, counted.")
      .def(nb::init<const TokenIndex&, int>(), nb::arg("tokens"), nb::arg("orders"), nb::keep_alive<1, 2>())
      .def_prop_ro("orders", &NgramIndex::orders)
      .def_prop_ro("distinct", &NgramIndex::distinct)
      .def_prop_ro("ngrams", [index](Self self) { return view_of(index(self).ngrams(), self); })
      .def_prop_ro("counts", [index](Self self) { return view_of(index(self).counts(), self); })
      .def_prop_ro("bounds", [index](Self self) { return view_of(index(self).bounds(), self); })
      .def_prop_ro("prefixes", [index](Self self) { return view_of(index(self).prefixes(), self); })
      .def_prop_ro("lasts", [index](Self self) { return view_of(index(self).lasts(), self); });
}

}  // namespace kataribe
