// Multiply and add in floating point, four strided elements a work-item.
#include "ids.h"

__kernel void saxpy(__global float *y, __global const float *x, float a, int stride) {
  int i = GLOBAL_X(128);
  for (int k = 0; k < 4; k++) y[i + k * stride] = a * x[i + k * stride] + y[i + k * stride];
}
