// Number-theoretic transform of 128 elements a work-group: 64-bit products modulo a prime, butterflies in LDS.
#include "ids.h"

#define P 998244353u

static inline uint mul(uint a, uint b) { return (uint)((ulong)a * b % P); }

static uint power(uint b, uint e) {
  uint r = 1;
  for (; e; e >>= 1, b = mul(b, b))
    if (e & 1) r = mul(r, b);
  return r;
}

__kernel void ntt(__global uint *out, __global const uint *in) {
  __local uint x[128];
  int l = LOCAL_X, g = GROUP_X * 128;
  for (int k = l; k < 128; k += 64) x[__builtin_bitreverse32(k) >> 25] = in[g + k];
  barrier_lds();
  for (int h = 1; h < 128; h *= 2) {
    int at = l / h * h * 2 + l % h;
    uint w = power(3, (P - 1) / (2 * h) * (l % h));
    uint u = x[at], v = mul(x[at + h], w);
    x[at] = u + v < P ? u + v : u + v - P;
    x[at + h] = u >= v ? u - v : u + P - v;
    barrier_lds();
  }
  for (int k = l; k < 128; k += 64) out[g + k] = x[k];
}
