#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
// Integer operations of all kinds on numbers that the host gives.
void main() {
	uint n = id(), a = i.words[2 * n], b = i.words[2 * n + 1], s = b & 31u, at = n * 24u;
	uint high, low, carry;
	umulExtended(a, b, high, low);
	int shigh, slow;
	imulExtended(int(a), int(b), shigh, slow);
	o.words[at + 0] = a + b;
	o.words[at + 1] = a - b;
	o.words[at + 2] = low ^ high;
	o.words[at + 3] = uint(slow ^ shigh);
	o.words[at + 4] = a / max(b, 1u);
	o.words[at + 5] = a % max(b, 1u);
	o.words[at + 6] = uint(int(a) / max(int(b), 1));
	o.words[at + 7] = a << s;
	o.words[at + 8] = uint(int(a) >> s);
	o.words[at + 9] = bitfieldReverse(a);
	o.words[at + 10] = uint(bitCount(a) + findLSB(b) * 256 + findMSB(a) * 65536);
	o.words[at + 11] = uint(findMSB(int(b)));
	o.words[at + 12] = bitfieldExtract(a, int(s), int(32u - s));
	o.words[at + 13] = uint(bitfieldExtract(int(a), int(s / 2u), 9));
	o.words[at + 14] = bitfieldInsert(a, b, int(s / 2u), 11);
	o.words[at + 15] = uaddCarry(a, b, carry) + carry;
	o.words[at + 16] = usubBorrow(a, b, carry) + carry;
	o.words[at + 17] = uint(min(int(a), int(b))) ^ max(a, b);
	o.words[at + 18] = uint(clamp(int(a), -1000, 1000)) + uint(abs(int(b)));
	o.words[at + 19] = uint(sign(int(a)));
	o.words[at + 20] = packUnorm4x8(unpackUnorm4x8(a));
	o.words[at + 21] = packSnorm2x16(unpackSnorm2x16(b));
	o.words[at + 22] = uint(a < b) | uint(int(a) < int(b)) << 1 | uint(a == b) << 2;
	o.words[at + 23] = a > b ? hash(a, b) : hash(b, a);
}
