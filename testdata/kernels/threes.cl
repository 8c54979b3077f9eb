// Structures of three dwords: loads and stores of 12 bytes in memory, in LDS and through registers.
#include "ids.h"

typedef struct { uint x, y, z; } Three;

__kernel void threes(__global Three *out, __global const Three *in, __global const uchar *bytes) {
  __local Three tile[64];
  int l = LOCAL_X, i = GLOBAL_X(64);
  Three a = in[i];
  tile[l] = a;
  barrier_lds();
  Three b = tile[l * 7 & 63], c;
  c.x = a.x + b.z;
  c.y = a.y ^ b.y;
  c.z = a.z - b.x + ((__global const Three *)(bytes + 12))[i].y;
  out[i] = c;
}
