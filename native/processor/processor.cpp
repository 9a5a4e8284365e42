// kataribe._processor: which build of the core this processor can run. It is compiled for any processor.
#include <nanobind/nanobind.h>

namespace {

const char* best_core() {
#if defined(KATARIBE_HAS_AVX2)
  // Each instruction set that CMakeLists.txt names for it.
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
      __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt"))
    return "avx2";
#endif
  return "portable";
}

}  // namespace

NB_MODULE(_processor, m) { m.def("best_core", &best_core); }
