#include "ngrams/token_index.hpp"

#include <unordered_map>

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "common/interrupt.hpp"

namespace kataribe {

TokenIndex::TokenIndex(const std::vector<std::string_view>& sentences) {
  nb::gil_scoped_release release;
  InterruptCheck tick;
  std::unordered_map<std::string_view, std::int32_t> vocabulary;
  offsets_.reserve(sentences.size() + 1);
  for (const std::string_view sentence : sentences) {
    tick(1 + sentence.size());
    std::size_t start = 0;
    while (start < sentence.size()) {
      std::size_t end = sentence.find(' ', start);
      if (end == std::string_view::npos) end = sentence.size();
      const auto [entry, is_new] =
          vocabulary.try_emplace(sentence.substr(start, end - start), static_cast<std::int32_t>(vocabulary.size()));
      if (is_new) words_.emplace_back(entry->first);
      tokens_.push_back(entry->second);
      start = end + 1;
    }
    offsets_.push_back(static_cast<std::int64_t>(tokens_.size()));
  }
}

void bind_token_index(nb::module_& m) {
  using Self = nb::handle_t<TokenIndex>;
  nb::class_<TokenIndex>(m, "TokenIndex", "Sentences of space-separated tokens as integers over one vocabulary.")
      .def(nb::init<const std::vector<std::string_view>&>(), nb::arg("sentences"))
      .def("__len__", &TokenIndex::size)
      .def_prop_ro("tokens", [](Self self) { return view_of(nb::cast<const TokenIndex&>(self).tokens(), self); })
      .def_prop_ro("offsets", [](Self self) { return view_of(nb::cast<const TokenIndex&>(self).offsets(), self); })
      .def("spell_words", &TokenIndex::words, "A new list of the words, by their numbers.");
}

}  // namespace kataribe
