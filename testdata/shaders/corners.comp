#version 450
// Look-ups around the corners of cubes, where three texels meet.
#extension GL_GOOGLE_include_directive : enable
#include "lookup.glsl"
#define RESULTS 5
layout(set = 0, binding = 9) uniform samplerCubeShadow sky;         // 4x4
layout(set = 0, binding = 10) uniform samplerCubeArrayShadow skies; // 4x4 x 2, 16 bits
layout(set = 0, binding = 11) uniform samplerCube colors;           // 4x4
layout(set = 0, binding = 12) uniform samplerCube halves;           // 2x2

// crowded is within half the width of a face of a corner, and of length 1 along the axis of a face.
vec3 crowded(uint bits) {
  vec2 p = vec2(1.0) - vec2((bits & 31) * 2 + 1, (bits >> 5 & 31) * 2 + 1) / 128.0;
  uint axis = (bits >> 10) % 3;
  vec3 d = axis == 0 ? vec3(1, p) : axis == 1 ? vec3(p.x, 1, p.y) : vec3(p, 1);
  return d * vec3((bits >> 20 & 1) == 0 ? 1 : -1, (bits >> 21 & 1) == 0 ? 1 : -1, (bits >> 22 & 1) == 0 ? 1 : -1);
}

void main() {
  uint i = src.i[ID], j = src.i[ID + 64];
  vec3 d = crowded(i);
  float depth = float((j >> 12 & 255) * 2 + 1) / 512.0;
  WRITE(0, floatBitsToUint(vec4(texture(sky, vec4(d, depth)), texture(sky, vec4(-d, depth)), texture(skies, vec4(d, cube(j)), depth),
                                texture(skies, vec4(-d, cube(j)), depth))));
  WRITE(1, floatBitsToUint(textureGather(sky, d, depth)));
  WRITE(2, floatBitsToUint(textureGather(colors, d, 2)));
  WRITE(3, floatBitsToUint(texture(colors, d)));
  WRITE(4, floatBitsToUint(texture(halves, d)));
}
