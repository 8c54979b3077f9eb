// Functions that are called, with a stack frame and a pointer into it.
#include "ids.h"

__attribute__((noinline)) static int mix(int *state, int v) {
  volatile int rounds[3];
  for (int k = 0; k < 3; k++) rounds[k] = v * (k + 3) ^ *state;
  *state = rounds[v & 1] + rounds[2];
  return rounds[(v >> 1) & 1];
}

__attribute__((noinline)) static int twice(int *state, int v) {
  int first = mix(state, v);
  return first + mix(state, first ^ 0x55);
}

__kernel void calls(__global int *out, __global const int *in) {
  int i = GLOBAL_X(64), state = i;
  int r = twice(&state, in[i]);
  if (i & 1) r -= twice(&state, r);
  out[i] = r ^ state;
}
