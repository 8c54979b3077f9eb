#version 450
// Private arrays too large for registers: scratch.
#extension GL_GOOGLE_include_directive : enable
#include "layout.glsl"

void main() {
  uint a[96];
  vec4 v[24];
  for (int k = 0; k < 96; k++) a[k] = src.i[ID + k] * uint(k + 1);
  for (int k = 0; k < 24; k++) v[k] = vec4(k, ID, k * 2, 0.5);
  uint n = src.i[ID];
  for (uint k = 0; k < 10; k++) {
    n = n * 1103515245u + 12345u;
    a[(n >> 8) % 96] ^= n;
    v[(n >> 16) % 24].z += float(k);
  }
  uint s = 0;
  for (uint k = 0; k < 96; k += 1 + (n & 1)) s = s * 31 + a[k];
  vec4 q = v[n % 24];
  dst.o[ID] = uvec4(s, uint(q.x) + a[n % 96], uint(q.z), uint(q.y * q.w * 2.0));
}
