// UTF-8 as Python hands it over (always well-formed, so nothing is checked here) to code points and back.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kataribe {

struct Decoded {
  char32_t code;
  std::size_t size;  // in bytes
};

inline Decoded decode_utf8(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(text[at + i])); };
  const auto tail = [&](std::size_t i) { return byte(i) & 0x3F; };
  if (byte(0) < 0x80) return {byte(0), 1};
  if (byte(0) < 0xE0) return {(byte(0) & 0x1F) << 6 | tail(1), 2};
  if (byte(0) < 0xF0) return {(byte(0) & 0x0F) << 12 | tail(1) << 6 | tail(2), 3};
  return {(byte(0) & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3), 4};
}

inline std::u32string decode_utf8(std::string_view text) {
  std::u32string codes;
  codes.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto [code, size] = decode_utf8(text, at);
    codes += code;
    at += size;
  }
  return codes;
}

// Where the character before `end` starts.
inline std::size_t previous_utf8(std::string_view text, std::size_t end) {
  do --end;
  while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80);
  return end;
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
