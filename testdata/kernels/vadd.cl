// Adds two arrays; the last group is partial.
#include "ids.h"

__kernel void vadd(__global int *sum, __global const int *a, __global const int *b, int n) {
  int i = GLOBAL_X(64);
  if (i < n) sum[i] = a[i] + b[i];
}
