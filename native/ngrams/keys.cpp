// N-grams by their content: two hashes of their words name an n-gram outside of its index.
#include <string_view>

#include "common/interrupt.hpp"
#include "ngrams/ngram_index.hpp"

namespace kataribe {
namespace {

using std::int32_t;
using std::size_t;
using std::uint64_t;

// Hashes that depend on the bytes and the order of words and on nothing else: the same in every process, on every
// processor. Two instances with different constants are independent of each other.
class ContentHash {
 public:
  constexpr ContentHash(uint64_t seed, uint64_t step, uint64_t first, uint64_t second)
      : seed_(seed), step_(step | 1), first_(first | 1), second_(second | 1) {}

  uint64_t of_word(std::string_view word) const {
    uint64_t hash = seed_ ^ word.size() * step_;
    for (size_t at = 0; at < word.size(); at += 8) hash = scramble(hash ^ eight_bytes(word.substr(at, 8)));
    return hash;
  }
  uint64_t of_nothing() const { return seed_; }
  // The multiplication makes order matter, and the words' own hashes keep where one ends and the next begins.
  uint64_t append(uint64_t prefix, uint64_t word) const { return scramble(prefix * step_ + word); }

 private:
  // Every bit of the result depends on every bit given; no two numbers become one.
  uint64_t scramble(uint64_t x) const {
    x = (x ^ x >> 32) * first_;
    x = (x ^ x >> 29) * second_;
    return x ^ x >> 32;
  }

  // Low byte first whatever the processor's order; zeros after the end of the word.
  static uint64_t eight_bytes(std::string_view bytes) {
    uint64_t eight = 0;
    for (size_t k = 0; k < bytes.size(); ++k) eight |= uint64_t{static_cast<unsigned char>(bytes[k])} << 8 * k;
    return eight;
  }

  uint64_t seed_, step_, first_, second_;
};

// Binary digits of the square roots of 2, 3, 5, 7 and of 11, 13, 17, 19: part of every table of facts that was saved.
constexpr ContentHash kKeyHash(0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1);
constexpr ContentHash kCheckHash(0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179);

std::vector<uint64_t> content_hashes(const ContentHash& hash, const NgramIndex& index) {
  InterruptCheck tick;
  std::vector<uint64_t> of_words, of_ngrams;
  of_words.reserve(index.tokens().words().size());
  for (const std::string& word : index.tokens().words()) {
    tick(1 + word.size());
    of_words.push_back(hash.of_word(word));
  }
  of_ngrams.reserve(index.distinct());
  for (size_t ngram = 0; ngram < index.distinct(); ++ngram) {
    tick();
    const int32_t prefix = index.prefixes()[ngram];
    of_ngrams.push_back(
        hash.append(prefix < 0 ? hash.of_nothing() : of_ngrams[prefix], of_words[index.lasts()[ngram]]));
  }
  return of_ngrams;
}

nb::tuple ngram_keys(const NgramIndex& index) {
  std::vector<uint64_t> keys, checks;
  {
    nb::gil_scoped_release release;
    keys = content_hashes(kKeyHash, index);
    checks = content_hashes(kCheckHash, index);
  }
  return nb::make_tuple(to_numpy(std::move(keys)), to_numpy(std::move(checks)));
}

}  // namespace

void bind_ngram_keys(nb::module_& m) {
  m.def("ngram_keys", &ngram_keys, nb::arg("index"),
        "Two independent hashes of each n-gram's words, the same in every index, process and machine.");
}

}  // namespace kataribe
