#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kataribe {

// A file mapped read-only into memory: nothing is read before it is touched, and processes share the pages.
class MappedFile {
 public:
  explicit MappedFile(const std::string& utf8_path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return {data_, size_}; }

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace kataribe
