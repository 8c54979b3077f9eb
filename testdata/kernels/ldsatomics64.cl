// Every LDS atomic of 32 and 64 bits, without and with a returned value; each work-item has its own places.
#include "ids.h"

__kernel void ldsatomics64(__global ulong *out, __global const ulong *in) {
  __local uint n[24][64];
  __local ulong w[24][64];
  int l = LOCAL_X, i = GLOBAL_X(64);
  ulong v = in[i], start = in[i ^ 1], s = 0;
  uint u = (uint)v;
  for (int k = 0; k < 24; k++) n[k][l] = w[k][l] = start * (k + 1);
#define EACH(OP, k, cast, value)                                                    \
  s = s * 5 + (ulong)OP((__local cast *)&n[k][l], (cast)(value), __ATOMIC_RELAXED); \
  OP((__local cast *)&n[k + 1][l], (cast)(value), __ATOMIC_RELAXED)
#define EACHW(OP, k, cast, value)                                                   \
  s = s * 5 + (ulong)OP((__local cast *)&w[k][l], (cast)(value), __ATOMIC_RELAXED); \
  OP((__local cast *)&w[k + 1][l], (cast)(value), __ATOMIC_RELAXED)
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
  s = s * 5 + __builtin_amdgcn_atomic_inc32(&n[20][l], u & 7, __ATOMIC_RELAXED, "workgroup");
  __builtin_amdgcn_atomic_inc32(&n[21][l], u, __ATOMIC_RELAXED, "workgroup");
  s = s * 5 + __builtin_amdgcn_atomic_dec32(&n[22][l], u & 7, __ATOMIC_RELAXED, "workgroup");
  __builtin_amdgcn_atomic_dec32(&n[23][l], u, __ATOMIC_RELAXED, "workgroup");
  s = s * 5 + __builtin_amdgcn_atomic_inc64(&w[20][l], v & 7, __ATOMIC_RELAXED, "workgroup");
  __builtin_amdgcn_atomic_inc64(&w[21][l], v, __ATOMIC_RELAXED, "workgroup");
  s = s * 5 + __builtin_amdgcn_atomic_dec64(&w[22][l], v & 7, __ATOMIC_RELAXED, "workgroup");
  __builtin_amdgcn_atomic_dec64(&w[23][l], v, __ATOMIC_RELAXED, "workgroup");
  for (int k = 0; k < 24; k++) {
    out[(i * 24 + k) * 2] = n[k][l];
    out[(i * 24 + k) * 2 + 1] = w[k][l] + (k == 23 ? s : 0);
  }
}
