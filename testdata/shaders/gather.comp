#version 450
// Gathered texels: each component, offsets, integers, faces of cubes, comparisons.
#extension GL_GOOGLE_include_directive : enable
#include "lookup.glsl"
#define RESULTS 18
layout(set = 0, binding = 9) uniform sampler2D flat2;              // 32x16
layout(set = 0, binding = 10) uniform isampler2D whole;            // 12x20
layout(set = 0, binding = 11) uniform usampler2DArray layers;      // 16x16 x 4
layout(set = 0, binding = 12) uniform samplerCube sky;             // 16x16
layout(set = 0, binding = 13) uniform isamplerCube wholeSky;       // 16x16
layout(set = 0, binding = 14) uniform samplerCubeArrayShadow skies; // 16x16 x 2
layout(set = 0, binding = 15) uniform sampler2DShadow shadow;      // 16x16
layout(set = 0, binding = 16) uniform sampler2DArrayShadow shadows; // 16x16 x 4

void main() {
  uint i = src.i[ID], j = src.i[ID + 64];
  vec2 p = unit2(i);
  vec3 inLayer = vec3(p, layer(j)), d = direction(i);
  float depth = float((j >> 12 & 255) * 2 + 1) / 512.0;
  const ivec2 around[4] = {ivec2(-3, 2), ivec2(0, 0), ivec2(7, -8), ivec2(1, 1)};
  WRITE(0, floatBitsToUint(textureGather(flat2, p)));
  WRITE(1, floatBitsToUint(textureGather(flat2, p, 1)));
  WRITE(2, floatBitsToUint(textureGather(flat2, p, 2)));
  WRITE(3, floatBitsToUint(textureGather(flat2, p, 3)));
  WRITE(4, floatBitsToUint(textureGatherOffset(flat2, p, ivec2(-8, 7), 2)));
  WRITE(5, floatBitsToUint(textureGatherOffset(flat2, p, ivec2(j >> 20, j >> 23) & 7, 1)));
  WRITE(6, floatBitsToUint(textureGatherOffsets(flat2, p, around, 3)));
  WRITE(7, uvec4(textureGather(whole, p, 0)));
  WRITE(8, uvec4(textureGather(whole, p, 3)));
  WRITE(9, uvec4(textureGatherOffset(whole, p, ivec2(3, -4), 1)));
  WRITE(10, textureGather(layers, inLayer, 1));
  WRITE(11, textureGatherOffset(layers, inLayer, ivec2(-3, 2), 2));
  WRITE(12, floatBitsToUint(textureGather(sky, d, 1)));
  WRITE(13, uvec4(textureGather(wholeSky, d, 2)));
  WRITE(14, floatBitsToUint(textureGather(skies, vec4(d, cube(j)), depth)));
  WRITE(15, floatBitsToUint(textureGather(shadow, p, depth)));
  WRITE(16, floatBitsToUint(textureGatherOffset(shadow, p, depth, ivec2(2, -1))));
  WRITE(17, floatBitsToUint(textureGather(shadows, inLayer, depth)));
}
