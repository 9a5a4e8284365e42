#include "kernels.hpp"

#include <cstdlib>
#include <string_view>

namespace kataribe {

namespace portable {
extern const Kernels kKernels;
}

#if defined(KATARIBE_HAS_AVX2)
namespace avx2 {
extern const Kernels kKernels;
}
#endif

const Kernels& kernels() {
  static const Kernels& chosen = []() -> const Kernels& {
#if defined(KATARIBE_HAS_AVX2)
    const char* asked = std::getenv("KATARIBE_PORTABLE");
    const bool everywhere = asked && std::string_view(asked) == "1";
    if (!everywhere && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2::kKernels;
#endif
    return portable::kKernels;
  }();
  return chosen;
}

}  // namespace kataribe
