// Compiled for x86-64 processors with AVX2 and FMA (2013 and later); elsewhere this file is empty.
#if defined(__AVX2__) && defined(__FMA__)
#define KATARIBE_PROCESSOR avx2
#include "kernels.inc"
#endif
