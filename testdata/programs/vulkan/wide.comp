#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_ARB_gpu_shader_int64 : require
#include "common.glsl"
// 64-bit integers and doubles.
void put(uint at, uint64_t v) { o.words[at] = uint(v); o.words[at + 1] = uint(v >> 32); }
void put(uint at, double v) { uvec2 w = unpackDouble2x32(v); o.words[at] = w.x; o.words[at + 1] = w.y; }
void main() {
	uint n = id(), at = n * 32u;
	uint64_t a = uint64_t(i.words[2 * n]) << 32 | hash(n, 1u), b = uint64_t(hash(n, 2u)) << (n % 32u) | i.words[2 * n + 1];
	int64_t sa = int64_t(a), sb = int64_t(b);
	put(at + 0, a + b);
	put(at + 2, a - b);
	put(at + 4, a * b);
	put(at + 6, a / (b | 1ul));
	put(at + 8, a % (b | 1ul));
	put(at + 10, uint64_t(sa / (sb | 1l)));
	put(at + 12, a << (n % 64u));
	put(at + 14, uint64_t(sa >> (n % 64u)));
	put(at + 16, uint64_t(min(sa, sb)) ^ max(a, b));
	precise double x = double(int(i.words[2 * n])) / 65536.0lf, y = double(n) * 0.375lf - 3.0lf;
	precise double sum = x + y, product = x * y;
	put(at + 18, sum);
	put(at + 20, product);
	put(at + 22, floor(x) + trunc(y) + ceil(x * 0.5lf));
	put(at + 24, min(x, y));
	o.words[at + 26] = floatBitsToUint(float(x / (y + 0.0625lf))); // the last bits of these may differ
	o.words[at + 28] = floatBitsToUint(float(sqrt(abs(x))));
	o.words[at + 30] = uint(int(x)) ^ floatBitsToUint(float(y));
	o.words[at + 31] = uint(x < y) | uint(a < b) << 1 | uint(sa < sb) << 2;
}
