// METEOR tokenizes with a chain of global regular-expression substitutions. Each step below is one of them, and
// keeps their habit of not overlapping: the character that ends a match cannot begin the next one, which is why
// "five-and-a-half" becomes "five and a-half".
#include "meteor/normalize.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/utf8.hpp"

namespace kataribe {
namespace {

using Text = std::u32string;
using View = std::u32string_view;

bool is_digit(char32_t c) { return c >= U'0' && c <= U'9'; }
bool is_lower(char32_t c) { return c >= U'a' && c <= U'z'; }

// Latin, Cyrillic and phonetic letters; every other script is punctuation to METEOR.
bool is_letter(char32_t c) {
  if (c < 0x80) return is_lower(c) || (c >= U'A' && c <= U'Z');
  return (c >= 0xC0 && c <= 0x17E && c != 0xD7 && c != 0xF7) || (c >= 0x400 && c <= 0x527) ||
         (c >= 0x1D00 && c <= 0x1D7F) || (c >= 0xA640 && c <= 0xA66E) || (c >= 0xA67E && c <= 0xA697);
}

bool is_letter_or_digit(char32_t c) { return is_letter(c) || is_digit(c); }
bool is_blank(char32_t c) { return c == U' ' || (c >= U'\t' && c <= U'\r'); }
bool is_unicode_blank(char32_t c) {
  return c == 0xA0 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F || c == 0x205F || c == 0x3000;
}
bool is_single_quote(char32_t c) { return c == U'\'' || c == U'`' || c == 0x2018 || c == 0x2019; }

template <typename Predicate>
auto no(Predicate predicate) {
  return [predicate](char32_t c) { return !predicate(c); };
}

// Puts `middle` in place of `mark` wherever it stands between a `left` and a `right` character.
template <typename Left, typename Right>
Text replace_between(Text text, Left left, char32_t mark, Right right, View middle) {
  if (text.find(mark) == Text::npos) return text;
  Text result;
  result.reserve(text.size() + 16);
  std::size_t i = 0;
  while (i < text.size()) {
    result += text[i];
    if (i + 2 < text.size() && text[i + 1] == mark && left(text[i]) && right(text[i + 2])) {
      result += middle;
      result += text[i + 2];
      i += 3;
    } else {
      ++i;
    }
  }
  return result;
}

Text replace_all(Text text, View from, View to) {
  if (text.find(from) == Text::npos) return text;
  Text result;
  std::size_t start = 0;
  for (std::size_t at; (at = text.find(from, start)) != Text::npos; start = at + from.size()) {
    result.append(text, start, at - start);
    result += to;
  }
  return result.append(text, start);
}

// Symbols stand alone. Quotes and dashes are unified on the way: no later step tells their variants apart.
Text separate_symbols(View text) {
  Text result = U" ";
  result.reserve(2 * text.size() + 2);
  for (const char32_t c : text) {
    if (is_single_quote(c)) {
      result += U'\'';
    } else if (is_letter_or_digit(c) || is_blank(c) || View(U".,-").find(c) != View::npos) {
      result += c;
    } else {
      result += U' ';
      result += c == 0x2013 ? U'-' : c == 0x201C || c == 0x201D ? U'"' : c;
      result += U' ';
    }
  }
  return result += U' ';
}

Text separate_runs_of_dots(Text text) {
  if (text.find(U"..") == Text::npos) return text;
  Text result;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = std::min(text.find_first_not_of(U'.', i), text.size());
    if (end - i >= 2) {
      result.append(1, U' ').append(end - i, U'.').append(1, U' ');
      i = end;
    } else {
      result += text[i++];
    }
  }
  return result;
}

Text separate_commas(Text text) {
  text = replace_between(std::move(text), no(is_digit), U',', no(is_digit), U" , ");
  text = replace_between(std::move(text), is_digit, U',', no(is_digit), U" , ");
  return replace_between(std::move(text), no(is_digit), U',', is_digit, U" , ");
}

Text separate_contractions(Text text) {
  text = replace_between(std::move(text), no(is_letter), U'\'', no(is_letter), U" ' ");
  text = replace_between(std::move(text), no(is_letter_or_digit), U'\'', is_letter, U" ' ");
  text = replace_between(std::move(text), is_letter, U'\'', no(is_letter), U" ' ");
  text = replace_between(std::move(text), is_letter, U'\'', is_letter, U" '");
  return replace_between(std::move(text), is_digit, U'\'', [](char32_t c) { return c == U's'; }, U" '");
}

std::vector<View> split(View text) {
  std::vector<View> words;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && !is_blank(text[end])) ++end;
    if (end > i) words.push_back(text.substr(i, end - i));
    i = end + 1;
  }
  return words;
}

// The dot at the end of a word: part of an abbreviation, or the end of the sentence?
void append_resolving_final_dot(Text& line, View word, View next, const DotPrefixes& prefixes) {
  const View stem = word.substr(0, word.size() - 1);
  const bool is_run_of_dots = word.find_first_not_of(U'.') == View::npos;
  if (!word.ends_with(U'.') || is_run_of_dots) {
    line += word;
    return;
  }
  if (stem.find(U'.') != View::npos && std::any_of(stem.begin(), stem.end(), is_letter)) {
    std::copy_if(stem.begin(), stem.end(), std::back_inserter(line), [](char32_t c) { return c != U'.'; });
    return;
  }
  const auto prefix = prefixes.find(Text(stem));
  const bool is_prefix =
      prefix != prefixes.end() && (prefix->second == KeepsDot::kAlways || (!next.empty() && is_digit(next.front())));
  const bool sentence_goes_on = !next.empty() && is_lower(next.front());
  line += stem;
  line += is_prefix || sentence_goes_on ? U"." : U" .";
}

}  // namespace

bool meteor_is_normal(std::string_view utf8) {
  bool is_normal = true;  // no way out of the loop: vector instructions are faster
  for (const char c : utf8) is_normal &= ((c >= 'a') & (c <= 'z')) | ((c >= '0') & (c <= '9')) | (c == ' ');
  return is_normal;
}

std::string meteor_normalize(std::string_view utf8, const DotPrefixes& prefixes) {
  Text text = separate_symbols(decode_utf8(utf8));
  text = separate_runs_of_dots(std::move(text));
  text = separate_commas(std::move(text));
  text = replace_all(std::move(text), U"''", U" \" ");
  text = replace_all(std::move(text), U"--", U"-");
  const auto before_dash = [](char32_t c) { return is_letter_or_digit(c) || c == U'.'; };
  text = replace_between(std::move(text), before_dash, U'-', is_letter_or_digit, U" ");
  text = separate_contractions(std::move(text));

  const std::vector<View> words = split(text);
  Text line;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_unicode_blank(words[i].front())) continue;  // a symbol like others up to here
    if (!line.empty()) line += U' ';
    append_resolving_final_dot(line, words[i], i + 1 < words.size() ? words[i + 1] : View(), prefixes);
  }
  return encode_utf8(line);
}

}  // namespace kataribe
