// 64-bit atomics on LDS and memory, with returned values.
#include "ids.h"

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

__kernel void atomics64(__global ulong *shared, __global ulong *out, __global const ulong *in) {
  __local ulong part[6];
  int l = LOCAL_X, i = GLOBAL_X(64);
  if (l < 6) part[l] = l == 3 ? ~0ul : 0;
  barrier_lds();
  ulong v = in[i];
  ulong old = __sync_fetch_and_add(&part[0], v);
  __sync_fetch_and_sub(&part[1], v >> 3);
  __sync_fetch_and_or(&part[2], 1ul << (v & 63));
  __sync_fetch_and_and(&part[3], ~(2ul << (v & 63)));
  __sync_fetch_and_xor(&part[4], v);
  __atomic_fetch_max(&part[5], v, __ATOMIC_RELAXED);
  barrier_lds();
  __atomic_fetch_min(&shared[0], v, __ATOMIC_RELAXED);
  __atomic_fetch_max((__global long *)&shared[1], (long)v, __ATOMIC_RELAXED);
  __sync_fetch_and_sub(&shared[2], v);
  __sync_fetch_and_xor(&shared[3], v << 1);
  for (ulong seen = shared[4];;) {
    ulong got = __sync_val_compare_and_swap(&shared[4], seen, seen * 1 + (v & 0xffff) + 0x100000000ul);
    if (got == seen) break;
    seen = got;
  }
  ulong swapped = __sync_lock_test_and_set(&shared[8 + i], v);
  out[i] = swapped + part[l % 6] + (old & 0);
}
