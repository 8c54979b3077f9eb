#version 450
// Texel fetches without filtering: levels of a block-compressed array, samples of a
// multisampled image, whose FMASK says where they are, and how many there are.
#extension GL_GOOGLE_include_directive : enable
#include "layout.glsl"
layout(set = 0, binding = 9) uniform sampler2DArray layers;
layout(set = 0, binding = 10) uniform sampler2DMS samples;
layout(set = 0, binding = 11) uniform isamplerCubeArray faces;

void main() {
  uint i = src.i[ID];
  int level = int(i & 3);
  ivec3 p = ivec3(i >> 8 & 31, i >> 16 & 31, i >> 2 & 3);
  vec4 a = texelFetch(layers, p, level);
  vec4 b = texelFetch(samples, ivec2(ID & 15, ID >> 4), int(i >> 24 & 3));
  uvec3 size = uvec3(textureSize(layers, level)) + uvec3(textureSize(faces, level)) * 256;
  dst.o[2 * ID] = floatBitsToUint(a);
  dst.o[2 * ID + 1] = uvec4(packUnorm4x8(b), size.x, size.y, size.z + textureQueryLevels(layers) * 65536);
}
