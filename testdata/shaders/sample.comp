#version 450
// Texture look-ups of all shapes: with a level, derivatives, offsets, a projection, in
// texels, and with the level that quads imply.
#extension GL_GOOGLE_include_directive : enable
#include "lookup.glsl"
#define RESULTS 21
layout(set = 0, binding = 9) uniform sampler1DArray lines;      // 32 x 3
layout(set = 0, binding = 10) uniform sampler2D flat2;          // 32x16
layout(set = 0, binding = 11) uniform sampler2DArray layers;    // 16x16 x 4
layout(set = 0, binding = 12) uniform sampler3D solid;          // 8x16x4
layout(set = 0, binding = 13) uniform samplerCube sky;          // 16x16
layout(set = 0, binding = 14) uniform samplerCubeArray skies;   // 16x16 x 2
layout(set = 0, binding = 15) uniform sampler2D texels;         // 20x12, in texels
layout(set = 0, binding = 16) uniform sampler2D points;         // 12x20, without filters

#ifdef REFERENCE
#define QUERIED vec2(log2(footprint(src.i[(ID & ~3u) + 64])))
#else
#define QUERIED textureQueryLod(flat2, corner(ID))
#endif

void main() {
  uint i = src.i[ID], j = src.i[ID + 64];
  vec3 p = unit3(i);
  float lod = level(j), size = footprint(j);
  vec3 inLayer = vec3(p.xy, layer(j));
  vec2 at = corner(ID);
  vec3 atLayer = vec3(at * vec2(2, 1), layer(j));

  WRITE(0, floatBitsToUint(textureLod(lines, inLayer.xz, lod)));
  WRITE(1, floatBitsToUint(textureGradOffset(lines, inLayer.xz, size / 32.0, -size / 64.0, -3)));
  WRITE(2, floatBitsToUint(textureLod(flat2, p.xy, lod)));
  WRITE(3, floatBitsToUint(textureGrad(flat2, p.xy, vec2(0, size / 16.0), vec2(-size / 64.0, 0))));
  WRITE(4, floatBitsToUint(IMPLIED(flat2, at, 0.0)));
  WRITE(5, floatBitsToUint(IMPLIED(flat2, at, -1.0)));
  WRITE(6, floatBitsToUint(textureProjLodOffset(flat2, vec3(p.xy * 2.0, 2.0), lod, ivec2(5, -8))));
  WRITE(7, floatBitsToUint(textureLod(layers, inLayer, lod)));
  WRITE(8, floatBitsToUint(textureGradOffset(layers, inLayer, vec2(size, 0) / 16.0, vec2(0, size) / 16.0, ivec2(-7, 3))));
  WRITE(9, floatBitsToUint(IMPLIED(layers, atLayer, 1.0)));
  WRITE(10, floatBitsToUint(textureLod(solid, p, lod)));
  WRITE(11, floatBitsToUint(textureGradOffset(solid, p, vec3(0, 0, size / 4.0), vec3(size / 16.0, 0, 0), ivec3(1, -1, 2))));
  WRITE(12, floatBitsToUint(textureLod(sky, direction(i), lod)));
  WRITE(13, floatBitsToUint(textureLod(skies, vec4(direction(i), cube(j)), lod)));
  WRITE(14, floatBitsToUint(textureLod(texels, p.xy * vec2(20, 12), 0.0)));
  WRITE(15, floatBitsToUint(textureLodOffset(points, p.xy, lod, ivec2(-8, 7))));
  WRITE(16, floatBitsToUint(texelFetchOffset(points, ivec2(i & 7, i >> 3 & 7), int(j & 3), ivec2(-1, 2))));
  uvec3 sizes = uvec3(textureSize(solid, 1)) + 256u * uvec3(textureSize(skies, 1)) + 65536u * uvec3(textureSize(lines, 2), textureQueryLevels(flat2));
  vec2 queried = QUERIED * 256.0;
  WRITE(17, uvec4(sizes, uint(queried.x) + uint(queried.y) * 65536u));
  WRITE(18, floatBitsToUint(IMPLIED_OFFSET(flat2, at, 0.0, ivec2(3, -2))));
  WRITE(19, floatBitsToUint(IMPLIED_OFFSET(layers, atLayer, 2.0, ivec2(-5, 1))));
  WRITE(20, floatBitsToUint(textureGrad(skies, vec4(direction(i), cube(j)), along(i, vec2(size / 8.0, 0)), along(i, vec2(0, size / 8.0)))));
}
