// Tokenized sentences as integer sequences over one vocabulary.
//
// A tokenized sentence is a string whose tokens are separated by single spaces ("" has no token). Other blanks,
// such as the no-break space that the PTB tokenizer leaves inside "3 1/2", belong to their token.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/bindings.hpp"

namespace kataribe {

class TokenIndex {
 public:
  explicit TokenIndex(const std::vector<std::string_view>& sentences);

  std::size_t size() const { return offsets_.size() - 1; }
  std::span<const std::int32_t> operator[](std::int64_t sentence) const {
    return {tokens_.data() + offsets_[sentence], static_cast<std::size_t>(length(sentence))};
  }
  std::int64_t length(std::int64_t sentence) const { return offsets_[sentence + 1] - offsets_[sentence]; }

  // Raises IndexError if one of them is no sentence of the index.
  void check(const In1<std::int64_t>& sentences) const { check_indices(sentences, size(), "no such sentence"); }

  const std::vector<std::int32_t>& tokens() const { return tokens_; }
  const std::vector<std::int64_t>& offsets() const { return offsets_; }
  const std::vector<std::string>& words() const { return words_; }

 private:
  std::vector<std::int32_t> tokens_;
  std::vector<std::int64_t> offsets_{0};
  std::vector<std::string> words_;
};

}  // namespace kataribe
