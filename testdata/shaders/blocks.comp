#version 450
// Storage buffers: structures, vectors of three, atomics that return, a read out of range.
#extension GL_GOOGLE_include_directive : enable
#include "layout.glsl"
struct Row { vec3 at; uint key; uvec2 pair; float w; };
layout(set = 0, binding = 2, std430) buffer Rows { uint total; uint top; uint swaps; uint mask; Row row[]; } rows;

void main() {
  uint x = src.i[ID];
  Row r = rows.row[x & 15];
  uvec3 whole = uvec3(r.at * r.w);
  uint a = atomicAdd(src.i[ID + 256], x | 1);
  a ^= atomicMax(rows.row[LANE & 15].key, x >> 3);
  atomicAdd(rows.total, x);
  atomicMax(rows.top, x ^ a & 0);
  atomicXor(rows.mask, x * 3);
  a += atomicCompSwap(src.i[ID + 256], x, 77u);
  dst.o[ID] = uvec4(whole.x + r.key, whole.y ^ r.pair.x, whole.z - r.pair.y, a + src.i[ID + (x & 1) * 100000]);
}
