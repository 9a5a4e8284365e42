#include "common/mapped_file.hpp"

#include <cerrno>
#include <filesystem>
#include <system_error>

#ifdef _WIN32
#define NOMINMAX
#include <windows.h>
#else
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace kataribe {

#ifdef _WIN32

namespace {
[[noreturn]] void fail(const std::string& path) {
  throw std::system_error(static_cast<int>(GetLastError()), std::system_category(), path);
}
}  // namespace

MappedFile::MappedFile(const std::string& utf8_path) {
  const std::filesystem::path path(std::u8string(utf8_path.begin(), utf8_path.end()));
  const HANDLE file = CreateFileW(path.c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, nullptr,
                                  OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (file == INVALID_HANDLE_VALUE) fail(utf8_path);
  size_ = static_cast<std::size_t>(std::filesystem::file_size(path));
  const HANDLE mapping = size_ == 0 ? nullptr : CreateFileMappingW(file, nullptr, PAGE_READONLY, 0, 0, nullptr);
  if (mapping) {
    data_ = static_cast<const char*>(MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, 0));
    CloseHandle(mapping);
  }
  CloseHandle(file);
  if (size_ > 0 && !data_) fail(utf8_path);
}

MappedFile::~MappedFile() {
  if (data_) UnmapViewOfFile(data_);
}

#else

MappedFile::MappedFile(const std::string& utf8_path) {
  const int file = open(utf8_path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat info{};
  if (file < 0 || fstat(file, &info) != 0) {
    const int error = errno;
    if (file >= 0) close(file);
    throw std::system_error(error, std::generic_category(), utf8_path);
  }
  size_ = static_cast<std::size_t>(info.st_size);
  void* const data = size_ == 0 ? nullptr : mmap(nullptr, size_, PROT_READ, MAP_SHARED, file, 0);
  const int error = errno;
  close(file);
  if (data == MAP_FAILED) throw std::system_error(error, std::generic_category(), utf8_path);
  data_ = static_cast<const char*>(data);
}

MappedFile::~MappedFile() {
  if (data_) munmap(const_cast<char*>(data_), size_);
}

#endif

}  // namespace kataribe
