// LDS whose size the dispatch gives, behind static LDS.
#include "ids.h"

__kernel void dynlocal(__global ushort *out, __global const ushort *in, __local ushort *line, __local uint *last) {
  __local uint first;
  int l = LOCAL_X, i = GLOBAL_X(64);
  line[l] = in[i];
  if (l == 0) first = in[i];
  if (l == 63) *last = in[i];
  barrier_lds();
  out[i] = line[63 - l] + first - *last;
}
