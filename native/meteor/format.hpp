// The layout of the compiled METEOR resource: a header, then one array per section.
//
// Words are numbered. Phrases are the nodes of a trie over words, numbered breadth first with the children of a
// node in word order, so the children of node k are [kTrieChildren[k], kTrieChildren[k + 1]). Node 0 is the root.
// The paraphrases of node k are kParaphrases[kParaphraseStarts[k] .. kParaphraseStarts[k + 1]), as node numbers in
// the order of METEOR's table, which decides between equal alignments. All "starts" arrays have one more element
// than what they index.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace kataribe::meteor_format {

// Bump the version whenever the content or its meaning changes: files of another version are rebuilt.
constexpr std::uint32_t kVersion = 2;
constexpr std::array<char, 8> kMagic = {'K', 'T', 'M', 'E', 'T', 'E', 'O', 'R'};

enum Section : std::uint32_t {
  kWordStarts,        // u32: where each word begins in kWordBytes
  kWordBytes,         // UTF-8
  kWordSlots,         // u32: hash table of word numbers, as class Interner lays it out
  kFunctionWords,     // u8 per word: 1 if METEOR counts it as a function word
  kStems,             // u32 per word: the number of its stem, which is a word too
  kEntryStarts,       // u32 per word
  kEntries,           // u32: the WordNet synsets listed for this very word
  kSynsetStarts,      // u32 per word
  kSynsets,           // u32: the synsets METEOR gives the word, its base forms considered; sorted, without repeats
  kTrieWords,         // u32: the last word of each phrase
  kTrieChildren,      // u32
  kParaphraseStarts,  // u32
  kParaphrases,       // u32
  kDotPrefixes,       // the text of METEOR's list of abbreviations
  kSectionCount,
};

struct Extent {
  std::uint64_t offset, size;  // in bytes; offsets are multiples of eight
};

struct Header {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t byte_order;  // 1 as the building machine wrote it
  std::uint64_t file_size;
  std::uint64_t sample_checksum;
  std::uint64_t full_checksum;
  std::array<Extent, kSectionCount> sections;
  std::uint64_t header_checksum;  // of all bytes of the header before this field
};
static_assert(sizeof(Header) == 8 + 8 + 24 + 16 * kSectionCount + 8, "the header must not have padding");

// Eight bytes out of every `stride`: with stride 8, all of them.
inline std::uint64_t checksum(std::string_view bytes, std::size_t stride) {
  std::uint64_t sum = 0x9E3779B97F4A7C15u ^ bytes.size();
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += stride) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + at, 8);
    sum = (sum ^ word) * 0xD6E8FEB86659FD93u;
    sum ^= sum >> 32;
  }
  return sum;
}
constexpr std::size_t kEveryByte = 8;
// Touches one page in sixteen: finds zeroed or overwritten stretches of a file without reading all of it.
constexpr std::size_t kSample = 1 << 16;

inline std::uint64_t header_checksum(const Header& header) {
  return checksum({reinterpret_cast<const char*>(&header), offsetof(Header, header_checksum)}, kEveryByte);
}

}  // namespace kataribe::meteor_format
