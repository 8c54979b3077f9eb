// Bitonic sort of 256 keys with their values: compare and exchange in LDS, barriers between four waves.
#include "ids.h"

__kernel void bitonic(__global uint2 *data) {
  __local uint2 m[256];
  uint l = LOCAL_X;
  m[l] = data[GLOBAL_X(256)];
  for (uint size = 2; size <= 256; size *= 2)
    for (uint d = size / 2; d; d /= 2) {
      barrier_lds();
      uint other = l ^ d;
      if (other > l) {
        uint2 a = m[l], b = m[other];
        if ((a.x > b.x || (a.x == b.x && a.y > b.y)) == !(l & size)) m[l] = b, m[other] = a;
      }
    }
  barrier_lds();
  data[GLOBAL_X(256)] = m[l];
}
