// Every memory atomic of 32 and 64 bits, with and without a returned value; each work-item has its own places.
#include "ids.h"

__kernel void memoryatomics(__global uint *narrow, __global ulong *wide, __global ulong *old, __global const ulong *in) {
  int i = GLOBAL_X(64);
  ulong v = in[i];
  uint u = (uint)v;
  __global uint *n = narrow + i * 24;
  __global ulong *w = wide + i * 24;
  __global ulong *o = old + i * 24;
#define EACH(OP, k, cast, value)                               \
  o[k] = (ulong)OP((__global cast *)n + k, (cast)(value), __ATOMIC_RELAXED); \
  OP((__global cast *)n + k + 1, (cast)(value), __ATOMIC_RELAXED)
#define EACHW(OP, k, cast, value)                              \
  o[k + 1] = (ulong)OP((__global cast *)w + k, (cast)(value), __ATOMIC_RELAXED); \
  OP((__global cast *)w + k + 1, (cast)(value), __ATOMIC_RELAXED)
  EACH(__atomic_fetch_add, 0, uint, u);
  EACH(__atomic_fetch_sub, 2, uint, u);
  EACH(__atomic_fetch_and, 4, uint, u);
  EACH(__atomic_fetch_or, 6, uint, u);
  EACH(__atomic_fetch_xor, 8, uint, u);
  EACH(__atomic_exchange_n, 10, uint, u);
  EACH(__atomic_fetch_min, 12, uint, u);
  EACH(__atomic_fetch_max, 14, uint, u);
  EACH(__atomic_fetch_min, 16, int, u);
  EACH(__atomic_fetch_max, 18, int, u);
  EACHW(__atomic_fetch_add, 0, ulong, v);
  EACHW(__atomic_fetch_sub, 2, ulong, v);
  EACHW(__atomic_fetch_and, 4, ulong, v);
  EACHW(__atomic_fetch_or, 6, ulong, v);
  EACHW(__atomic_fetch_xor, 8, ulong, v);
  EACHW(__atomic_exchange_n, 10, ulong, v);
  EACHW(__atomic_fetch_min, 12, ulong, v);
  EACHW(__atomic_fetch_max, 14, ulong, v);
  EACHW(__atomic_fetch_min, 16, long, v);
  EACHW(__atomic_fetch_max, 18, long, v);
  o[20] = __builtin_amdgcn_atomic_inc32(n + 20, u & 7, __ATOMIC_RELAXED, "agent");
  __builtin_amdgcn_atomic_inc32(n + 21, u, __ATOMIC_RELAXED, "agent");
  o[21] = __builtin_amdgcn_atomic_dec32(n + 22, u & 7, __ATOMIC_RELAXED, "agent");
  __builtin_amdgcn_atomic_dec32(n + 23, u, __ATOMIC_RELAXED, "agent");
  o[22] = __builtin_amdgcn_atomic_inc64(w + 20, v & 7, __ATOMIC_RELAXED, "agent");
  __builtin_amdgcn_atomic_inc64(w + 21, v, __ATOMIC_RELAXED, "agent");
  o[23] = __builtin_amdgcn_atomic_dec64(w + 22, v & 7, __ATOMIC_RELAXED, "agent");
  __builtin_amdgcn_atomic_dec64(w + 23, v, __ATOMIC_RELAXED, "agent");
}
