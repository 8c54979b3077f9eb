// Generic pointers: one load goes to LDS, to scratch or to memory (OpenCL 2.0, GCN 1.1 and later).
#include "ids.h"

__attribute__((noinline)) static int read(const int *p, int k) { return p[k]; }
__attribute__((noinline)) static void write(int *p, int k, int v) { p[k] = v; }

__kernel void flatptr(__global int *out, __global int *in) {
  __local int shared[64];
  int l = LOCAL_X, i = GLOBAL_X(64);
  int own[4] = {l, 2 * l, 3 * l, 4 * l};
  write(shared, l, in[i] * 3);
  barrier_lds();
  int *where = l % 3 == 0 ? shared : l % 3 == 1 ? own : (int *)in;
  int k = l % 3 == 0 ? 63 - l : l % 3 == 1 ? l & 3 : i;
  write(l % 3 == 0 ? (int *)shared : (int *)own, l % 3 == 0 ? l : 0, 7 + i);
  barrier_lds();
  out[i] = read(where, k);
}
