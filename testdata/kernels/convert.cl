// Signed and unsigned bytes and shorts, saturated and wrapped.
#include "ids.h"

__kernel void convert(__global short *wide, __global uchar *clamped, __global char *wrapped, __global const char *a,
                      __global const uchar *b, __global const ushort *c) {
  int i = GLOBAL_X(64);
  int v = a[i] * 3 + b[i];
  wide[i] = (short)(v - c[i]);
  clamped[i] = v < 0 ? 0 : v > 255 ? 255 : v;
  wrapped[i] = (char)(c[i] + a[i]);
}
