// Escape times in single precision, without contraction: nested divergent loops.
#include "ids.h"

__kernel void mandelbrot(__global ushort *out, int width, int limit) {
#pragma clang fp contract(off)
  int x = GLOBAL_X(16), y = GLOBAL_Y(4);
  if (x >= width) return;
  int total = 0;
  for (int sub = 0; sub < 4; sub++) {
    float cr = (float)(2 * x + (sub & 1)) * 0x1p-5f - 2.0f, ci = (float)(2 * y + (sub >> 1)) * 0x1p-4f - 1.0f, r = 0, i = 0;
    int n = 0;
    while (n < limit && r * r + i * i < 4.0f) {
      float t = r * r - i * i + cr;
      i = 2.0f * r * i + ci;
      r = t;
      n++;
    }
    total += n;
  }
  out[y * width + x] = total;
}
