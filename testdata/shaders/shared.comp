#version 450
// LDS: a tree of sums, exchange between lanes, 64-bit and 16-byte elements, atomics.
#extension GL_GOOGLE_include_directive : enable
#include "layout.glsl"
shared uint tree[64], count[16];
shared uvec4 quad[64];
shared double wide[64];

void main() {
  uint x = src.i[ID];
  tree[LANE] = x;
  quad[LANE] = uvec4(x, ID, LANE, ~x);
  wide[LANE] = double(x >> 8) * 0.5;
  if (LANE < 16) count[LANE] = LANE * 100;
  barrier();
  uvec4 q = quad[63 - LANE];
  double w = wide[LANE ^ 5] + wide[LANE ^ 9];
  atomicAdd(count[x & 15], LANE);
  atomicMax(count[(x >> 4) & 15], x & 0x3ff);
  for (uint n = 32; n > 0; n >>= 1) {
    if (LANE < n) tree[LANE] += tree[LANE + n];
    barrier();
  }
  dst.o[ID] = uvec4(q.x + tree[0], q.y ^ q.w, uint(w), count[LANE & 15] + q.z);
}
