#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
// An array that does not fit registers: 48 dwords of each work-item, in an order that it
// finds out.
void main() {
	uint n = id(), a[48];
	for (uint k = 0u; k < 48u; k++) a[k] = hash(n, k);
	for (uint k = 0u; k < 200u; k++) {
		uint from = a[k % 48u] % 48u, to = (a[from] >> 8) % 48u;
		a[to] += a[from] ^ k;
	}
	uint sum = 0u;
	for (uint k = 0u; k < 48u; k++) sum = sum * 31u + a[k];
	o.words[n] = sum;
}
