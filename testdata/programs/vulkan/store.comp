#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "kind.glsl"
// Writes all texels of an image of size x, y, z.
layout(set = 0, binding = 3) uniform writeonly IMAGE t;
void main() {
	int n = int(id());
	ivec3 c = ivec3(n % push.size.x, n / push.size.x % push.size.y, n / push.size.x / push.size.y);
	if (c.z < push.size.z) imageStore(t, COORD(c), VALUE(uint(n)));
}
