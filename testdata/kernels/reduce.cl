// Maximum and sum of a group by a tree in LDS.
#include "ids.h"

__kernel void reduce(__global int *sums, __global int *maxima, __global const int *in) {
  __local int sum[128], top[128];
  int l = LOCAL_X, i = GLOBAL_X(128);
  sum[l] = in[i];
  top[l] = in[i];
  barrier_lds();
  for (int step = 64; step > 0; step >>= 1) {
    if (l < step) {
      sum[l] += sum[l + step];
      top[l] = top[l] > top[l + step] ? top[l] : top[l + step];
    }
    barrier_lds();
  }
  if (l == 0) {
    sums[GROUP_X] = sum[0];
    maxima[GROUP_X] = top[0];
  }
}
