#include "meteor_sentences.hpp"

#include <algorithm>
#include <stdexcept>

#include "english_stemmer.hpp"
#include "numbering.hpp"
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
  relate_words();
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
  Numbering numbers;  // synset of the resource -> synset of the batch
  std::vector<std::vector<std::uint32_t>> synsets, members;
  for (std::uint32_t word = 0; word < vocabulary.size(); ++word) {
    synsets.push_back(resource.synsets(vocabulary[word]));
    for (std::uint32_t& synset : synsets.back()) {
      synset = numbers.add(synset);
      members.resize(numbers.size());
      members[synset].push_back(word);
    }
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

void MeteorSentences::find_phrases(const MeteorResource& resource, const Interner& vocabulary) {
  constexpr std::uint32_t kNone = MeteorResource::kNone;
  std::vector<std::uint32_t> resource_words, one_word_phrases;
  for (std::uint32_t word = 0; word < vocabulary.size(); ++word) {
    const std::uint32_t known = resource.find_word(vocabulary[word]);
    is_function_[word] = known != kNone && resource.is_function_word(known);
    resource_words.push_back(known);
    one_word_phrases.push_back(known == kNone ? kNone : resource.extend(MeteorResource::kRoot, known));
  }

  Numbering numbers;  // phrase of the resource -> phrase of the batch
  for (std::size_t sentence = 0; sentence < size(); ++sentence) {
    const std::span<const std::uint32_t> words = words_[sentence];
    for (std::size_t start = 0; start < words.size(); ++start) {
      std::uint32_t phrase = one_word_phrases[words[start]];
      for (std::size_t end = start + 1; phrase != kNone; ++end) {
        occurrences_.values.push_back(
            {numbers.add(phrase), static_cast<std::uint16_t>(start), static_cast<std::uint16_t>(end - start)});
        if (end == words.size() || resource_words[words[end]] == kNone) break;
        phrase = resource.extend(phrase, resource_words[words[end]]);
      }
    }
    occurrences_.end_list();
  }

  std::vector<std::vector<RelatedPhrase>> related(numbers.size()), reverse(numbers.size());
  for (std::uint32_t phrase = 0; phrase < numbers.size(); ++phrase) {
    std::uint32_t rank = 0;
    for (const std::uint32_t listed : resource.paraphrases(numbers[phrase])) {
      const std::uint32_t paraphrase = numbers.find(listed);
      if (paraphrase == Numbering::kNone) continue;
      related[phrase].push_back({paraphrase, rank, true});
      reverse[paraphrase].push_back({phrase, rank, false});
      ++rank;
    }
  }
  for (std::size_t phrase = 0; phrase < related.size(); ++phrase) {
    for (const auto* phrases : {&related[phrase], &reverse[phrase]})
      related_phrases_.values.insert(related_phrases_.values.end(), phrases->begin(), phrases->end());
    related_phrases_.end_list();
  }

  // Most phrases have no partner in the batch; forget where they occur.
  std::size_t kept = 0, next = 0;
  for (std::size_t sentence = 0; sentence < size(); ++sentence) {
    for (const std::size_t end = occurrences_.starts[sentence + 1]; next < end; ++next)
      if (!related_phrases_[occurrences_.values[next].phrase].empty())
        occurrences_.values[kept++] = occurrences_.values[next];
    occurrences_.starts[sentence + 1] = kept;
  }
  occurrences_.values.resize(kept);
  occurrences_.values.shrink_to_fit();
}

}  // namespace kataribe
