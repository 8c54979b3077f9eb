// Addition of floating-point numbers to memory and LDS by compare and swap; sums are exact.
#include "ids.h"

__kernel void addfloat(__global uint *sums, __global const float *in) {
  __local uint part[4];
  int l = LOCAL_X, i = GLOBAL_X(128);
  if (l < 4) part[l] = 0;
  barrier_lds();
  uint old = part[l & 3], seen;
  do {
    seen = old;
    float sum = __builtin_astype(seen, float) + in[i];
    old = __sync_val_compare_and_swap(&part[l & 3], seen, __builtin_astype(sum, uint));
  } while (old != seen);
  barrier_lds();
  if (l >= 4) return;
  old = sums[l];
  do {
    seen = old;
    float sum = __builtin_astype(seen, float) + __builtin_astype(part[l], float);
    old = __sync_val_compare_and_swap(&sums[l], seen, __builtin_astype(sum, uint));
  } while (old != seen);
}
