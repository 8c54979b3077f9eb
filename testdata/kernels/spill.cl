// More values live than registers: spilled to scratch (VGPRs) and to VGPR lanes (SGPRs).
#include "ids.h"

__attribute__((amdgpu_num_vgpr(24), amdgpu_num_sgpr(48)))
__kernel void spill(__global uint *out, __global const uint *in, __global const uint *uniform) {
  int i = GLOBAL_X(64);
  uint v[40], u[48];
  for (int k = 0; k < 48; k++) u[k] = uniform[k] * 3;
#pragma unroll
  for (int k = 0; k < 40; k++) v[k] = in[i * 40 + k] ^ u[k];
#pragma unroll
  for (int round = 0; round < 3; round++) {
#pragma unroll
    for (int k = 0; k < 40; k++) v[k] = v[k] * 9 + (v[(k + 17) % 40] >> 3) + u[(k + round) % 48];
    barrier_lds();
  }
  uint s = 0;
#pragma unroll
  for (int k = 0; k < 40; k++) out[i * 40 + k] = v[39 - k] + (s += v[k]);
}
