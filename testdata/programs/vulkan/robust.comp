#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(set = 0, binding = 6) uniform Uniforms { mat4 m; vec3 v; float f; uint a[12]; } u;
// Reads and writes beyond buffers, which robust access makes harmless, and a uniform block.
void main() {
	uint n = id();
	uint beyond = i.words[n * 1021u]; // beyond the end for most
	bool inside = n * 1021u < uint(i.words.length());
	o.words[n] = inside ? beyond : 77u;
	vec4 p = u.m * vec4(u.v, u.f);
	o.words[64u * gl_NumWorkGroups.x + n] = floatBitsToUint(p[n % 4u]) ^ u.a[n % 12u];
	o.words[0x10000000u + n] = 1u;
}
