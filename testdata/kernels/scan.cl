// Inclusive prefix sum of a group, two LDS buffers in turn.
#include "ids.h"

__kernel void scan(__global int *out, __global const int *in) {
  __local int buf[2][256];
  int l = LOCAL_X, i = GLOBAL_X(256), from = 0;
  buf[0][l] = in[i];
  barrier_lds();
  for (int d = 1; d < 256; d <<= 1) {
    buf[1 - from][l] = l >= d ? buf[from][l] + buf[from][l - d] : buf[from][l];
    from = 1 - from;
    barrier_lds();
  }
  out[i] = buf[from][l];
}
