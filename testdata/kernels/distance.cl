// Edit distance of two strings a work-item: a private row of shorts, byte loads, loops of different lengths.
#include "ids.h"

__kernel void distance(__global ushort *out, __global const char *a, __global const char *b, __global const uchar2 *lengths, int stride) {
  int i = GLOBAL_X(64), m = lengths[i].x, n = lengths[i].y;
  ushort row[25];
  for (int y = 0; y <= n; y++) row[y] = y;
  for (int x = 1; x <= m; x++) {
    ushort diagonal = row[0];
    row[0] = x;
    for (int y = 1; y <= n; y++) {
      ushort best = diagonal + (a[i * stride + x - 1] != b[i * stride + y - 1]);
      if (row[y] + 1 < best) best = row[y] + 1;
      if (row[y - 1] + 1 < best) best = row[y - 1] + 1;
      diagonal = row[y];
      row[y] = best;
    }
  }
  out[i] = row[n];
}
