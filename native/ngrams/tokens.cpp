// Tokenized sentences -> integer sequences over one vocabulary.
//
// A tokenized sentence is a string whose tokens are separated by single spaces ("" has no token). Other blanks,
// such as the no-break space that the PTB tokenizer leaves inside "3 1/2", belong to their token.
#include <string_view>
#include <unordered_map>

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "common/bindings.hpp"
#include "common/interrupt.hpp"

namespace kataribe {
namespace {

nb::tuple index_tokens(const std::vector<std::string_view>& sentences) {
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> offsets{0};
  offsets.reserve(sentences.size() + 1);
  std::unordered_map<std::string_view, std::int32_t> vocabulary;
  std::vector<std::string> words;
  {
    nb::gil_scoped_release release;
    InterruptCheck tick;
    for (const std::string_view sentence : sentences) {
      tick(1 + sentence.size());
      std::size_t start = 0;
      while (start < sentence.size()) {
        std::size_t end = sentence.find(' ', start);
        if (end == std::string_view::npos) end = sentence.size();
        const auto [entry, is_new] =
            vocabulary.try_emplace(sentence.substr(start, end - start), static_cast<std::int32_t>(vocabulary.size()));
        if (is_new) words.emplace_back(entry->first);
        ids.push_back(entry->second);
        start = end + 1;
      }
      offsets.push_back(static_cast<std::int64_t>(ids.size()));
    }
  }
  return nb::make_tuple(to_numpy(std::move(ids)), to_numpy(std::move(offsets)), words);
}

}  // namespace

void bind_tokens(nb::module_& m) {
  m.def("index_tokens", &index_tokens, nb::arg("sentences"),
        "Sentences of space-separated tokens -> (token ids, offsets of each sentence, words by id).");
}

}  // namespace kataribe
