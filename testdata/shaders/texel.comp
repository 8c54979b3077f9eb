#version 450
// Texel buffers: a normalised four-byte format is read, a two-component integer one is written.
#extension GL_GOOGLE_include_directive : enable
#include "layout.glsl"
layout(set = 0, binding = 3) uniform samplerBuffer texels;
layout(set = 0, binding = 4, rg16ui) uniform uimageBuffer image;

void main() {
  uint x = src.i[ID];
  vec4 t = texelFetch(texels, int(x & 127)) * 255.0;
  uvec4 w = uvec4(t + 0.5);
  imageStore(image, int(ID), uvec4(w.x << 8 | w.y, x & 0xffff, 0, 0));
  dst.o[ID] = uvec4(w.x + w.y, w.z, w.w, imageLoad(image, int(ID + 256)).y);
}
