// Every 32-bit LDS atomic with its returned value; the lanes of a wave take turns in order.
#include "ids.h"

__kernel void ldsatomics(__global uint *out, __global uint *last, __global const uint *in) {
  __local uint m[12];
  int l = LOCAL_X, i = GLOBAL_X(64);
  if (l < 12) m[l] = l * 0x01010101u;
  barrier_lds();
  uint v = in[i];
  __global uint *o = out + i * 12;
  o[0] = __sync_fetch_and_add(&m[0], v);
  o[1] = __sync_fetch_and_sub(&m[1], v);
  o[2] = __sync_fetch_and_and(&m[2], v | 0xfff0u);
  o[3] = __sync_fetch_and_or(&m[3], v & 0x8421u);
  o[4] = __sync_fetch_and_xor(&m[4], v);
  o[5] = (uint)__sync_fetch_and_min((__local int *)&m[5], (int)v);
  o[6] = (uint)__sync_fetch_and_max((__local int *)&m[6], (int)v);
  o[7] = __sync_fetch_and_umin(&m[7], v);
  o[8] = __sync_fetch_and_umax(&m[8], v);
  o[9] = __builtin_amdgcn_atomic_inc32(&m[9], 0x0909090fu, __ATOMIC_RELAXED, "workgroup");
  o[10] = __builtin_amdgcn_atomic_dec32(&m[10], 70, __ATOMIC_RELAXED, "workgroup");
  o[11] = __sync_val_compare_and_swap(&m[11], (l & 1) ? v : 0x0b0b0b0bu, v);
  barrier_lds();
  if (l < 12) last[GROUP_X * 12 + l] = m[l];
}
