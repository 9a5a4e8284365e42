#include "meteor/builder.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <span>
#include <stdexcept>

#include "common/interrupt.hpp"
#include "common/utf8.hpp"
#include "meteor/detachment.hpp"
#include "meteor/english_stemmer.hpp"
#include "meteor/format.hpp"

namespace kataribe {

namespace format = meteor_format;

namespace {

// Cuts the next piece, up to `separator` or the end, off `text`.
std::string_view take(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view piece = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return piece;
}

std::string_view take_line(std::string_view& text) {
  std::string_view line = take(text, '\n');
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// (key, value) pairs -> the values of each key, in the order of the pairs.
struct Grouped {
  std::vector<std::uint32_t> starts, values;
};

Grouped group(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs, std::uint32_t key_count) {
  Grouped grouped{std::vector<std::uint32_t>(key_count + 1), std::vector<std::uint32_t>(pairs.size())};
  for (const auto& pair : pairs) ++grouped.starts[pair.first + 1];
  std::partial_sum(grouped.starts.begin(), grouped.starts.end(), grouped.starts.begin());
  std::vector<std::uint32_t> next(grouped.starts.begin(), grouped.starts.end() - 1);
  for (const auto& [key, value] : pairs) grouped.values[next[key]++] = value;
  return grouped;
}

std::span<const std::uint32_t> values_of(const Grouped& grouped, std::uint32_t key) {
  return std::span(grouped.values).subspan(grouped.starts[key], grouped.starts[key + 1] - grouped.starts[key]);
}

// The synsets METEOR gives each word: those of its own entry, and of the entries of its base forms.
Grouped synsets_of_all_forms(const Interner& words, const Grouped& entries, const Grouped& bases) {
  Grouped synsets{{0}, {}};
  for (std::uint32_t word = 0; word < words.size(); ++word) {
    const auto first = static_cast<std::ptrdiff_t>(synsets.values.size());
    const auto append_entry = [&](std::uint32_t form) {
      const std::span<const std::uint32_t> entry = values_of(entries, form);
      synsets.values.insert(synsets.values.end(), entry.begin(), entry.end());
      return !entry.empty();
    };
    append_entry(word);
    for (const std::uint32_t base : values_of(bases, word)) append_entry(base);
    if (values_of(bases, word).empty())
      detach_ending(words[word], [&](std::string_view base) {
        const std::uint32_t found = words.find(base);
        return found != Interner::kNone && append_entry(found);
      });
    std::sort(synsets.values.begin() + first, synsets.values.end());
    synsets.values.erase(std::unique(synsets.values.begin() + first, synsets.values.end()), synsets.values.end());
    synsets.starts.push_back(static_cast<std::uint32_t>(synsets.values.size()));
  }
  return synsets;
}

class Writer {
 public:
  explicit Writer(std::size_t expected_size) {
    file_.reserve(expected_size);
    file_.resize(sizeof(format::Header));
  }

  template <typename Values>
  void add(format::Section section, const Values& values) {
    const std::size_t size = values.size() * sizeof(*values.data());
    header_.sections[section] = {file_.size(), size};
    file_.append(reinterpret_cast<const char*>(values.data()), size);
    file_.append((8 - file_.size() % 8) % 8, '\0');
  }

  std::string finish() {
    const std::string_view content = std::string_view(file_).substr(sizeof(format::Header));
    header_.magic = format::kMagic;
    header_.version = format::kVersion;
    header_.byte_order = 1;
    header_.file_size = file_.size();
    header_.sample_checksum = format::checksum(content, format::kSample);
    header_.full_checksum = format::checksum(content, format::kEveryByte);
    header_.header_checksum = format::header_checksum(header_);
    std::memcpy(file_.data(), &header_, sizeof header_);
    return std::move(file_);
  }

 private:
  format::Header header_{};
  std::string file_;
};

}  // namespace

MeteorResourceBuilder::MeteorResourceBuilder(std::string_view function_words, std::string_view exceptions,
                                             std::string_view synsets, std::string_view dot_prefixes)
    : dot_prefixes_(dot_prefixes) {
  while (!function_words.empty())
    if (const std::string_view word = take_line(function_words); !word.empty()) words_.add(word);
  function_word_count_ = words_.size();

  // Two lines each: a base form, then its irregular forms.
  while (!exceptions.empty()) {
    const std::uint32_t base = words_.add(take_line(exceptions));
    std::string_view forms = take_line(exceptions);
    while (!forms.empty())
      if (const std::string_view form = take(forms, ' '); !form.empty()) bases_.emplace_back(words_.add(form), base);
  }

  // Two lines each: a word, then its synsets.
  while (!synsets.empty()) {
    const std::uint32_t word = words_.add(take_line(synsets));
    std::string_view numbers = take_line(synsets);
    while (!numbers.empty()) {
      const std::string_view number = take(numbers, ' ');
      std::uint32_t synset = 0;
      if (number.empty()) continue;
      if (std::from_chars(number.data(), number.data() + number.size(), synset).ec != std::errc{})
        throw std::invalid_argument("METEOR's synset list holds something that is not a number");
      synsets_.emplace_back(word, synset);
    }
  }
}

void MeteorResourceBuilder::add_paraphrases(std::string_view piece) {
  while (true) {
    const std::size_t end = piece.find('\n');
    if (end == std::string_view::npos) break;
    if (partial_line_.empty()) {
      add_line(piece.substr(0, end));
    } else {
      partial_line_.append(piece.substr(0, end));
      add_line(partial_line_);
      partial_line_.clear();
    }
    piece.remove_prefix(end + 1);
  }
  partial_line_.append(piece);
}

// Three lines each: a probability, which METEOR does not use, a phrase and its paraphrase.
void MeteorResourceBuilder::add_line(std::string_view line) {
  switch (line_count_++ % 3) {
    case 1:
      if (line != last_source_text_) {  // the table lists the paraphrases of a phrase together
        last_source_ = phrase(line);
        last_source_text_ = line;
      }
      break;
    case 2:
      paraphrases_.emplace_back(last_source_, phrase(line));
      break;
  }
}

std::uint32_t MeteorResourceBuilder::phrase(std::string_view words) {
  std::uint32_t phrase = 0;
  while (!words.empty())
    if (const std::string_view word = take(words, ' '); !word.empty()) phrase = phrases_.add(phrase, words_.add(word));
  return phrase;
}

// Old phrase number -> its place in breadth-first order, children in word order.
std::vector<std::uint32_t> MeteorResourceBuilder::number_breadth_first() const {
  const std::uint32_t count = phrases_.size();
  std::vector<Pair> by_parent;
  by_parent.reserve(count);
  for (std::uint32_t phrase = 1; phrase < count; ++phrase) by_parent.emplace_back(phrases_.parent(phrase), phrase);
  Grouped children = group(by_parent, count);
  by_parent = {};

  std::vector<std::uint32_t> order{0}, number(count);
  order.reserve(count);
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    number[order[i]] = i;
    const auto begin = children.values.begin() + children.starts[order[i]];
    const auto end = children.values.begin() + children.starts[order[i] + 1];
    std::sort(begin, end, [&](auto a, auto b) { return phrases_.word(a) < phrases_.word(b); });
    order.insert(order.end(), begin, end);
  }
  return number;
}

// The stem of each word, which becomes a word if it is none.
std::vector<std::uint32_t> MeteorResourceBuilder::stem_words() {
  std::vector<std::uint32_t> stems;
  while (stems.size() < words_.size()) {
    const std::string_view word = words_[static_cast<std::uint32_t>(stems.size())];
    stems.push_back(words_.add(encode_utf8(english_stem(decode_utf8(word)))));
  }
  return stems;
}

std::string MeteorResourceBuilder::finish() {
  if (!partial_line_.empty()) add_line(std::exchange(partial_line_, {}));
  if (line_count_ == 0 || line_count_ % 3 != 0)
    throw std::invalid_argument("METEOR's paraphrase table ends in the middle of an entry");
  phrases_.release_index();

  const std::vector<std::uint32_t> stems = stem_words();
  const std::uint32_t word_count = words_.size(), phrase_count = phrases_.size();
  const std::vector<std::uint32_t> number = number_breadth_first();
  std::vector<std::uint32_t> trie_words(phrase_count), trie_children(phrase_count + 1);
  for (std::uint32_t phrase = 1; phrase < phrase_count; ++phrase) {
    trie_words[number[phrase]] = phrases_.word(phrase);
    ++trie_children[number[phrases_.parent(phrase)] + 1];
  }
  trie_children[0] = 1;  // the root's first child comes right after the root
  std::partial_sum(trie_children.begin(), trie_children.end(), trie_children.begin());
  for (auto& [source, target] : paraphrases_) source = number[source], target = number[target];
  look_for_interrupt();
  const Grouped paraphrases = group(paraphrases_, phrase_count);
  paraphrases_ = {};
  look_for_interrupt();

  std::vector<std::uint32_t> word_starts{0};
  std::string word_bytes;
  for (std::uint32_t word = 0; word < word_count; ++word) {
    word_bytes += words_[word];
    word_starts.push_back(static_cast<std::uint32_t>(word_bytes.size()));
  }
  std::vector<std::uint8_t> function_words(word_count);
  std::fill_n(function_words.begin(), function_word_count_, std::uint8_t{1});
  const Grouped entries = group(synsets_, word_count), bases = group(bases_, word_count);
  const Grouped synsets = synsets_of_all_forms(words_, entries, bases);

  Writer writer(std::size_t{4} * (3 * phrase_count + paraphrases.values.size()) + (std::size_t{16} << 20));
  writer.add(format::kWordStarts, word_starts);
  writer.add(format::kWordBytes, word_bytes);
  writer.add(format::kWordSlots, words_.slots());
  writer.add(format::kFunctionWords, function_words);
  writer.add(format::kStems, stems);
  writer.add(format::kEntryStarts, entries.starts);
  writer.add(format::kEntries, entries.values);
  writer.add(format::kSynsetStarts, synsets.starts);
  writer.add(format::kSynsets, synsets.values);
  writer.add(format::kTrieWords, trie_words);
  writer.add(format::kTrieChildren, trie_children);
  writer.add(format::kParaphraseStarts, paraphrases.starts);
  writer.add(format::kParaphrases, paraphrases.values);
  writer.add(format::kDotPrefixes, dot_prefixes_);
  return writer.finish();
}

}  // namespace kataribe
