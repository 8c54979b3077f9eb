// Bit counting, scanning, reversing, rotating, field extraction.
#include "ids.h"

__kernel void bits(__global uint8 *out, __global const uint *in) {
  int i = GLOBAL_X(64);
  uint v = in[i];
  uint8 r;
  r.s0 = __builtin_popcount(v);
  r.s1 = v ? __builtin_clz(v) : 32;
  r.s2 = v ? __builtin_ctz(v) : 32;
  r.s3 = __builtin_bitreverse32(v);
  r.s4 = __builtin_rotateleft32(v, v & 31);
  r.s5 = (v >> 5) & 0x7ff;
  r.s6 = (int)(v << 7) >> 20;
  r.s7 = __builtin_bswap32(v) ^ (v & 0xff00ff) ^ (~v | 0x10);
  out[i] = r;
}
