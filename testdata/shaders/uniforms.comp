#version 450
// Push constants, uniform and divergent control flow, integer division, bit operations.
#extension GL_GOOGLE_include_directive : enable
#include "layout.glsl"

void main() {
  uint x = src.i[ID];
  if (ID >= push.a) return;
  uint n = x, steps = 0;
  while (n != 1 && steps < push.b) {
    n = (n & 1) == 0 ? n / 2 : n * 3 + 1;
    steps++;
  }
  uvec4 r = uvec4(steps, x / push.c, x % (push.c + (ID & 7)), bitfieldExtract(x, 5, 11));
  for (uint k = 0; k < push.d; k++) r.wzyx += uvec4(bitCount(x), findMSB(x), findLSB(x), bitfieldReverse(x)) >> k;
  r.x ^= uint(push.f.y * float(ID) + push.f.w);
  dst.o[ID] = r;
}
