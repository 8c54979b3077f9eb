// Uniform work in the scalar unit: 64-bit logic and shifts, bit counts, fields, loops and branches on arguments.
#include "ids.h"

__kernel void scalars(__global ulong *out, __global const ulong *in, uint a, ulong m, int n) {
  uint g = GROUP_X;
  ulong s = m ^ in[g], r = 0;
  for (int k = 0; k < n; k++) {
    uint lo = (uint)s, hi = (uint)(s >> 32);
    r += __builtin_popcountl(s) * (ulong)(lo | 1);
    r ^= s << (k & 63) | s >> (63 - (k & 63));
    if (lo & 1) r = ~r & (s | m);
    else if (hi > a) r -= (ulong)__builtin_clz(hi | 1) << 5;
    r += __builtin_ctzl(s | 1ul << 63) + (hi >> 7 & 0x3ff) + (ulong)((int)(lo << 9) >> 21);
    r ^= __builtin_bitreverse64(s) + __builtin_bitreverse32(hi) + (hi < lo ? hi : lo);
    s = s * 6364136223846793005ul + a;
    if ((r & 0xff) == n) break;
  }
  out[g * 64 + LOCAL_X] = r + LOCAL_X;
}
