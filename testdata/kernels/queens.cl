// Counts solutions of the eight queens problem by backtracking: a private stack, deep divergence.
#include "ids.h"

__kernel void queens(__global uint *out, __global const uchar *first, int n) {
  int i = GLOBAL_X(64), row = 2;
  uint all = (1u << n) - 1, free[10], cols[10], left[10], right[10];
  uint a = 1u << (first[i] & 15), b = 1u << (first[i] >> 4), count = 0;
  if (!(b & (a | a << 1 | a >> 1))) {
    cols[2] = a | b;
    left[2] = (a << 2 | b << 1) & all;
    right[2] = a >> 2 | b >> 1;
    free[2] = all & ~(cols[2] | left[2] | right[2]);
    while (row >= 2) {
      uint f = free[row];
      if (!f) {
        row--;
        continue;
      }
      uint q = f & -f;
      free[row] = f ^ q;
      if (row == n - 1) {
        count++;
        continue;
      }
      cols[row + 1] = cols[row] | q;
      left[row + 1] = (left[row] | q) << 1 & all;
      right[row + 1] = (right[row] | q) >> 1;
      row++;
      free[row] = all & ~(cols[row] | left[row] | right[row]);
    }
  }
  out[i] = count;
}
