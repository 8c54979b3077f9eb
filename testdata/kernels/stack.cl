// Calls with more arguments than registers hold, structures passed and returned, a callee that calls.
#include "ids.h"

typedef struct { int a[6]; long b; char c; } Big;

__attribute__((noinline)) static Big turn(Big x, int by) {
  Big r = x;
  for (int k = 0; k < 6; k++) r.a[k] = x.a[(k + by) % 6] + by;
  r.b = x.b * 3 - r.a[by % 6];
  r.c = (char)(x.c + by);
  return r;
}

__attribute__((noinline)) static int many(int4 a, int4 b, int4 c, int4 d, int4 e, int4 f, int4 g, int4 h, int4 i, int4 j, short k, char l, long m) {
  int4 s = a - b + c * 3 - d + e * 5 - f + (g ^ h) + (i & j);
  return s.x + s.y * 2 + s.z * 4 - s.w + k * l + (int)(m >> 7);
}

__attribute__((noinline)) static long both(Big *x, int v) {
  *x = turn(*x, v & 15);
  int4 q = (int4)(v, v + 1, v * 2, x->a[1]);
  return many(q, q + 1, q - 2, q * 3, q ^ 4, q | 5, q << 1, q >> 2, q + 7, q - 9, (short)v, x->c, x->b) + x->a[3];
}

__kernel void stack(__global long *out, __global const int *in) {
  int i = GLOBAL_X(64), v = in[i];
  Big x = {{i, i + 1, v, v * 2, 5, 6}, v, (char)i};
  long r = both(&x, v);
  if (v & 1) r += both(&x, v >> 4);
  out[2 * i] = r;
  out[2 * i + 1] = x.b + x.c + x.a[(uint)v % 6];
}
