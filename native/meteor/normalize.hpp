#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

namespace kataribe {

// When a word of the list is followed by a dot, that dot belongs to it: always, or only before a number.
enum class KeepsDot : char { kAlways, kBeforeNumber };
using DotPrefixes = std::unordered_map<std::u32string, KeepsDot>;

// METEOR's tokenization of raw English text (`-norm`), before lower-casing. Tokens end up separated by blanks.
std::string meteor_normalize(std::string_view utf8, const DotPrefixes& prefixes);

// Whether a text has only lower-case letters, digits and blanks, as most captions: its tokens are what they are.
bool meteor_is_normal(std::string_view utf8);

}  // namespace kataribe
