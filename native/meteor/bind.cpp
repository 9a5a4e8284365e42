// METEOR 1.5 for Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "common/bindings.hpp"
#include "common/interrupt.hpp"
#include "common/utf8.hpp"
#include "meteor/aligner.hpp"
#include "meteor/builder.hpp"
#include "meteor/english_stemmer.hpp"
#include "meteor/normalize.hpp"
#include "meteor/score.hpp"

namespace kataribe {
namespace {

std::string_view view(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

// Python knows the case of every letter, so the odd line that is not ASCII goes there.
std::string lower(std::string line) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (!std::ranges::all_of(line, is_ascii)) {
    nb::gil_scoped_acquire acquire;
    return nb::cast<std::string>(nb::str(line.data(), line.size()).attr("lower")());
  }
  for (char& c : line)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return line;
}

// The lines of a list of strings, where Python has them. The GIL is needed to make and destroy it.
class Lines {
 public:
  // With prefixes, lines are tokenized and lower-cased as METEOR does.
  Lines(const nb::list& sentences, const DotPrefixes* prefixes) : prefixes_(prefixes), held_(sentences) {
    views_.reserve(held_.size());
    for (const nb::handle sentence : held_) {
      if (!nb::isinstance<nb::str>(sentence)) throw nb::type_error("sentences must be strings");
      Py_ssize_t size = 0;
      if (const char* bytes = PyUnicode_AsUTF8AndSize(sentence.ptr(), &size)) {
        views_.emplace_back(bytes, static_cast<std::size_t>(size));
      } else {  // lone surrogates; Java writes them as question marks too
        PyErr_Clear();
        encoded_.push_back(nb::cast<nb::bytes>(sentence.attr("encode")("utf-8", "replace")));
        views_.push_back(view(encoded_.back()));
      }
    }
  }

  std::size_t size() const { return views_.size(); }
  // Valid until the next call. Does not need the GIL.
  std::string_view operator[](std::size_t line) {
    constexpr std::size_t kAhead = 4;  // strings lie anywhere in memory, so ask for the next ones in time
    if (line + kAhead < size()) {
      __builtin_prefetch(views_[line + kAhead].data());
      __builtin_prefetch(views_[line + kAhead].data() + 64);
    }
    if (!prefixes_ || meteor_is_normal(views_[line])) return views_[line];
    return normalized_ = lower(meteor_normalize(views_[line], *prefixes_));
  }

 private:
  const DotPrefixes* prefixes_;
  nb::tuple held_;  // the list may change while others have the GIL
  std::vector<nb::bytes> encoded_;
  std::vector<std::string_view> views_;
  std::string normalized_;
};

// Holds on to nothing but its own copies: the resource may be closed once the sentences are prepared.
MeteorSentences prepare(std::optional<const MeteorResource*> resource, const nb::list& sentences, bool normalized) {
  const MeteorResource* data = resource.value_or(nullptr);
  if (normalized && !data) throw std::invalid_argument("normalizing needs a resource: it holds the abbreviations");
  Lines lines(sentences, normalized ? &data->dot_prefixes() : nullptr);
  nb::gil_scoped_release release;  // it is back before the lines are gone
  return MeteorSentences(data, lines.size(), [&](std::size_t line) { return lines[line]; });
}

// Rows by hypothesis: the matcher prepares each hypothesis once for all its references.
std::vector<std::size_t> grouped(In1<std::int64_t> hypotheses, std::size_t sentence_count) {
  std::vector<std::size_t> next(sentence_count + 1), rows(hypotheses.size());
  for (std::size_t row = 0; row < rows.size(); ++row) ++next[hypotheses.data()[row] + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (std::size_t row = 0; row < rows.size(); ++row) rows[next[hypotheses.data()[row]]++] = row;
  return rows;
}

struct TooMuchWorkInPair {
  std::size_t row;
};

// Calls use(row, hypothesis, reference, alignment) for each pair, without the GIL.
template <typename Use>
void for_each_pair(const MeteorSentences& sentences, In1<std::int64_t> hypotheses, In1<std::int64_t> references,
                   Use use) {
  if (hypotheses.size() != references.size())
    throw std::invalid_argument("there must be as many hypotheses as references");
  const auto check = [&](std::int64_t sentence) {
    if (sentence < 0 || static_cast<std::size_t>(sentence) >= sentences.size())
      throw std::out_of_range("no sentence has the number " + std::to_string(sentence));
  };
  nb::gil_scoped_release release;
  std::for_each_n(hypotheses.data(), hypotheses.size(), check);
  std::for_each_n(references.data(), references.size(), check);
  constexpr std::uint64_t kWorkPerPair = 1024;
  InterruptCheck tick;
  MeteorMatcher matcher(sentences);
  MeteorAligner aligner;
  for (const std::size_t row : grouped(hypotheses, sentences.size())) {
    const auto hypothesis = static_cast<std::size_t>(hypotheses.data()[row]);
    const auto reference = static_cast<std::size_t>(references.data()[row]);
    tick(kWorkPerPair);
    try {
      matcher.match(hypothesis, reference);
      use(row, hypothesis, reference, aligner.align(matcher));
    } catch (const MeteorTooMuchWork&) {
      throw TooMuchWorkInPair{row};
    }
  }
}

auto statistics(const MeteorSentences& sentences, In1<std::int64_t> hypotheses, In1<std::int64_t> references) {
  std::vector<std::int32_t> rows(hypotheses.size() * kMeteorColumns);
  for_each_pair(sentences, hypotheses, references,
                [&](std::size_t row, std::size_t hypothesis, std::size_t reference, const auto& alignment) {
                  const MeteorStatistics one = meteor_statistics(sentences, hypothesis, reference, alignment);
                  std::ranges::copy(one, rows.begin() + static_cast<std::ptrdiff_t>(row * kMeteorColumns));
                });
  return to_numpy(std::move(rows), kMeteorColumns);
}

const MeteorParameters& parameters_of(std::string_view language) {
  if (language == "en") return kMeteorEnglish;
  if (language == "other") return kMeteorOther;
  throw std::invalid_argument("METEOR has parameters for 'en' and for 'other'");
}

double score_of(MeteorScorer& scorer, const MeteorStatistics& statistics) {
  std::array<double, kMeteorColumns> columns;
  std::ranges::copy(statistics, columns.begin());
  return scorer(columns);
}

// Item i has the pairs bounds[i] to bounds[i + 1].
auto best_statistics(const MeteorSentences& sentences, In1<std::int64_t> hypotheses, In1<std::int64_t> references,
                     In1<std::int64_t> bounds, std::string_view language) {
  const std::size_t items = bounds.size() == 0 ? 0 : bounds.size() - 1;
  std::vector<std::uint32_t> item_of(hypotheses.size());
  bool fits =
      bounds.size() > 0 && bounds.data()[0] == 0 && static_cast<std::size_t>(bounds.data()[items]) == item_of.size();
  for (std::size_t item = 0; item < items; ++item) fits &= bounds.data()[item] < bounds.data()[item + 1];
  if (!fits) throw std::invalid_argument("bounds must give each item one pair or more, and all pairs to items");
  for (std::size_t item = 0; item < items; ++item)
    std::fill(item_of.begin() + bounds.data()[item], item_of.begin() + bounds.data()[item + 1],
              static_cast<std::uint32_t>(item));

  MeteorScorer scorer(parameters_of(language));
  std::vector<std::int32_t> rows(items * kMeteorColumns);
  std::vector<double> best(items, -1);
  for_each_pair(sentences, hypotheses, references,
                [&](std::size_t pair, std::size_t hypothesis, std::size_t reference, const auto& alignment) {
                  const std::size_t item = item_of[pair];
                  const MeteorStatistics one = meteor_statistics(sentences, hypothesis, reference, alignment);
                  const bool is_only = bounds.data()[item + 1] - bounds.data()[item] == 1;
                  const double score = is_only ? 0 : score_of(scorer, one);
                  if (score <= best[item]) return;
                  best[item] = score;
                  std::ranges::copy(one, rows.begin() + static_cast<std::ptrdiff_t>(item * kMeteorColumns));
                });
  return to_numpy(std::move(rows), kMeteorColumns);
}

template <typename Count>
auto scores(In2<Count> statistics, std::string_view language) {
  MeteorScorer score(parameters_of(language));
  if (statistics.shape(1) != kMeteorColumns)
    throw std::invalid_argument("statistics must have the columns METEOR_COLUMNS");
  std::vector<double> result(statistics.shape(0));
  nb::gil_scoped_release release;
  std::array<double, kMeteorColumns> columns;
  for (std::size_t row = 0; row < result.size(); ++row) {
    std::copy_n(statistics.data() + row * kMeteorColumns, columns.size(), columns.begin());
    result[row] = score(columns);
  }
  nb::gil_scoped_acquire acquire;
  return to_numpy(std::move(result));
}

auto pair_scores(const MeteorSentences& sentences, In1<std::int64_t> hypotheses, In1<std::int64_t> references,
                 std::string_view language) {
  MeteorScorer score(parameters_of(language));
  std::vector<double> result(hypotheses.size());
  for_each_pair(sentences, hypotheses, references,
                [&](std::size_t row, std::size_t hypothesis, std::size_t reference, const auto& alignment) {
                  result[row] = score_of(score, meteor_statistics(sentences, hypothesis, reference, alignment));
                });
  return to_numpy(std::move(result));
}

using AlignedSpan = std::tuple<std::size_t, std::size_t, std::size_t, std::size_t, int>;

std::vector<AlignedSpan> alignment(const MeteorSentences& sentences, std::size_t hypothesis, std::size_t reference) {
  if (hypothesis >= sentences.size() || reference >= sentences.size())
    throw std::out_of_range("no sentence has this number");
  MeteorMatcher matcher(sentences);
  MeteorAligner aligner;
  matcher.match(hypothesis, reference);
  std::vector<AlignedSpan> spans;
  for (const auto& [start, match] : aligner.align(matcher))
    spans.emplace_back(match.hypothesis_start, match.hypothesis_length, start, match.reference_length, match.stage);
  return spans;
}

}  // namespace

void bind_meteor(nb::module_& m) {
  static PyObject* const too_much_work =
      PyErr_NewExceptionWithDoc(KATARIBE_MODULE_NAME ".MeteorTooMuchWork",
                                "Two sentences have too many paraphrases in common; the argument is the pair's number.",
                                PyExc_ValueError, nullptr);
  m.attr("MeteorTooMuchWork") = nb::borrow(too_much_work);
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const TooMuchWorkInPair& error) {
      PyErr_SetObject(too_much_work, nb::int_(error.row).ptr());
    }
  });
  nb::class_<MeteorResource>(m, "MeteorResource", "METEOR's English data, memory mapped from a compiled file.")
      .def(nb::init<const std::string&>(), nb::arg("path"), nb::call_guard<nb::gil_scoped_release>())
      .def("verify", &MeteorResource::verify, nb::call_guard<nb::gil_scoped_release>(),
           "Read the whole file and raise if a byte of it has changed since it was built.");

  nb::class_<MeteorResourceBuilder>(m, "MeteorResourceBuilder", "Compiles METEOR's text files into one file.")
      .def(
          "__init__",
          [](MeteorResourceBuilder* self, const nb::bytes& function_words, const nb::bytes& exceptions,
             const nb::bytes& synsets, const nb::bytes& dot_prefixes) {
            new (self) MeteorResourceBuilder(view(function_words), view(exceptions), view(synsets), view(dot_prefixes));
          },
          nb::arg("function_words"), nb::arg("exceptions"), nb::arg("synsets"), nb::arg("dot_prefixes"))
      .def(
          "add_paraphrases",
          [](MeteorResourceBuilder& self, const nb::bytes& piece) {
            const std::string_view bytes = view(piece);
            nb::gil_scoped_release release;
            self.add_paraphrases(bytes);
          },
          nb::arg("piece"), "The next piece of the decompressed paraphrase table, cut anywhere.")
      .def(
          "finish",
          [](MeteorResourceBuilder& self) {
            std::string file;
            {
              nb::gil_scoped_release release;
              file = self.finish();
            }
            return nb::bytes(file.data(), file.size());
          },
          "The bytes of the compiled file. Ends the use of the builder.");

  nb::class_<MeteorSentences>(m, "MeteorSentences",
                              "Sentences prepared for METEOR. Scoring refers to them by their number.")
      .def(
          "__init__",
          [](MeteorSentences* self, std::optional<const MeteorResource*> resource, const nb::list& sentences,
             bool normalized) { new (self) MeteorSentences(prepare(resource, sentences, normalized)); },
          nb::arg("resource").none(), nb::arg("sentences"), nb::arg("normalize"),
          "Without a resource, only equal words match, as in METEOR's `-l other`. With `normalize`, sentences are\n"
          "tokenized and lower-cased as with `-norm`; else they are split at blanks and taken as they are.")
      .def("__len__", &MeteorSentences::size);

  m.def("meteor_statistics", &statistics, nb::arg("sentences"), nb::arg("hypotheses"), nb::arg("references"),
        "One row of METEOR_COLUMNS per pair of sentence numbers. Rows add up to the statistics of a corpus.");
  m.def("meteor_best_statistics", &best_statistics, nb::arg("sentences"), nb::arg("hypotheses"), nb::arg("references"),
        nb::arg("bounds"), nb::arg("language"),
        "For each item, whose pairs are bounds[i] to bounds[i + 1], the row of its best pair, the first of equals.");
  m.def("meteor_scores", &scores<double>, nb::arg("statistics"), nb::arg("language"),
        "The score of each row of statistics. Language: 'en' or 'other'.");
  m.def("meteor_scores", &scores<std::int32_t>, nb::arg("statistics"), nb::arg("language"));
  m.def("meteor_pair_scores", &pair_scores, nb::arg("sentences"), nb::arg("hypotheses"), nb::arg("references"),
        nb::arg("language"), "The score of each pair of sentence numbers.");
  m.def("meteor_alignment", &alignment, nb::arg("sentences"), nb::arg("hypothesis"), nb::arg("reference"),
        "Matched spans: (hypothesis start, its length, reference start, its length, stage).");
  m.def(
      "meteor_normalize",
      [](const MeteorResource& resource, const nb::str& sentence) {
        nb::list one;
        one.append(sentence);
        Lines lines(one, &resource.dot_prefixes());
        nb::gil_scoped_release release;
        return std::string(lines[0]);
      },
      nb::arg("resource"), nb::arg("sentence"), "The tokens METEOR sees in a raw English sentence.");
  m.def(
      "english_stem", [](std::string_view word) { return encode_utf8(english_stem(decode_utf8(word))); },
      nb::arg("word"), "The English Snowball stem, as of Snowball 2.2, of a lower-case word.");
  m.attr("METEOR_STAGES") = nb::make_tuple("exact", "stem", "synonym", "paraphrase");
  nb::list columns;
  for (const std::string_view name : kMeteorColumnNames) columns.append(nb::str(name.data(), name.size()));
  m.attr("METEOR_COLUMNS") = nb::tuple(columns);
}

}  // namespace kataribe
