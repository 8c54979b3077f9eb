#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#include "common.glsl"
// 16-bit integer arithmetic.
void main() {
	uint n = id(), at = n * 6u;
	int16_t a = int16_t(i.words[n]), b = int16_t(i.words[n] >> 16);
	uint16_t ua = uint16_t(a), ub = uint16_t(b);
	o.words[at + 0] = uint(int(a + b));
	o.words[at + 1] = uint(int(a * b));
	o.words[at + 2] = uint(ua - ub) ^ uint(ua >> 3us) << 16;
	o.words[at + 3] = uint(int(a >> 2s)) ^ uint(ub << 4us) << 16;
	o.words[at + 4] = uint(int(min(a, b))) ^ uint(max(ua, ub)) << 8;
	o.words[at + 5] = uint(a < b) | uint(ua < ub) << 1 | uint(a & b) << 8;
}
