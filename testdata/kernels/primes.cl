// Sieve in LDS bits by atomic and; compaction of the primes with a wave's prefix counts.
#include "ids.h"

__kernel void primes(__global ushort *out, __global uint *counts, int base) {
  __local uint sieve[64];
  __local uint waves[4];
  int l = LOCAL_X, first = base + GROUP_X * 2048;
  if (l < 64) sieve[l] = ~0u;
  barrier_lds();
  for (int p = 2 + l; p < 256; p += 256)
    for (int m = first + (p - first % p) % p; m < first + 2048; m += p)
      if (m > p) __sync_fetch_and_and(&sieve[(m - first) >> 5], ~(1u << ((m - first) & 31)));
  barrier_lds();
  uint bits = sieve[l >> 2] >> 8 * (l & 3) & 0xff, mine = __builtin_popcount(bits), before = 0;
  for (int k = 0; k < 4; k++) { // counts are sums of bits: ballot one bit of the count at a time
    ulong mask = __builtin_amdgcn_uicmp(mine >> k & 1, 0u, 33);
    before += __builtin_amdgcn_mbcnt_hi((uint)(mask >> 32), __builtin_amdgcn_mbcnt_lo((uint)mask, 0)) << k;
  }
  if ((l & 63) == 63) waves[l >> 6] = before + mine;
  barrier_lds();
  for (int k = 0; k < l >> 6; k++) before += waves[k];
  for (int k = 0; k < 8; k++)
    if (bits >> k & 1) out[GROUP_X * 400 + before++] = first + 8 * l + k;
  if (l == 255) counts[GROUP_X] = before;
}
