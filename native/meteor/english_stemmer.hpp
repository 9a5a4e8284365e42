#pragma once

#include <string>
#include <string_view>

namespace kataribe {

// The English Snowball ("Porter 2") stem as Snowball 2.2 and older compute it. The word must be lower-case.
std::u32string english_stem(std::u32string_view word);

}  // namespace kataribe
