// Atomics and wide accesses through generic pointers into LDS and memory (OpenCL 2.0, GCN 1.1 and later).
#include "ids.h"

__attribute__((noinline)) static uint bump(uint *p, uint v) { return __sync_fetch_and_add(p, v); }
__attribute__((noinline)) static ulong biggest(ulong *p, ulong v) { return __atomic_fetch_max(p, v, __ATOMIC_RELAXED); }
__attribute__((noinline)) static void copy(uint4 *to, const uint4 *from) { *to = *from; }

__kernel void genericatomics(__global uint4 *out, __global ulong *wide, __global uint *narrow, __global uint4 *in) {
  __local uint part[2];
  __local ulong top;
  __local uint4 tile[64];
  int l = LOCAL_X, i = GLOBAL_X(64);
  if (l < 2) part[l] = 0;
  if (l == 2) top = 0;
  barrier_lds();
  copy(&tile[l], (uint4 *)&in[i]);
  barrier_lds();
  uint4 own;
  copy(&own, l & 1 ? &tile[63 - l] : (uint4 *)&in[i ^ 1]);
  bump(l & 1 ? (uint *)&part[0] : (uint *)&narrow[0], own.x);
  biggest(l & 2 ? (ulong *)&top : (ulong *)&wide[1], (ulong)own.y << 20 | own.z);
  barrier_lds();
  if (l == 0) {
    bump((uint *)&narrow[1], part[0]);
    biggest((ulong *)&wide[0], top);
  }
  out[i] = own;
}
