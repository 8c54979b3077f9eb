// Pairs of 16-bit integers: packed arithmetic on GCN 1.4, SDWA on GCN 1.2.
#include "ids.h"

__kernel void pairs(__global ushort2 *out, __global const short2 *a, __global const ushort2 *b) {
  int i = GLOBAL_X(64);
  short2 x = a[i];
  ushort2 y = b[i], ux = __builtin_astype(x, ushort2);
  short2 sy = __builtin_astype(y, short2);
  __global ushort2 *o = out + i * 8;
  o[0] = ux + y;
  o[1] = ux - y.yx;
  o[2] = ux * y + (ushort2)(3, 5);
  o[3] = ux << (y & (ushort)15);
  o[4] = __builtin_astype(x >> (sy & (short)15), ushort2);
  o[5] = ux >> (y & (ushort)15);
  o[6] = __builtin_astype(x < sy ? x : sy, ushort2);
  o[7] = ux > y.yx ? ux : y.yx;
}
