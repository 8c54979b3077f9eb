// What shaders that look textures up share: inputs of which results do not hang on the
// last bits. REFERENCE is set where quads have no derivatives.
#extension GL_GOOGLE_include_directive : enable
#ifndef REFERENCE
#extension GL_NV_compute_shader_derivatives : require
#endif
#include "layout.glsl"
#ifndef REFERENCE
layout(derivative_group_linearNV) in;
#endif

// unit is from -0.5 to 1.5, odd multiples of 1/1024: never between two texels.
float unit(uint bits) { return float(int((bits & 1023) * 2 + 1) - 512) / 1024.0; }
vec2 unit2(uint bits) { return vec2(unit(bits), unit(bits >> 10)); }
vec3 unit3(uint bits) { return vec3(unit(bits), unit(bits >> 10), unit(bits >> 20)); }

// level is from -1 to 7, off the middle between two.
float level(uint bits) { return float(bits & 63) / 8.0 - 63.0 / 64.0; }

// footprint is of 1, 2, 4 or 8 texels of level 0, for which all agree on the level.
float footprint(uint bits) { return float(1 << (bits >> 6 & 3)); }

// layer is from -1.25 to 5.75, off the middle between two.
float layer(uint bits) { return float(bits >> 8 & 7) - 1.25; }

// cube is from -1.25 to 1.25, off the middle between two: before GCN 1.4 greater ones of
// two cubes change faces.
float cube(uint bits) { return min(float(bits >> 8 & 3) - 1.25, 1.25); }

// direction is towards a face and of length 1 along its axis, away from corners.
vec3 direction(uint bits) {
  vec2 p = vec2(unit(bits), unit(bits >> 10) * 0.75) - vec2(0.5, 0.375);
  float major = (bits >> 20 & 1) == 0 ? 1.0 : -1.0;
  p = (bits >> 21 & 1) == 0 ? p : p.yx;
  uint axis = (bits >> 22) % 3;
  return axis == 0 ? vec3(major, p) : axis == 1 ? vec3(p.x, major, p.y) : vec3(p, major);
}

// along is a step on the face that direction is towards.
vec3 along(uint bits, vec2 p) {
  uint axis = (bits >> 22) % 3;
  return axis == 0 ? vec3(0, p) : axis == 1 ? vec3(p.x, 0, p.y) : vec3(p, 0);
}

// corner is where a lane of a quad looks, right of and below the others' places.
vec2 corner(uint id) {
  uint first = id & ~3u;
  return unit2(src.i[first]) + vec2(id & 1, id >> 1 & 1) * footprint(src.i[first + 64]) / vec2(32, 16);
}

// IMPLIED looks up with the level that a quad of corners implies, and a bias.
#ifdef REFERENCE
#define ACROSS(bias) ((corner(ID | 1) - corner(ID & ~1u)) * exp2(bias))
#define DOWN(bias) ((corner(ID | 2) - corner(ID & ~2u)) * exp2(bias))
#define IMPLIED(s, at, bias) textureGrad(s, at, ACROSS(bias), DOWN(bias))
#define IMPLIED_OFFSET(s, at, bias, offset) textureGradOffset(s, at, ACROSS(bias), DOWN(bias), offset)
#else
#define IMPLIED(s, at, bias) texture(s, at, bias)
#define IMPLIED_OFFSET(s, at, bias, offset) textureOffset(s, at, offset, bias)
#endif

#define WRITE(k, value) dst.o[ID * RESULTS + k] = value
