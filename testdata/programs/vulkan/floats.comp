#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
// Floats: what must be exact, and what may be off by little.
void main() {
	uint n = id(), at = n * 24u;
	precise float a = uintBitsToFloat(i.words[2 * n]), b = uintBitsToFloat(i.words[2 * n + 1]), r[24];
	r[0] = a + b;
	r[1] = a - b;
	r[2] = a * b;
	r[3] = floor(a * 8.0);
	r[4] = ceil(b * 8.0);
	r[5] = trunc(a * 16.0);
	r[6] = roundEven(b * 16.0);
	r[7] = min(a, b);
	r[8] = max(a, b);
	r[9] = clamp(a, -0.5, 0.5);
	r[10] = abs(a) + sign(b);
	r[11] = float(int(a * 1000.0));
	r[12] = float(uint(abs(b) * 1000.0));
	r[13] = float(n * 16777259u);
	r[14] = ldexp(a, int(n % 20u) - 10);
	r[15] = a / b;
	r[16] = sqrt(abs(a));
	r[17] = inversesqrt(abs(b) + 0.125);
	r[18] = exp2(a * 4.0);
	r[19] = log2(abs(b) + 0.125);
	r[20] = sin(a * 3.0);
	r[21] = cos(b * 3.0);
	r[22] = pow(abs(a) + 0.5, b);
	r[23] = fract(a * 3.0) + mod(b, 0.375);
	for (int k = 0; k < 24; k++) o.words[at + k] = floatBitsToUint(r[k]);
}
