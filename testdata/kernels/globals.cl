// Variables of program scope: constant tables of several types, pointers between them, LDS arrays of one scope.
#include "ids.h"

typedef struct { short weight; uchar kind; float factor; } Row;

__constant Row rows[5] = {{-3, 1, 0.5f}, {7, 2, 1.5f}, {0, 3, -2.0f}, {300, 0, 4.0f}, {-1000, 2, 0.25f}};
__constant long steps[3] = {0x123456789abcdefL, -1, 1L << 40};
__constant char text[] = "the quick brown fox jumps over the lazy dog";
__constant const int fibonacci[] = {1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144};
__constant const int squares[] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121};
__constant const int *__constant tables[2] = {fibonacci, squares};

__kernel void globals(__global long *out, __global const uchar *in) {
  __local short counts[5];
  int i = GLOBAL_X(64), l = LOCAL_X;
  if (l < 5) counts[l] = rows[4 - l].weight;
  barrier_lds();
  uchar v = in[i];
  __constant Row *r = &rows[v % 5];
  long s = steps[v % 3] + r->weight * 1000L + r->kind + (int)(r->factor * 8.0f);
  s ^= (long)text[v % 43] << 48;
  s += tables[v >> 7][v % 12];
  out[i] = s - counts[(v >> 3) % 5];
}
