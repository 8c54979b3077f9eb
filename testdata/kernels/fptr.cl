// Calls through pointers that differ between lanes.
#include "ids.h"

#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable

static int add(int a, int b) { return a + b * 3; }
static int sub(int a, int b) { return a - (b >> 2); }
static int mix(int a, int b) { return (a ^ b) * 5; }
static int loop(int a, int b) {
  for (int k = 0; k < (b & 7); k++) a = a * 3 + k;
  return a;
}

__kernel void fptr(__global int *out, __global const int *in) {
  int i = GLOBAL_X(64), v = in[i];
  int (*f)(int, int) = v & 1 ? (v & 2 ? add : sub) : (v & 2 ? mix : loop);
  out[i] = f(v, i) + f(i, v >> 3);
}
