// The English Snowball stemmer, after its published definition (snowballstem.org/algorithms/english).
// Snowball 3.0 changed the algorithm; METEOR 1.5 is older, so this is the one of Snowball 2.2 and before.
#include "meteor/english_stemmer.hpp"

#include <span>
#include <utility>

namespace kataribe {
namespace {

using View = std::u32string_view;

bool is_vowel(char32_t c) { return View(U"aeiouy").find(c) != View::npos; }

struct Rule {
  View suffix, replacement;
};

constexpr Rule kWholeWords[] = {
    {U"skis", U"ski"},      {U"skies", U"sky"},    {U"dying", U"die"},   {U"lying", U"lie"},   {U"tying", U"tie"},
    {U"idly", U"idl"},      {U"gently", U"gentl"}, {U"ugly", U"ugli"},   {U"early", U"earli"}, {U"only", U"onli"},
    {U"singly", U"singl"},  {U"sky", U"sky"},      {U"news", U"news"},   {U"howe", U"howe"},   {U"atlas", U"atlas"},
    {U"cosmos", U"cosmos"}, {U"bias", U"bias"},    {U"andes", U"andes"},
};

constexpr View kUnchangedAfterPlural[] = {U"inning",  U"outing",  U"canning", U"herring",
                                          U"earring", U"proceed", U"exceed",  U"succeed"};

// Rules are listed so that the longest suffix that fits comes first.
constexpr Rule kStep2[] = {
    {U"ational", U"ate"}, {U"fulness", U"ful"}, {U"iveness", U"ive"}, {U"ization", U"ize"}, {U"ousness", U"ous"},
    {U"biliti", U"ble"},  {U"lessli", U"less"}, {U"tional", U"tion"}, {U"alism", U"al"},    {U"aliti", U"al"},
    {U"ation", U"ate"},   {U"entli", U"ent"},   {U"fulli", U"ful"},   {U"iviti", U"ive"},   {U"ousli", U"ous"},
    {U"abli", U"able"},   {U"alli", U"al"},     {U"anci", U"ance"},   {U"ator", U"ate"},    {U"enci", U"ence"},
    {U"izer", U"ize"},    {U"bli", U"ble"},     {U"ogi", U"og"},      {U"li", U""},
};
constexpr Rule kStep3[] = {
    {U"ational", U"ate"}, {U"tional", U"tion"}, {U"alize", U"al"}, {U"ative", U""}, {U"icate", U"ic"},
    {U"iciti", U"ic"},    {U"ical", U"ic"},     {U"ness", U""},    {U"ful", U""},
};
constexpr Rule kStep4[] = {
    {U"ement", U""}, {U"able", U""}, {U"ance", U""}, {U"ence", U""}, {U"ible", U""}, {U"ment", U""},
    {U"ant", U""},   {U"ate", U""},  {U"ent", U""},  {U"ion", U""},  {U"ism", U""},  {U"iti", U""},
    {U"ive", U""},   {U"ize", U""},  {U"ous", U""},  {U"al", U""},   {U"er", U""},   {U"ic", U""},
};

class Stemming {
 public:
  explicit Stemming(View word) : word_(word) {}

  std::u32string run() {
    mark_consonant_y();
    find_regions();
    remove_plural();
    for (const View unchanged : kUnchangedAfterPlural)
      if (word_ == unchanged) return finish();
    remove_past_and_gerund();
    replace_final_y();
    derive(kStep2);
    derive(kStep3);
    derive(kStep4);
    remove_final_e_or_l();
    return finish();
  }

 private:
  bool ends_with(View suffix) const { return View(word_).ends_with(suffix); }
  void cut(std::size_t count) { word_.resize(word_.size() - count); }
  void replace(std::size_t count, View by) {
    cut(count);
    word_ += by;
  }
  // Does a suffix of this length lie in the region that starts at `region`?
  bool lies_in(std::size_t region, std::size_t length) const { return word_.size() - length >= region; }
  // A character that is no vowel, then a vowel, then one that is neither vowel nor w, x, Y; or a whole word of
  // two characters, the first of them a vowel.
  bool ends_short(std::size_t end) const {
    if (end < 2 || is_vowel(word_[end - 1]) || !is_vowel(word_[end - 2])) return false;
    if (end == 2) return true;
    return View(U"wxY").find(word_[end - 1]) == View::npos && !is_vowel(word_[end - 3]);
  }
  bool has_vowel_before(std::size_t end) const {
    for (std::size_t i = 0; i < end; ++i)
      if (is_vowel(word_[i])) return true;
    return false;
  }

  void mark_consonant_y() {
    if (word_.starts_with(U'\'')) word_.erase(0, 1);
    for (std::size_t i = 0; i < word_.size(); ++i)
      if (word_[i] == U'y' && (i == 0 || is_vowel(word_[i - 1]))) {
        word_[i] = U'Y';
        marked_y_ = true;
      }
  }

  void find_regions() {
    region1_ = after_next_syllable(0);
    for (const View prefix : {View(U"gener"), View(U"commun"), View(U"arsen")})
      if (word_.starts_with(prefix)) region1_ = prefix.size();
    region2_ = after_next_syllable(region1_);
  }

  // Just after the first non-vowel that follows a vowel.
  std::size_t after_next_syllable(std::size_t i) const {
    while (i < word_.size() && !is_vowel(word_[i])) ++i;
    while (i < word_.size() && is_vowel(word_[i])) ++i;
    return i < word_.size() ? i + 1 : word_.size();
  }

  void remove_plural() {
    for (const View possessive : {View(U"'s'"), View(U"'s"), View(U"'")})
      if (ends_with(possessive)) {
        cut(possessive.size());
        break;
      }
    if (ends_with(U"sses")) {
      cut(2);
    } else if (ends_with(U"ied") || ends_with(U"ies")) {
      cut(word_.size() > 4 ? 2 : 1);
    } else if (ends_with(U"s") && !ends_with(U"us") && !ends_with(U"ss")) {
      if (word_.size() >= 2 && has_vowel_before(word_.size() - 2)) cut(1);
    }
  }

  void remove_past_and_gerund() {
    for (const View suffix : {View(U"eedly"), View(U"eed")})
      if (ends_with(suffix)) {
        if (lies_in(region1_, suffix.size())) replace(suffix.size(), U"ee");
        return;
      }
    for (const View suffix : {View(U"ingly"), View(U"edly"), View(U"ing"), View(U"ed")})
      if (ends_with(suffix)) {
        if (!has_vowel_before(word_.size() - suffix.size())) return;
        cut(suffix.size());
        repair_after_cut();
        return;
      }
  }

  void repair_after_cut() {
    if (ends_with(U"at") || ends_with(U"bl") || ends_with(U"iz")) {
      word_ += U'e';
      return;
    }
    for (const View doubled : {View(U"bb"), View(U"dd"), View(U"ff"), View(U"gg"), View(U"mm"), View(U"nn"),
                               View(U"pp"), View(U"rr"), View(U"tt")})
      if (ends_with(doubled)) {
        cut(1);
        return;
      }
    if (word_.size() == region1_ && ends_short(word_.size())) word_ += U'e';
  }

  void replace_final_y() {
    const std::size_t size = word_.size();
    if (size > 2 && (word_[size - 1] == U'y' || word_[size - 1] == U'Y') && !is_vowel(word_[size - 2]))
      word_[size - 1] = U'i';
  }

  // Applies the first rule whose suffix fits, if its condition holds; shorter suffixes are not tried after it.
  void derive(std::span<const Rule> rules) {
    const bool last = rules.data() == kStep4;
    for (const auto& [suffix, replacement] : rules) {
      if (!ends_with(suffix)) continue;
      const std::size_t start = word_.size() - suffix.size();
      const auto preceded_by = [&](View letters) { return start > 0 && letters.find(word_[start - 1]) != View::npos; };
      bool applies = lies_in(last ? region2_ : region1_, suffix.size());
      if (suffix == U"ogi") applies = applies && preceded_by(U"l");
      if (suffix == U"li") applies = applies && preceded_by(U"cdeghkmnrt");
      if (suffix == U"ative") applies = applies && lies_in(region2_, suffix.size());
      if (suffix == U"ion") applies = applies && preceded_by(U"st");
      if (applies) replace(suffix.size(), replacement);
      return;
    }
  }

  void remove_final_e_or_l() {
    if (word_.empty()) return;
    const std::size_t start = word_.size() - 1;
    if (ends_with(U"e")) {
      if (start >= region2_ || (start >= region1_ && !ends_short(start))) cut(1);
    } else if (ends_with(U"ll") && start >= region2_) {
      cut(1);
    }
  }

  std::u32string finish() {
    for (char32_t& c : word_)
      if (marked_y_ && c == U'Y') c = U'y';
    return std::move(word_);
  }

  std::u32string word_;
  std::size_t region1_ = 0, region2_ = 0;
  bool marked_y_ = false;
};

}  // namespace

std::u32string english_stem(std::u32string_view word) {
  for (const auto& [whole, stem] : kWholeWords)
    if (word == whole) return std::u32string(stem);
  if (word.size() < 3) return std::u32string(word);
  return Stemming(word).run();
}

}  // namespace kataribe
