// 64-bit multiplication, shifts, comparison and carries.
#include "ids.h"

__kernel void wide(__global ulong *out, __global long *order, __global const ulong *a, __global const long *b) {
  int i = GLOBAL_X(64);
  ulong u = a[i];
  long s = b[i];
  ulong r = u * (ulong)s + (u >> (s & 63));
  r ^= (u << (s & 31)) - (ulong)(s >> 7);
  out[i] = r;
  order[i] = (u < (ulong)s ? 1 : 0) | ((long)u < s ? 2 : 0) | (u == (ulong)s ? 4 : 0) | (long)__builtin_popcountl(u) << 8;
}
