#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
// Samples at coordinates that the host gives: x, y, z, LOD of each.
layout(set = 0, binding = 2) uniform SAMPLER t;
void main() {
	uint n = id();
	vec4 c = vec4(uintBitsToFloat(i.words[4u * n]), uintBitsToFloat(i.words[4u * n + 1u]), uintBitsToFloat(i.words[4u * n + 2u]), uintBitsToFloat(i.words[4u * n + 3u]));
	vec4 v = vec4(RESULT);
	for (int k = 0; k < 4; k++) o.words[4u * n + k] = floatBitsToUint(v[k]);
}
