// A switch in a loop, with continue, break and an early return.
#include "ids.h"

__kernel void loop(__global int *out, __global const uchar *program, __global const int *in) {
  int i = GLOBAL_X(64), acc = in[i];
  out[i] = -1;
  for (int pc = 0; pc < 40; pc++) {
    switch (program[(pc + i) & 63] & 7) {
    case 0: acc += pc; break;
    case 1: acc ^= acc << 1; continue;
    case 2: acc = -acc; break;
    case 3:
      if (acc > 1000000) return;
      acc *= 3;
      break;
    case 4: acc >>= 1; break;
    case 5: pc += acc & 1; break;
    default: acc += program[pc]; break;
    }
    if ((acc & 0xff) == 0x7f) break;
  }
  out[i] = acc;
}
