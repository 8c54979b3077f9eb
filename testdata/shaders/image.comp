#version 450
// Storage images: a 2D image is read and written in place, an array takes atomics, a 3D
// image of halves is mirrored, and sizes are asked for.
#extension GL_GOOGLE_include_directive : enable
#include "layout.glsl"
layout(set = 0, binding = 5, rgba8) uniform image2D picture;
layout(set = 0, binding = 6, r32ui) uniform uimage2DArray counts;
layout(set = 0, binding = 7, rgba16f) uniform image3D volume;
layout(set = 0, binding = 8) uniform writeonly uimage1DArray lines;

void main() {
  ivec2 p = ivec2(ID & 15, ID >> 4); // 16x16
  vec4 a = imageLoad(picture, p);
  vec4 out_of_range = imageLoad(picture, p + 15);
  imageStore(picture, p, a.bgra);

  uint i = src.i[ID];
  ivec3 q = ivec3(p >> 1, ID & 1);
  uint sum = imageAtomicAdd(counts, q, i & 0xffff);
  uint top = imageAtomicMax(counts, q + ivec3(8, 0, 0), i);
  uint old = imageAtomicCompSwap(counts, ivec3(p, 2), src.i[ID + 256], i);

  vec4 v = imageLoad(volume, ivec3(p.x & 7, p.y & 7, (p.x >> 3) + (p.y >> 3) * 2));
  imageStore(volume, ivec3(p.x & 7, p.y & 7, 4 + (p.x >> 3) + (p.y >> 3) * 2), v.wzyx * 2.0);
  imageStore(lines, ivec2(p.y, p.x), uvec4(i, 1, 2, 3));

  uvec3 size = uvec3(imageSize(volume)) + uvec3(imageSize(counts)) * 256 + uvec3(imageSize(picture), imageSize(lines).y) * 65536;
  dst.o[2 * ID] = uvec4(packUnorm4x8(a), packUnorm4x8(out_of_range), sum, top);
  dst.o[2 * ID + 1] = uvec4(old, size);
}
