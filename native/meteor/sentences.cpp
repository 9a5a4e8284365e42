#include "meteor/sentences.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "common/interrupt.hpp"
#include "common/numbering.hpp"
#include "common/utf8.hpp"
#include "meteor/english_stemmer.hpp"
#include "meteor/phrase_trie.hpp"

namespace kataribe {

namespace {
constexpr std::uint64_t kWorkPerSentence = 256;
}

MeteorSentences::MeteorSentences(const MeteorResource* resource, std::size_t count, const Line& line) {
  Vocabulary vocabulary;
  InterruptCheck tick;
  words_.starts.reserve(count + 1);
  for (std::size_t sentence = 0; sentence < count; ++sentence) {
    vocabulary.texts.append_words(line(sentence), words_.values);
    words_.end_list();
    tick(kWorkPerSentence);
    if (words_[words_.size() - 1].size() > kMaxWords)
      throw std::length_error("a sentence has more words than METEOR is computed for (" + std::to_string(kMaxWords) +
                              ")");
  }
  const std::uint32_t word_count = vocabulary.texts.size();
  is_function_.assign(word_count, 0);
  stems_.assign(word_count, kNoStem);
  if (resource) {
    for (std::uint32_t word = 0; word < word_count; ++word) {
      const std::uint32_t known = resource->find_word(vocabulary.texts[word]);
      vocabulary.known.push_back(known);
      is_function_[word] = known != MeteorResource::kNone && resource->is_function_word(known);
    }
    find_stems(*resource, vocabulary);
    find_synonyms(*resource, vocabulary);
    find_phrases(*resource, vocabulary);
  } else {
    synonyms_.starts.resize(word_count + 1);
    occurrences_.starts.resize(size() + 1);
  }
  relate_words();
  for (std::size_t sentence = 0; sentence < size(); ++sentence)
    function_word_counts_.push_back(static_cast<std::int32_t>(
        std::ranges::count_if(words_[sentence], [&](std::uint32_t word) { return is_function_[word] != 0; })));
}

void MeteorSentences::find_stems(const MeteorResource& resource, const Vocabulary& vocabulary) {
  Numbering stems;    // stem of the resource -> stem of the batch
  Interner unknown;   // stems that the resource does not know have numbers after its own
  std::vector<std::uint32_t> uses;
  for (std::uint32_t word = 0; word < word_count(); ++word) {
    std::uint32_t stem;
    if (const std::uint32_t known = vocabulary.known[word]; known != MeteorResource::kNone) {
      stem = resource.stem(known);
    } else {
      const std::string text = encode_utf8(english_stem(decode_utf8(vocabulary.texts[word])));
      stem = resource.find_word(text);
      if (stem == MeteorResource::kNone) stem = static_cast<std::uint32_t>(resource.word_count()) + unknown.add(text);
    }
    stems_[word] = stems.add(stem);
    uses.resize(stems.size());
    ++uses[stems_[word]];
  }
  for (std::uint32_t& stem : stems_)
    if (uses[stem] < 2) stem = kNoStem;
  stem_count_ = stems.size();
}

void MeteorSentences::find_synonyms(const MeteorResource& resource, const Vocabulary& vocabulary) {
  Numbering numbers;  // synset of the resource -> synset of the batch
  Lists<std::uint32_t> synsets, members;
  for (std::uint32_t word = 0; word < word_count(); ++word) {
    const std::uint32_t known = vocabulary.known[word];
    for (const std::uint32_t synset :
         known == MeteorResource::kNone ? resource.synsets_of_unknown(vocabulary.texts[word]) : resource.synsets(known))
      synsets.values.push_back(numbers.add(synset));
    synsets.end_list();
  }
  members.starts.assign(numbers.size() + 1, 0);
  for (const std::uint32_t synset : synsets.values) ++members.starts[synset + 1];
  std::partial_sum(members.starts.begin(), members.starts.end(), members.starts.begin());
  members.values.resize(synsets.values.size());
  std::vector<std::size_t> next(members.starts.begin(), members.starts.end() - 1);
  for (std::uint32_t word = 0; word < word_count(); ++word)
    for (const std::uint32_t synset : synsets[word]) members.values[next[synset]++] = word;

  std::vector<std::uint32_t> listed_for(word_count(), MeteorResource::kNone);  // the last word that has it as a synonym
  for (std::uint32_t word = 0; word < word_count(); ++word) {
    listed_for[word] = word;
    for (const std::uint32_t synset : synsets[word])
      for (const std::uint32_t member : members[synset])
        if (std::exchange(listed_for[member], word) != word) synonyms_.values.push_back(member);
    synonyms_.end_list();
  }
}

void MeteorSentences::relate_words() {
  std::vector<std::vector<std::uint32_t>> same_stem(stem_count_);
  for (std::uint32_t word = 0; word < word_count(); ++word)
    if (stems_[word] != kNoStem) same_stem[stems_[word]].push_back(word);
  const auto append = [&](std::span<const std::uint32_t> words) {
    related_words_.values.insert(related_words_.values.end(), words.begin(), words.end());
  };
  for (std::uint32_t word = 0; word < word_count(); ++word) {
    if (stems_[word] == kNoStem) {
      related_words_.values.push_back(word);
    } else {
      append(same_stem[stems_[word]]);
    }
    append(synonyms_[word]);
    related_words_.end_list();
  }
}

namespace {

class BitSet {
 public:
  explicit BitSet(std::size_t items) : bits_(items / 64 + 1) {}
  void add(std::size_t item) { bits_.at(item / 64) |= std::uint64_t{1} << item % 64; }
  bool has(std::size_t item) const { return item / 64 < bits_.size() && (bits_[item / 64] >> item % 64 & 1) != 0; }

 private:
  std::vector<std::uint64_t> bits_;
};

// Which words may follow a phrase, in a few bits: a no is certain and a yes is not. Most answers are no, and looking
// into the resource for them would take several times as long.
class Followers {
 public:
  explicit Followers(std::size_t questions) {
    const int bits = std::clamp(static_cast<int>(std::bit_width(4 * questions)), 12, 26);
    shift_ = 64 - (bits - 6);
    bits_.resize(std::size_t{1} << (bits - 6));
  }
  void add(std::uint32_t phrase, std::uint32_t word) {
    const std::uint64_t hash = hash_of(phrase, word);
    bits_[hash >> shift_] |= two_bits(hash);
  }
  bool may_have(std::uint32_t phrase, std::uint32_t word) const {
    const std::uint64_t hash = hash_of(phrase, word);
    return (bits_[hash >> shift_] & two_bits(hash)) == two_bits(hash);
  }

 private:
  static std::uint64_t hash_of(std::uint32_t phrase, std::uint32_t word) {
    return phrase * 0x9E3779B97F4A7C15u + word * 0xD6E8FEB86659FD93u;
  }
  // Two bits of one integer: fewer false answers than one bit gives, for the same memory and as many cache misses.
  static std::uint64_t two_bits(std::uint64_t hash) {
    return std::uint64_t{1} << (hash >> 32) % 64 | std::uint64_t{1} << (hash >> 26) % 64;
  }
  int shift_ = 0;
  std::vector<std::uint64_t> bits_;
};

}  // namespace

void MeteorSentences::find_phrases(const MeteorResource& resource, const Vocabulary& vocabulary) {
  constexpr std::uint32_t kNone = MeteorResource::kNone;
  const std::vector<std::uint32_t>& known = vocabulary.known;
  BitSet known_words(resource.word_count());
  for (const std::uint32_t word : known)
    if (word != kNone) known_words.add(word);

  PhraseTrie phrases;  // those of the batch; and their numbers in the resource:
  std::vector<std::uint32_t> known_phrases{MeteorResource::kRoot};
  Followers followers(words_.values.size());
  const auto discover = [&](std::uint32_t phrase, std::uint32_t word) {
    if (known[word] == kNone) return kNone;
    const std::uint32_t longer = resource.extend(known_phrases[phrase], known[word]);
    if (longer == kNone) return kNone;
    const std::uint32_t number = phrases.add(phrase, word);
    known_phrases.push_back(longer);
    for (const std::uint32_t follower : resource.followers(longer))
      if (known_words.has(follower)) followers.add(number, follower);
    return number;
  };
  std::vector<std::uint32_t> one_word_phrases(word_count());
  for (std::uint32_t word = 0; word < word_count(); ++word) one_word_phrases[word] = discover(0, word);

  occurrences_.values.reserve(2 * words_.values.size());  // about as many as there are
  occurrences_.starts.reserve(size() + 1);
  InterruptCheck tick;
  for (std::size_t sentence = 0; sentence < size(); ++sentence) {
    tick(kWorkPerSentence);
    const std::span<const std::uint32_t> words = words_[sentence];
    for (std::size_t start = 0; start < words.size(); ++start) {
      std::uint32_t phrase = one_word_phrases[words[start]];
      for (std::size_t end = start + 1; phrase != kNone; ++end) {
        occurrences_.values.push_back(
            {phrase, static_cast<std::uint16_t>(start), static_cast<std::uint16_t>(end - start)});
        if (end == words.size() || !followers.may_have(phrase, known[words[end]])) break;
        const std::uint32_t longer = phrases.find(phrase, words[end]);
        phrase = longer == PhraseTrie::kNone ? discover(phrase, words[end]) : longer;
      }
    }
    occurrences_.end_list();
  }
  relate_phrases(resource, known_phrases);
}

void MeteorSentences::relate_phrases(const MeteorResource& resource, std::span<const std::uint32_t> known_phrases) {
  Numbering numbers;
  BitSet is_known(resource.phrase_count());
  for (const std::uint32_t phrase : known_phrases) {
    numbers.add(phrase);
    is_known.add(phrase);
  }
  struct Relation {
    std::uint32_t phrase, paraphrase, rank;
  };
  std::vector<Relation> relations;
  for (std::uint32_t phrase = 0; phrase < known_phrases.size(); ++phrase) {
    std::uint32_t rank = 0;
    for (const std::uint32_t listed : resource.paraphrases(known_phrases[phrase]))
      if (is_known.has(listed)) relations.push_back({phrase, numbers.find(listed), rank++});
  }

  // Most phrases have no partner in the batch: only the others get a number, and are remembered where they occur.
  constexpr std::uint32_t kNoPartner = UINT32_MAX;
  std::vector<std::uint32_t> partners(known_phrases.size()), number(known_phrases.size(), kNoPartner);
  for (const Relation& relation : relations) ++partners[relation.phrase], ++partners[relation.paraphrase];
  for (std::size_t phrase = 0; phrase < partners.size(); ++phrase) {
    if (partners[phrase] == 0) continue;
    number[phrase] = static_cast<std::uint32_t>(related_phrases_.size());
    related_phrases_.starts.push_back(related_phrases_.starts.back() + partners[phrase]);
  }
  related_phrases_.values.resize(related_phrases_.starts.back());
  std::vector<std::size_t> next(related_phrases_.starts.begin(), related_phrases_.starts.end() - 1);
  for (const auto& [phrase, paraphrase, rank] : relations)
    related_phrases_.values[next[number[phrase]]++] = {number[paraphrase], rank, true};
  for (const auto& [phrase, paraphrase, rank] : relations)
    related_phrases_.values[next[number[paraphrase]]++] = {number[phrase], rank, false};

  std::size_t kept = 0, at = 0;
  for (std::size_t sentence = 0; sentence < size(); ++sentence) {
    for (const std::size_t end = occurrences_.starts[sentence + 1]; at < end; ++at) {
      const PhraseOccurrence occurrence = occurrences_.values[at];
      occurrences_.values[kept] = {number[occurrence.phrase], occurrence.start, occurrence.length};
      kept += number[occurrence.phrase] != kNoPartner;
    }
    occurrences_.starts[sentence + 1] = kept;
  }
  occurrences_.values.resize(kept);
  occurrences_.values.shrink_to_fit();
}

}  // namespace kataribe
