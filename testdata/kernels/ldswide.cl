// Wide LDS accesses: 8, 12 and 16 bytes a lane, pairs with offsets, strides of 64 elements, misaligned vectors.
#include "ids.h"

typedef struct __attribute__((packed)) { ushort tag; uint3 body; } Odd;

__kernel void ldswide(__global uint4 *out, __global const uint4 *in) {
  __local uint4 quads[64];
  __local uint columns[4 * 64];
  __local double doubles[128];
  __local uint3 triples[64];
  __local Odd odd[64];
  int l = LOCAL_X, i = GLOBAL_X(64);
  uint4 v = in[i];
  quads[l] = v;
  columns[l] = v.x;
  columns[l + 64] = v.y;
  columns[l + 128] = v.z;
  columns[l + 192] = v.w;
  doubles[l] = (double)v.x;
  doubles[l + 64] = (double)(int)v.y;
  triples[l] = v.yzw;
  odd[l].tag = v.x;
  odd[l].body.x = v.w;
  odd[l].body.y = v.z;
  odd[l].body.z = v.y;
  barrier_lds();
  uint4 a = quads[63 - l], b = (uint4)(columns[l ^ 1], columns[(l ^ 2) + 64], columns[(l ^ 4) + 128], columns[(l ^ 8) + 192]);
  double d = doubles[(l + 1) & 63] + doubles[((l + 2) & 63) + 64];
  uint3 t = triples[(l + 3) & 63];
  int o = (l + 5) & 63;
  out[2 * i] = a + b;
  out[2 * i + 1] = (uint4)((uint)(long)d, t.x ^ odd[o].tag, t.y + odd[o].body.x, t.z - odd[o].body.z * odd[o].body.y);
}
