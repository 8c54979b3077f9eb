// Histogram without atomics: byte counters of each work-item in LDS.
#include "ids.h"

__kernel void histogram(__global uint *bins, __global const uchar *in, int perItem) {
  __local uchar count[16][64];
  int l = LOCAL_X;
  for (int b = 0; b < 16; b++) count[b][l] = 0;
  for (int k = 0; k < perItem; k++) count[in[(GROUP_X * perItem + k) * 64 + l] >> 4][l]++;
  barrier_lds();
  if (l < 16) {
    uint sum = 0;
    for (int k = 0; k < 64; k++) sum += count[l][k];
    bins[GROUP_X * 16 + l] = sum;
  }
}
