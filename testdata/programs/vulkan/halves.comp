#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#include "common.glsl"
// Half-precision arithmetic.
void main() {
	uint n = id(), at = n * 6u;
	precise float16_t a = float16_t(float(int(i.words[n] & 0x3ffu) - 512) / 64.0), b = float16_t(float(int(i.words[n] >> 16 & 0x3ffu) - 512) / 256.0);
	precise float16_t sum = a + b, product = a * b;
	o.words[at + 0] = floatBitsToUint(float(sum));
	o.words[at + 1] = floatBitsToUint(float(product));
	o.words[at + 2] = floatBitsToUint(float(min(a, b)));
	o.words[at + 3] = floatBitsToUint(float(floor(a)));
	o.words[at + 4] = floatBitsToUint(float(abs(a) - sum));
	o.words[at + 5] = uint(a < b) | uint(int(a)) << 1;
}
