// Loads and stores of single bytes and shorts, into low and high halves, with constant offsets.
#include "ids.h"

__kernel void shorts(__global ushort2 *pairs, __global uchar *bytes, __global short *sums, __global const ushort *a, __global const char *b) {
  int i = GLOBAL_X(64);
  pairs[i] = (ushort2)(a[i], a[i + 64]);
  pairs[i + 128] = (ushort2)((ushort)b[i + 3], (ushort)(uchar)b[i + 5]);
  ushort2 swapped = (ushort2)(a[3 * i + 1], a[3 * i]);
  bytes[2 * i] = swapped.y >> 8;
  bytes[2 * i + 1] = swapped.x;
  short s = 0;
  for (int k = 0; k < 7; k++) s += b[i + k] * (short)a[i + 2 * k];
  sums[i] = s;
}
