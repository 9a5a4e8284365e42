// N-gram counts of sentences: what BLEU, CIDEr and DIV are sums over.
//
// Every distinct n-gram gets one integer id: the id of its first n-1 words paired with its last word, looked up in
// one table. That is exact (no hash is trusted), and an n-gram can be spelled out again from the table.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ngrams/token_index.hpp"

namespace kataribe {

constexpr std::uint64_t kWorkPerToken = 16, kWorkPerPair = 512;  // between looks for Ctrl-C

class NgramIndex {
 public:
  // The tokens must outlive the index.
  NgramIndex(const TokenIndex& tokens, int orders);

  const TokenIndex& tokens() const { return tokens_; }
  int orders() const { return orders_; }
  std::size_t distinct() const { return lasts_.size(); }

  // The n-grams of sentence s and order n (from 0) stand at begin(s, n) .. end(s, n), each once, with its count, in
  // order of their ids; the orders of one sentence stand side by side.
  std::int64_t begin(std::int64_t sentence, int order) const { return bounds_[sentence * orders_ + order]; }
  std::int64_t end(std::int64_t sentence, int order) const { return bounds_[sentence * orders_ + order + 1]; }
  std::span<const std::int32_t> ngrams_of(std::int64_t sentence) const {
    return {ngrams_.data() + begin(sentence, 0), ngrams_.data() + end(sentence, orders_ - 1)};
  }

  // Calls visit(position in a, position in b) for every n-gram that both sentences have.
  template <typename Visit>
  void meet(std::int64_t a, std::int64_t b, int order, Visit visit) const {
    std::int64_t i = begin(a, order), j = begin(b, order);
    const std::int64_t i_end = end(a, order), j_end = end(b, order);
    const std::int32_t* ngrams = ngrams_.data();
    while (i < i_end && j < j_end) {
      if (ngrams[i] < ngrams[j]) ++i;
      else if (ngrams[i] > ngrams[j]) ++j;
      else visit(i++, j++);
    }
  }

  const std::vector<std::int32_t>& ngrams() const { return ngrams_; }
  const std::vector<std::int32_t>& counts() const { return counts_; }
  const std::vector<std::int64_t>& bounds() const { return bounds_; }
  // By id: the n-gram without its last word (-1 for a single word; always a smaller id), and that word.
  const std::vector<std::int32_t>& prefixes() const { return prefixes_; }
  const std::vector<std::int32_t>& lasts() const { return lasts_; }

 private:
  const TokenIndex& tokens_;
  int orders_;
  std::vector<std::int32_t> ngrams_, counts_;
  std::vector<std::int64_t> bounds_{0};
  std::vector<std::int32_t> prefixes_, lasts_;
};

}  // namespace kataribe
