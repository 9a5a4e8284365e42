// UTF-8 as Python hands it over (always well-formed) to code points and back.
#pragma once

#include <string>
#include <string_view>

namespace kataribe {

inline std::u32string decode_utf8(std::string_view bytes) {
  std::u32string text;
  text.reserve(bytes.size());
  for (std::size_t i = 0; i < bytes.size();) {
    const auto lead = static_cast<unsigned char>(bytes[i++]);
    const int following = lead < 0xC0 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    char32_t code = following == 0 ? lead : lead & (0x3Fu >> following);
    for (int k = 0; k < following && i < bytes.size(); ++k) code = code << 6 | (bytes[i++] & 0x3Fu);
    text += code;
  }
  return text;
}

inline void append_utf8(std::string& bytes, char32_t code) {
  const auto tail = [&](int shift) { bytes += static_cast<char>(0x80u | (code >> shift & 0x3Fu)); };
  if (code < 0x80) {
    bytes += static_cast<char>(code);
  } else if (code < 0x800) {
    bytes += static_cast<char>(0xC0u | code >> 6);
    tail(0);
  } else if (code < 0x10000) {
    bytes += static_cast<char>(0xE0u | code >> 12);
    tail(6), tail(0);
  } else {
    bytes += static_cast<char>(0xF0u | code >> 18);
    tail(12), tail(6), tail(0);
  }
}

inline std::string encode_utf8(std::u32string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (const char32_t code : text) append_utf8(bytes, code);
  return bytes;
}

}  // namespace kataribe
