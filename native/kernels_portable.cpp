#define KATARIBE_PROCESSOR portable
#include "kernels.inc"
