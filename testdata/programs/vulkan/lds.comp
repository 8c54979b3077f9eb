#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 256, local_size_y = 4) in;
layout(set = 0, binding = 0) buffer Out { uint words[]; } o;
layout(set = 0, binding = 1) buffer In { uint words[]; } i;
// A work-group of 1024 with 32 KiB of LDS: transposes, sorts each row of 32.
shared uint tile[8192];
void main() {
	uint me = gl_LocalInvocationIndex;
	for (uint k = 0u; k < 8u; k++) tile[k * 1024u + me] = i.words[(k * 1024u + me) * 3u % 8192u];
	barrier();
	uint t[8];
	for (uint k = 0u; k < 8u; k++) { uint n = k * 1024u + me; t[k] = tile[n % 64u * 128u + n / 64u]; }
	barrier();
	for (uint k = 0u; k < 8u; k++) tile[k * 1024u + me] = t[k];
	barrier();
	for (uint len = 2u; len <= 32u; len *= 2u)
		for (uint step = len / 2u; step > 0u; step /= 2u) {
			for (uint k = 0u; k < 8u; k++) {
				uint n = k * 1024u + me, other = n ^ step;
				if (other > n) {
					uint a = tile[n], b = tile[other];
					bool up = (n & len) == 0u || len == 32u;
					if ((a > b) == up) { tile[n] = b; tile[other] = a; }
				}
			}
			barrier();
		}
	for (uint k = 0u; k < 8u; k++) o.words[k * 1024u + me] = tile[k * 1024u + me];
}
