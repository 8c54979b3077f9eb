#version 450
// Comparisons with depths, of all shapes that have them.
#extension GL_GOOGLE_include_directive : enable
#include "lookup.glsl"
#define RESULTS 4
layout(set = 0, binding = 9) uniform sampler1DArrayShadow lines;   // 32 x 3
layout(set = 0, binding = 10) uniform sampler2DShadow flat2;       // 32x16
layout(set = 0, binding = 11) uniform sampler2DArrayShadow layers; // 16x16 x 4
layout(set = 0, binding = 12) uniform samplerCubeShadow sky;       // 16x16, one level
layout(set = 0, binding = 13) uniform samplerCubeArrayShadow skies; // 16x16 x 2, one level
layout(set = 0, binding = 14) uniform sampler2DShadow points;      // 12x20, 16 bits, without filters

void main() {
  uint i = src.i[ID], j = src.i[ID + 64];
  vec2 p = unit2(i);
  float lod = level(j), size = footprint(j), depth = float((j >> 12 & 255) * 2 + 1) / 512.0;
  vec2 dx = vec2(0, size / 16.0), dy = vec2(-size / 64.0, 0);
  WRITE(0, floatBitsToUint(vec4(textureLod(lines, vec4(p.x, layer(j), 0, depth).xyw, lod),
                                textureLod(flat2, vec3(p, depth), lod),
                                textureGrad(flat2, vec3(p, depth), dx, dy),
                                textureLodOffset(flat2, vec3(p, depth), lod, ivec2(-8, 7)))));
  WRITE(1, floatBitsToUint(vec4(textureProjLod(flat2, vec4(p, depth, 0.5) * vec4(0.5, 0.5, 0.5, 1), lod),
                                textureProjGradOffset(flat2, vec4(p, depth, 4.0) * vec4(4, 4, 4, 1), dx, dy, ivec2(2, -3)),
                                textureGradOffset(layers, vec4(p, layer(j), depth), dx, dy, ivec2(-1, 5)),
                                textureGrad(layers, vec4(p, layer(j), depth), dx * 2.0, dy * 8.0))));
  WRITE(2, floatBitsToUint(vec4(texture(sky, vec4(direction(i), depth)),
                                texture(skies, vec4(direction(i), cube(j)), depth),
                                textureLod(points, vec3(p, depth), lod),
                                textureLod(points, vec3(p, depth * 4.0 - 1.5), lod))));
  vec3 at = vec3(corner(ID), depth);
  WRITE(3, floatBitsToUint(vec4(IMPLIED(flat2, at, 0.0), IMPLIED(flat2, at, -1.0), IMPLIED_OFFSET(flat2, at, 0.0, ivec2(3, -2)),
                                IMPLIED_OFFSET(flat2, at, 1.0, ivec2(-8, 7)))));
}
