// What the shaders have in common: words to write, words to read, a few numbers.
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Out { uint words[]; } o;
layout(set = 0, binding = 1) buffer In { uint words[]; } i;
layout(push_constant) uniform Push { ivec4 size; ivec4 more; } push;

uint id() { return gl_GlobalInvocationID.x; }
// hash is a number for each x and y.
uint hash(uint x, uint y) {
	x = x * 0x9e3779b1u + y * 0x85ebca6bu + 0x1234567u;
	x ^= x >> 15;
	x *= 0x2c1b3c6du;
	x ^= x >> 12;
	x *= 0x297a2d39u;
	return x ^ x >> 15;
}
