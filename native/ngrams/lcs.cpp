// Longest common subsequence of token sequences, bit-parallel: one row of the classic table is one big integer.
//
// Hyyro, H. (2004). Bit-parallel LCS-length computation revisited. AWOCA.
#include <bit>
#include <cstddef>

#include "common/interrupt.hpp"
#include "ngrams/token_index.hpp"

namespace kataribe {
namespace {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint64_t;

// Keeps, for the sentence it was last given, the positions of each of its words as a bit mask.
class LcsRow {
 public:
  explicit LcsRow(size_t vocabulary) : slot_of_(vocabulary, -1) {}

  void set(const int32_t* words, size_t length) {
    for (const int32_t word : present_) slot_of_[word] = -1;
    present_.clear();
    length_ = length;
    blocks_ = (length + 63) / 64;
    masks_.clear();
    for (size_t i = 0; i < length; ++i) {
      int32_t& slot = slot_of_[words[i]];
      if (slot < 0) {
        slot = static_cast<int32_t>(present_.size());
        present_.push_back(words[i]);
        masks_.resize(masks_.size() + blocks_, 0);
      }
      masks_[slot * blocks_ + i / 64] |= uint64_t{1} << (i % 64);
    }
  }

  int32_t with(const int32_t* words, size_t length) {
    row_.assign(blocks_, ~uint64_t{0});
    for (size_t i = 0; i < length; ++i) {
      const int32_t slot = slot_of_[words[i]];
      if (slot < 0) continue;
      const uint64_t* mask = masks_.data() + slot * blocks_;
      uint64_t carry = 0;
      for (size_t b = 0; b < blocks_; ++b) {
        const uint64_t row = row_[b], matched = row & mask[b];
        const uint64_t partial = row + matched, sum = partial + carry;
        carry = (partial < row) | (sum < partial);
        row_[b] = sum | (row & ~mask[b]);
      }
    }
    int32_t common = 0;
    for (size_t b = 0; b < blocks_; ++b) {
      const size_t used = b + 1 < blocks_ ? 64 : length_ - 64 * b;
      const uint64_t inside = used == 64 ? ~uint64_t{0} : (uint64_t{1} << used) - 1;
      common += std::popcount(~row_[b] & inside);
    }
    return common;
  }

 private:
  std::vector<int32_t> slot_of_, present_;
  std::vector<uint64_t> masks_, row_;
  size_t length_ = 0, blocks_ = 0;
};

auto lcs_lengths(const TokenIndex& index, In1<int64_t> candidates, In1<int64_t> references) {
  const size_t pairs = candidates.shape(0);
  if (references.shape(0) != pairs) throw std::invalid_argument("lcs_lengths: pairs of different lengths");
  index.check(candidates);
  index.check(references);
  std::vector<int32_t> lengths(pairs);
  {
    nb::gil_scoped_release release;
    LcsRow row(index.words().size());
    InterruptCheck tick;
    int64_t prepared = -1;
    for (size_t pair = 0; pair < pairs; ++pair) {
      const std::span<const int32_t> candidate = index[candidates.data()[pair]];
      const std::span<const int32_t> reference = index[references.data()[pair]];
      if (candidates.data()[pair] != prepared) {
        row.set(candidate.data(), candidate.size());
        prepared = candidates.data()[pair];
      }
      tick(64 + candidate.size() * reference.size() / 64);
      lengths[pair] = row.with(reference.data(), reference.size());
    }
  }
  return to_numpy(std::move(lengths));
}

}  // namespace

void bind_lcs(nb::module_& m) {
  m.def("lcs_lengths", &lcs_lengths, nb::arg("index"), nb::arg("candidates"), nb::arg("references"),
        "For each pair of sentences the length of their longest common subsequence.");
}

}  // namespace kataribe
