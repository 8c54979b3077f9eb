// Atomics on LDS and on memory: the result does not depend on their order.
#include "ids.h"

__kernel void atomics(__global uint *bins, __global int *extremes, __global ulong *total, __global const uint *in) {
  __local uint part[8];
  int l = LOCAL_X, i = GLOBAL_X(128);
  if (l < 8) part[l] = 0;
  barrier_lds();
  uint v = in[i];
  __sync_fetch_and_add(&part[v & 7], v >> 24);
  __sync_fetch_and_xor(&extremes[2], (int)v);
  __sync_fetch_and_max(&extremes[0], (int)v);
  __sync_fetch_and_min(&extremes[1], (int)v);
  __sync_fetch_and_or(&extremes[3], 1 << (v & 31));
  __sync_fetch_and_add(total, (ulong)v << 8);
  for (;;) { // an addition by compare and swap
    uint old = bins[8];
    if (__sync_bool_compare_and_swap(&bins[8], old, old + (v & 15))) break;
  }
  barrier_lds();
  if (l < 8) __sync_fetch_and_add(&bins[l], part[l]);
}
