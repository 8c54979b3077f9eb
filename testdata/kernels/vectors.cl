// Vector types of bytes, shorts and dwords: wide loads and stores, swizzles.
#include "ids.h"

__kernel void vectors(__global uchar4 *bytes, __global ushort2 *shorts, __global int4 *dwords, __global const uchar4 *a,
                      __global const short2 *b, __global const int4 *c, __global const uchar *odd) {
  int i = GLOBAL_X(64);
  uchar4 p = a[i];
  short2 q = b[i];
  int4 r = c[i];
  bytes[i] = (uchar4)(p.w, p.y + 1, (uchar)q.x, (uchar)r.z);
  shorts[i] = (ushort2)(q.y - p.x, q.x * p.z);
  int3 t = *(__global const int3 *)(c + i);
  dwords[i] = r.wzyx + (int4)(t, odd[3 * i] | odd[3 * i + 1] << 8 | odd[3 * i + 2] << 16);
}
