#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "kind.glsl"
// All texels of level push.size.w, which has size x, y, z; words begin at push.more.x.
layout(set = 0, binding = 2) uniform SAMPLER t;
void main() {
	int n = int(id());
	ivec3 c = ivec3(n % push.size.x, n / push.size.x % push.size.y, n / push.size.x / push.size.y);
	if (c.z >= push.size.z) return;
	uvec4 w = BITS(texelFetch(t, COORD(c), push.size.w));
	for (int k = 0; k < 4; k++) o.words[push.more.x + 4 * n + k] = w[k];
}
