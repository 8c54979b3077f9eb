#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z = 2) in;
layout(constant_id = 2) const uint factor = 1u;
layout(set = 0, binding = 0) buffer Out { uint words[]; } o;
layout(push_constant) uniform Push { uvec4 add; uvec4 more; } push;
// What an invocation knows of itself, with specialization and push constants.
void main() {
	uvec3 size = gl_NumWorkGroups * gl_WorkGroupSize, g = gl_GlobalInvocationID;
	uint n = (g.z % 8u * 32u + g.y % 32u) * 64u + g.x % 64u;
	o.words[n] += (g.x + g.y * 100u + g.z * 10000u) * factor + push.add.y + push.more.w + gl_LocalInvocationIndex * 1000000u + size.x * size.y * size.z;
}
