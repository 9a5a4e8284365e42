// What a BERT does between its matrix products, in place and without the GIL: attention within each text, GELU, and
// layer normalization. Tokens of all texts lie one after the other; nothing is padded.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "bindings.hpp"
#include "kernels.hpp"

namespace kataribe {
namespace {

using Table = nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void check(bool fits, const char* what) {
  if (!fits) throw std::invalid_argument(what);
}

void gelu(Table states, In1<float> bias) {
  check(bias.size() == states.shape(1), "the bias must be as long as the rows");
  nb::gil_scoped_release release;
  kernels().gelu(states.data(), states.shape(0), states.shape(1), bias.data());
}

void add_and_normalize(Table states, In1<float> bias, In2<float> residual, In1<float> scale, In1<float> shift,
                       float epsilon) {
  const std::size_t width = states.shape(1);
  check(bias.size() == width && scale.size() == width && shift.size() == width, "parameters must be as long as the rows");
  check(residual.shape(0) == states.shape(0) && residual.shape(1) == width, "what is added must have the same shape");
  nb::gil_scoped_release release;
  kernels().add_and_normalize(states.data(), states.shape(0), width, bias.data(), residual.data(), scale.data(),
                              shift.data(), epsilon);
}

// A row of `projected` holds the query, key and value of a token, each with all heads one after the other.
void attend(Table projected, In1<float> bias, In1<std::int64_t> lengths, std::size_t heads, Table result) {
  const std::size_t all = result.shape(1), tokens = projected.shape(0);
  check(heads > 0 && all % (heads * kMostLanes) == 0 && projected.shape(1) == 3 * all && bias.size() == 3 * all,
        "a row must hold query, key and value of all heads, which are a multiple of 8 wide");
  const std::span counts(lengths.data(), lengths.size());
  check(result.shape(0) == tokens && std::ranges::all_of(counts, [](std::int64_t count) { return count >= 0; }) &&
            static_cast<std::size_t>(std::reduce(counts.begin(), counts.end())) == tokens,
        "lengths must add up to the number of tokens");
  nb::gil_scoped_release release;
  const std::size_t width = all / heads;
  const std::size_t longest = counts.empty() ? 0 : static_cast<std::size_t>(std::ranges::max(counts));
  std::vector<float> scratch((width + kQueries) * padded(longest));
  std::size_t first = 0;
  for (const std::int64_t count : counts) {
    kernels().attend(projected.data() + first * 3 * all, bias.data(), static_cast<std::size_t>(count), heads, width,
                     result.data() + first * all, scratch.data());
    first += static_cast<std::size_t>(count);
  }
}

}  // namespace

void bind_bert(nb::module_& m) {
  m.def("kernels_name", [] { return kernels().name; });
  m.def("bert_attend", &attend, nb::arg("projected").noconvert(), nb::arg("bias"), nb::arg("lengths"),
        nb::arg("heads"), nb::arg("result").noconvert());
  m.def("bert_gelu", &gelu, nb::arg("states").noconvert(), nb::arg("bias"));
  m.def("bert_add_and_normalize", &add_and_normalize, nb::arg("states").noconvert(), nb::arg("bias"),
        nb::arg("residual"), nb::arg("scale"), nb::arg("shift"), nb::arg("epsilon"));
}

}  // namespace kataribe
