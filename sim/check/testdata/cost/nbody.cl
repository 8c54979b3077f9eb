// The pull of n bodies on each of them: x, y, z and mass.
#include "../../../../testdata/kernels/ids.h"

__kernel void nbody(__global float4 *pull, __global const float4 *bodies, int n) {
  int i = GLOBAL_X(64);
  float4 me = bodies[i];
  float x = 0, y = 0, z = 0;
  for (int k = 0; k < n; k++) {
    float4 other = bodies[k];
    float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    float r = __builtin_amdgcn_rsqf(dx * dx + dy * dy + dz * dz + 0.01f), f = other.w * r * r * r;
    x += f * dx;
    y += f * dy;
    z += f * dz;
  }
  pull[i] = (float4)(x, y, z, 0);
}
