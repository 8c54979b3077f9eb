#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
// Atomic operations in memory and LDS whose results do not depend on their order.
shared uint counts[17];
void main() {
	uint n = id(), x = hash(n, 7u);
	if (gl_LocalInvocationIndex < 17u) counts[gl_LocalInvocationIndex] = 0u;
	barrier();
	atomicAdd(counts[x & 15u], 1u);
	atomicMax(counts[16], x >> 28);
	barrier();
	if (gl_LocalInvocationIndex < 17u) atomicAdd(o.words[16u + gl_LocalInvocationIndex], counts[gl_LocalInvocationIndex]);
	atomicAdd(o.words[0], x);
	atomicMin(o.words[1], x);
	atomicMax(o.words[2], x);
	atomicAnd(o.words[3], x | 0xffffu);
	atomicOr(o.words[4], x & 0xff00u);
	atomicXor(o.words[5], x);
	uint ticket = atomicAdd(o.words[6], 1u); // each once
	atomicXor(o.words[64u + ticket % 64u], hash(ticket, 3u));
	uint seen, old = o.words[7];
	do {
		seen = old;
		old = atomicCompSwap(o.words[7], seen, seen * 5u + 1u);
	} while (old != seen);
	uint last = atomicExchange(o.words[128u + n], x);
	o.words[128u + 64u * gl_NumWorkGroups.x + n] = last;
}
