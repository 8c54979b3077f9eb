// Correctly rounded division of single precision, and square roots of squares.
#include "ids.h"

__kernel void divf(__global float *out, __global float *roots, __global const float *a, __global const float *b) {
#pragma clang fp contract(off)
  int i = GLOBAL_X(64);
  out[i] = a[i] / b[i];
  float whole = __builtin_truncf(a[i] * 0x1p-60f);
  roots[i] = __builtin_sqrtf(whole * whole) + 1.0f / (b[i] * b[i] + 1.0f);
}
