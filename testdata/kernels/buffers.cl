// Buffer resources in the source (clang 22): raw loads and stores of 1 to 16 bytes, some out of range.
#include "ids.h"

__kernel void buffers(__global uint *out, __global uchar *in, int size, uint flags) {
  int i = GLOBAL_X(64);
  __amdgpu_buffer_rsrc_t from = __builtin_amdgcn_make_buffer_rsrc(in, 0, size, flags);
  __amdgpu_buffer_rsrc_t to = __builtin_amdgcn_make_buffer_rsrc(out, 0, 64 * 256, flags);
  int at = i * 16;
  uint s = __builtin_amdgcn_raw_buffer_load_b8(from, at + 1, 0, 0);
  s += __builtin_amdgcn_raw_buffer_load_b16(from, at + 2, 0, 0);
  s += __builtin_amdgcn_raw_buffer_load_b32(from, at + 4, 64, 0);
  uint2 p = __builtin_amdgcn_raw_buffer_load_b64(from, at, 32, 0);
  uint3 t = __builtin_amdgcn_raw_buffer_load_b96(from, at + 16, size & 16, 0);
  uint4 q = __builtin_amdgcn_raw_buffer_load_b128(from, at + 4080, 0, 0);
  __builtin_amdgcn_raw_buffer_store_b128(q, to, i * 64, 0, 0);
  __builtin_amdgcn_raw_buffer_store_b96(t, to, i * 64 + 16, 0, 0);
  __builtin_amdgcn_raw_buffer_store_b64(p, to, i * 64 + 28, 4, 0);
  __builtin_amdgcn_raw_buffer_store_b32(s, to, i * 64 + 40, 0, 0);
  __builtin_amdgcn_raw_buffer_store_b16(s, to, i * 64 + 44, 0, 0);
  __builtin_amdgcn_raw_buffer_store_b8(s, to, i * 64 + 46, 0, 0);
  __builtin_amdgcn_raw_buffer_store_b32(i, to, i * 64 + (i & 1 ? 64 * 256 : 48), 0, 0);
}
