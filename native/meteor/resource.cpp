#include "meteor/resource.hpp"

#include <algorithm>
#include <bit>

#include "common/interner.hpp"
#include "common/utf8.hpp"
#include "meteor/detachment.hpp"

namespace kataribe {

namespace format = meteor_format;

namespace {

DotPrefixes parse_dot_prefixes(std::string_view lines) {
  constexpr std::string_view kNumericOnly = "#NUMERIC_ONLY#";
  DotPrefixes prefixes;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    const std::string_view word = line.substr(0, line.find_first_of(" \t\r"));
    if (word.empty() || word.front() == '#') continue;
    const bool numeric = line.find(kNumericOnly) != std::string_view::npos;
    prefixes[decode_utf8(word)] = numeric ? KeepsDot::kBeforeNumber : KeepsDot::kAlways;
  }
  return prefixes;
}

}  // namespace

void MeteorResource::fail(const char* why) {
  throw std::runtime_error(std::string("the METEOR resource is damaged: ") + why);
}

const format::Header& MeteorResource::header() const {
  return *reinterpret_cast<const format::Header*>(file_.bytes().data());
}

template <typename T>
std::span<const T> MeteorResource::section(format::Section which) const {
  const auto [offset, size] = header().sections[which];
  const std::string_view bytes = file_.bytes();
  if (offset % 8 != 0 || size % sizeof(T) != 0 || offset > bytes.size() || size > bytes.size() - offset)
    fail("a section lies outside the file");
  return {reinterpret_cast<const T*>(bytes.data() + offset), size / sizeof(T)};
}

MeteorResource::MeteorResource(const std::string& path) : file_(path) {
  const std::string_view bytes = file_.bytes();
  if (bytes.size() < sizeof(format::Header) || header().magic != format::kMagic)
    fail("the file does not begin with a header");
  if (header().version != format::kVersion || header().byte_order != 1)
    fail("it was built by another version or on another kind of machine");
  if (header().header_checksum != format::header_checksum(header())) fail("the header does not match its checksum");
  if (header().file_size != bytes.size()) fail("the file is incomplete");
  if (header().sample_checksum != format::checksum(bytes.substr(sizeof(format::Header)), format::kSample))
    fail("a sample of its content does not match its checksum");

  word_starts_ = section<std::uint32_t>(format::kWordStarts);
  word_bytes_ = section<char>(format::kWordBytes);
  word_slots_ = section<std::uint32_t>(format::kWordSlots);
  function_words_ = section<std::uint8_t>(format::kFunctionWords);
  stems_ = section<std::uint32_t>(format::kStems);
  entry_starts_ = section<std::uint32_t>(format::kEntryStarts);
  entries_ = section<std::uint32_t>(format::kEntries);
  synset_starts_ = section<std::uint32_t>(format::kSynsetStarts);
  synsets_ = section<std::uint32_t>(format::kSynsets);
  trie_words_ = section<std::uint32_t>(format::kTrieWords);
  trie_children_ = section<std::uint32_t>(format::kTrieChildren);
  paraphrase_starts_ = section<std::uint32_t>(format::kParaphraseStarts);
  paraphrases_ = section<std::uint32_t>(format::kParaphrases);
  if (!std::has_single_bit(word_slots_.size())) fail("the word table has an impossible size");
  const std::span<const char> prefixes = section<char>(format::kDotPrefixes);
  dot_prefixes_ = parse_dot_prefixes({prefixes.data(), prefixes.size()});
}

void MeteorResource::verify() const {
  const std::string_view content = file_.bytes().substr(sizeof(format::Header));
  if (header().full_checksum != format::checksum(content, format::kEveryByte))
    fail("its content does not match its checksum");
}

std::string_view MeteorResource::word_text(std::uint32_t word) const {
  const std::span<const char> text = slice(word_bytes_, word_starts_, word);
  return {text.data(), text.size()};
}

std::uint32_t MeteorResource::find_word(std::string_view word) const {
  const std::size_t mask = word_slots_.size() - 1;
  std::size_t slot = hash_bytes(word) & mask;
  for (std::size_t tries = 0; tries <= mask; ++tries) {
    const std::uint32_t found = word_slots_[slot];
    if (found == Interner::kNone) return kNone;
    if (word_text(found) == word) return found;
    slot = (slot + 1) & mask;
  }
  fail("the word table has no empty slot");
}

std::uint32_t MeteorResource::extend(std::uint32_t phrase, std::uint32_t word) const {
  const std::uint32_t begin = at(trie_children_, phrase), end = at(trie_children_, std::size_t{phrase} + 1);
  if (begin > end || end > trie_words_.size()) fail("a phrase has impossible children");
  const auto first = trie_words_.begin() + begin, last = trie_words_.begin() + end;
  const auto found = std::lower_bound(first, last, word);
  return found != last && *found == word ? begin + static_cast<std::uint32_t>(found - first) : kNone;
}

std::span<const std::uint32_t> MeteorResource::synsets_of_unknown(std::string_view text) const {
  std::span<const std::uint32_t> entry;
  detach_ending(text, [&](std::string_view base) {
    const std::uint32_t word = find_word(base);
    if (word != kNone) entry = slice(entries_, entry_starts_, word);
    return !entry.empty();
  });
  return entry;
}

}  // namespace kataribe
