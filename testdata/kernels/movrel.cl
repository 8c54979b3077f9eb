// Vectors in registers with an index known at run time: the same for a wave, then different between lanes.
#include "ids.h"

__kernel void movrel(__global int *out, __global const int *in, int k, __global const uchar *where) {
  int i = GLOBAL_X(64);
  int16 v = *(__global const int16 *)(in + 16 * (i & 15));
  v[k & 15] += i;
  out[4 * i] = v[(k + 3) & 15] + v[k & 15];
  int g = (GROUP_X * 5 + k) & 15;
  v[g] = -v[(g + 1) & 15];
  out[4 * i + 1] = v[(g + 15) & 15] ^ v[g];
  int w = where[i] & 15;
  v[w] = i * 3;
  out[4 * i + 2] = v[w] + v[(w * 7) & 15];
  out[4 * i + 3] = v[0] + v[1] * 2 + v[2] * 3 + v[7] * 4 + v[15] * 5;
}
