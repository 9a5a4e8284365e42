#include "ptb/lines.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "common/utf8.hpp"

namespace kataribe::ptb {
namespace {

struct Replacement {
  std::string_view from, to;
};

constexpr std::array kWordReplacements{Replacement{"\u00ad", ""}, Replacement{"&amp;", "&"}, Replacement{"&AMP;", "&"}};
constexpr std::array kCliticReplacements{Replacement{"\u2019", "'"}, Replacement{"\u0092", "'"},
                                         Replacement{"\u2018", "`"}, Replacement{"\u0091", "`"},
                                         Replacement{"&apos;", "'"}};
constexpr std::array kQuoteReplacements{
    Replacement{"\u2018", "`"},  Replacement{"\u201b", "`"},  Replacement{"\u0091", "`"},  Replacement{"\u2039", "`"},
    Replacement{"\u2019", "'"},  Replacement{"\u0092", "'"},  Replacement{"\u203a", "'"},  Replacement{"\u201c", "``"},
    Replacement{"\u0093", "``"}, Replacement{"\u00ab", "``"}, Replacement{"\u201d", "''"}, Replacement{"\u0094", "''"},
    Replacement{"\u00bb", "''"}};
constexpr std::array kNoBreakReplacements{Replacement{" ", "\u00a0"}, Replacement{"(", "-lrb-"},
                                          Replacement{")", "-rrb-"}};
constexpr std::array kLineEndReplacements{Replacement{"\n", " "},     Replacement{"\r", " "},
                                          Replacement{"\v", " "},     Replacement{"\f", " "},
                                          Replacement{"\u2028", " "}, Replacement{"\u2029", " "}};

std::span<const Replacement> replacements_for(Edit edit) {
  const std::span no_break(kNoBreakReplacements);
  switch (edit) {
    case Edit::kWord:
      return kWordReplacements;
    case Edit::kClitic:
      return kCliticReplacements;
    case Edit::kQuotes:
      return kQuoteReplacements;
    case Edit::kRoundBrackets:
      return no_break.subspan(1);
    case Edit::kNoBreak:
      return no_break.first(1);
    case Edit::kNoBreakRoundBrackets:
      return no_break;
    default:
      return {};
  }
}

bool is_ascii_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Nothing that is replaced begins with an ASCII letter or digit.
void append_replacing(std::string& out, std::string_view text, std::span<const Replacement> replacements) {
  while (true) {
    const auto odd = std::find_if_not(text.begin(), text.end(), is_ascii_alphanumeric);
    out.append(text.begin(), odd);
    text.remove_prefix(odd - text.begin());
    if (text.empty()) return;
    const auto found = std::find_if(replacements.begin(), replacements.end(),
                                    [&](const Replacement& r) { return text.starts_with(r.from); });
    const bool is_found = found != replacements.end();
    out += is_found ? found->to : text.substr(0, 1);
    text.remove_prefix(is_found ? found->from.size() : 1);
  }
}

// As str.rstrip() sees it.
bool is_python_blank(char32_t code) {
  return (code >= 0x09 && code <= 0x0D) || (code >= 0x1C && code <= 0x20) || code == 0x85 || code == 0xA0 ||
         code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 || code == 0x202F ||
         code == 0x205F || code == 0x3000;
}

// The brackets on pycocoevalcap's list are in capitals, which no token is: -lrb- and the others stay. A word of soft
// hyphens is empty here and "-" there, which comes to the same.
bool is_thrown_away(std::string_view token) {
  constexpr std::array<std::string_view, 14> kPunctuation{"",  "''", "'", "``", "`",  ".",   "?",
                                                          "!", ",",  ":", "-",  "--", "...", ";"};
  return token.size() <= 3 && std::find(kPunctuation.begin(), kPunctuation.end(), token) != kPunctuation.end();
}

}  // namespace

void Lines::add_token(const Rule& rule, std::string_view matched) {
  const std::size_t before = line_.size();
  if (before > 0) line_ += ' ';
  const std::size_t start = line_.size();
  if (rule.edit == Edit::kReplace) {
    line_ += rule.text;
  } else {
    append_replacing(line_, matched, replacements_for(rule.edit));
  }
  ends_in_token_ = !is_thrown_away(std::string_view(line_).substr(start));
  if (!ends_in_token_) line_.resize(before);
}

void Lines::end_line() {
  // A token such as an e-mail address may end in an exotic blank, and pycocoevalcap strips lines before it filters.
  while (ends_in_token_ && !line_.empty()) {
    const std::size_t last = previous_utf8(line_, line_.size());
    if (!is_python_blank(decode_utf8(line_, last).code)) break;
    line_.resize(last);
  }
  for (char& c : line_) {
    if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
  }
  lines_.push_back(line_);
  line_.clear();
}

void append_as_one_line(std::string& out, std::string_view text) {
  // Hardly any caption has a line end, and a look at each byte is much cheaper than the search for six strings.
  const bool may_have_line_end =
      std::any_of(text.begin(), text.end(), [](char c) { return (c >= '\n' && c <= '\r') || c == '\xE2'; });
  if (may_have_line_end) {
    append_replacing(out, text, kLineEndReplacements);
  } else {
    out += text;
  }
}

}  // namespace kataribe::ptb
