#include "meteor_sentences.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

#include "english_stemmer.hpp"
#include "utf8.hpp"

namespace kataribe {

MeteorSentences::MeteorSentences(const MeteorResource* resource, std::span<const std::string> lines) {
  Interner vocabulary;
  for (const std::string& line : lines) {
    constexpr const char* kBlanks = " \t\n\r\f";  // other blanks, such as the no-break space, are part of a token
    std::size_t start = line.find_first_not_of(kBlanks);
    while (start != std::string::npos) {
      const std::size_t end = std::min(line.find_first_of(kBlanks, start), line.size());
      words_.values.push_back(vocabulary.add(std::string_view(line).substr(start, end - start)));
      start = line.find_first_not_of(kBlanks, end);
    }
    words_.end_list();
    if (words_[words_.size() - 1].size() > kMaxWords)
      throw std::length_error("a sentence has more words than METEOR is computed for (" + std::to_string(kMaxWords) +
                              ")");
  }
  is_function_.assign(vocabulary.size(), 0);
  stems_.assign(vocabulary.size(), kNoStem);
  if (resource) {
    find_stems(vocabulary);
    find_synonyms(*resource, vocabulary);
    find_phrases(*resource, vocabulary);
  } else {
    synonyms_.starts.resize(vocabulary.size() + 1);
    occurrences_.starts.resize(size() + 1);
  }
}

void MeteorSentences::find_stems(const Interner& vocabulary) {
  Interner stems;
  std::vector<std::uint32_t> uses;
  for (std::uint32_t word = 0; word < vocabulary.size(); ++word) {
    stems_[word] = stems.add(encode_utf8(english_stem(decode_utf8(vocabulary[word]))));
    uses.resize(stems.size());
    ++uses[stems_[word]];
  }
  for (std::uint32_t& stem : stems_)
    if (uses[stem] < 2) stem = kNoStem;
  stem_count_ = stems.size();
}

void MeteorSentences::find_synonyms(const MeteorResource& resource, const Interner& vocabulary) {
  std::vector<std::vector<std::uint32_t>> synsets;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> members;
  for (std::uint32_t word = 0; word < vocabulary.size(); ++word) {
    synsets.push_back(resource.synsets(vocabulary[word]));
    for (const std::uint32_t synset : synsets.back()) members[synset].push_back(word);
  }
  std::vector<std::uint32_t> synonyms;
  for (std::uint32_t word = 0; word < vocabulary.size(); ++word) {
    synonyms.clear();
    for (const std::uint32_t synset : synsets[word])
      for (const std::uint32_t member : members[synset])
        if (member != word) synonyms.push_back(member);
    std::sort(synonyms.begin(), synonyms.end());
    const auto end = std::unique(synonyms.begin(), synonyms.end());
    synonyms_.values.insert(synonyms_.values.end(), synonyms.begin(), end);
    synonyms_.end_list();
  }
}

void MeteorSentences::find_phrases(const MeteorResource& resource, const Interner& vocabulary) {
  constexpr std::uint32_t kNone = MeteorResource::kNone;
  std::vector<std::uint32_t> resource_words, one_word_phrases;
  for (std::uint32_t word = 0; word < vocabulary.size(); ++word) {
    const std::uint32_t known = resource.find_word(vocabulary[word]);
    is_function_[word] = known != kNone && resource.is_function_word(known);
    resource_words.push_back(known);
    one_word_phrases.push_back(known == kNone ? kNone : resource.extend(MeteorResource::kRoot, known));
  }

  std::unordered_map<std::uint32_t, std::uint32_t> numbers;  // phrase of the resource -> phrase of the batch
  std::vector<std::uint32_t> batch_phrases;
  for (std::size_t sentence = 0; sentence < size(); ++sentence) {
    const std::span<const std::uint32_t> words = words_[sentence];
    for (std::size_t start = 0; start < words.size(); ++start) {
      std::uint32_t phrase = one_word_phrases[words[start]];
      for (std::size_t end = start + 1; phrase != kNone; ++end) {
        const auto [entry, is_new] = numbers.try_emplace(phrase, static_cast<std::uint32_t>(numbers.size()));
        if (is_new) batch_phrases.push_back(phrase);
        occurrences_.values.push_back(
            {entry->second, static_cast<std::uint16_t>(start), static_cast<std::uint16_t>(end - start)});
        if (end == words.size() || resource_words[words[end]] == kNone) break;
        phrase = resource.extend(phrase, resource_words[words[end]]);
      }
    }
    occurrences_.end_list();
  }

  std::vector<std::uint8_t> is_useful(batch_phrases.size());
  for (std::size_t phrase = 0; phrase < batch_phrases.size(); ++phrase) {
    for (const std::uint32_t paraphrase : resource.paraphrases(batch_phrases[phrase])) {
      const auto entry = numbers.find(paraphrase);
      if (entry == numbers.end()) continue;
      paraphrases_.values.push_back(entry->second);
      is_useful[phrase] = is_useful[entry->second] = 1;
    }
    paraphrases_.end_list();
  }

  // Most phrases have no partner in the batch; forget where they occur.
  std::size_t kept = 0, next = 0;
  for (std::size_t sentence = 0; sentence < size(); ++sentence) {
    for (const std::size_t end = occurrences_.starts[sentence + 1]; next < end; ++next)
      if (is_useful[occurrences_.values[next].phrase]) occurrences_.values[kept++] = occurrences_.values[next];
    occurrences_.starts[sentence + 1] = kept;
  }
  occurrences_.values.resize(kept);
  occurrences_.values.shrink_to_fit();
  find_related();
}

void MeteorSentences::find_related() {
  std::vector<std::vector<std::uint32_t>> related(phrase_count());
  for (std::uint32_t phrase = 0; phrase < phrase_count(); ++phrase)
    for (const std::uint32_t paraphrase : paraphrases_[phrase]) {
      related[phrase].push_back(paraphrase);
      related[paraphrase].push_back(phrase);
    }
  for (std::vector<std::uint32_t>& phrases : related) {
    std::sort(phrases.begin(), phrases.end());
    related_.values.insert(related_.values.end(), phrases.begin(), std::unique(phrases.begin(), phrases.end()));
    related_.end_list();
  }
}

}  // namespace kataribe
