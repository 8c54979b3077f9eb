#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "kind.glsl"
// Texel buffers: loads of KIND 0 float, 1 int, 2 uint, and stores of the same format.
layout(set = 0, binding = 4) uniform SAMPLER t;
layout(set = 0, binding = 5) uniform writeonly IMAGE s;
void main() {
	uint n = id();
	VEC v = texelFetch(t, int(n));
	uvec4 w = BITS(v);
	for (int k = 0; k < 4; k++) o.words[4u * n + k] = w[k];
	if (push.size.x != 0) imageStore(s, int(n), v);
}
