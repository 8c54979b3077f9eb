#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(set = 0, binding = 3, r32ui) uniform uimage2D t;
// Atomic operations on texels.
void main() {
	uint n = id(), x = hash(n, 11u);
	imageAtomicAdd(t, ivec2(n % 8u, 0), x);
	imageAtomicMin(t, ivec2(n % 8u, 1), x);
	imageAtomicMax(t, ivec2(n % 8u, 2), x);
	imageAtomicOr(t, ivec2(n % 8u, 3), x & 0xf0f0u);
	imageAtomicXor(t, ivec2(n % 8u, 4), x);
	o.words[n] = imageAtomicExchange(t, ivec2(n % 64u, 5 + n / 64u), x);
}
