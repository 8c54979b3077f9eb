// Instructions of three operands that compilers build from patterns: minima, maxima, medians, shifts with additions.
#include "ids.h"

#define MIN(x, y) ((x) < (y) ? (x) : (y))
#define MAX(x, y) ((x) > (y) ? (x) : (y))

__kernel void ternary(__global int *out, __global const int *a, __global const int *b, __global const int *c) {
  int i = GLOBAL_X(64), x = a[i], y = b[i], z = c[i];
  uint ux = x, uy = y, uz = z;
  short sx = x, sy = y, sz = z;
  ushort tx = x, ty = y, tz = z;
  __global int *o = out + i * 16;
  o[0] = MIN(MIN(x, y), z);
  o[1] = MAX(MAX(x, y), z);
  o[2] = MIN(MIN(ux, uy), uz);
  o[3] = MAX(MAX(ux, uy), uz);
  o[4] = MIN(MAX(x, -100), 1000);
  o[5] = MIN(MAX(ux, 100u), 0x40000000u);
  short s = MIN(MIN(sx, sy), sz), t = MAX(MAX(sx, sy), sz), m = MIN(MAX(sx, (short)-12), (short)300);
  o[6] = s + t;
  o[7] = m;
  ushort p = MIN(MIN(tx, ty), tz), q = MAX(MAX(tx, ty), tz), n = MIN(MAX(tx, (ushort)12), (ushort)30000);
  o[8] = p + q;
  o[9] = n;
  o[10] = (x << 5) + y;
  o[11] = (x + y) << (z & 31);
  o[12] = (int)((ux & uy) | uz);
  o[13] = (int)(MAX(ux, uy) - MIN(ux, uy)) + z;
  short mad = sx * sy + sz;
  ushort umad = tx * ty + tz;
  o[14] = mad ^ umad;
  o[15] = (x ^ y) + z - (x ^ ~y);
}
