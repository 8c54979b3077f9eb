// A 3-D stencil through an LDS tile with a border; groups that hang over all three edges.
#include "ids.h"

__kernel void volume(__global int *out, __global const int *in, int nx, int ny, int nz) {
  __local int tile[6][6][10];
  int lx = LOCAL_X, ly = LOCAL_Y, lz = LOCAL_Z;
  int x0 = GROUP_X * 8 - 1, y0 = GROUP_Y * 4 - 1, z0 = GROUP_Z * 4 - 1;
  for (int k = (lz * 4 + ly) * 8 + lx; k < 360; k += 128) {
    int x = x0 + k % 10, y = y0 + k / 10 % 6, z = z0 + k / 60;
    int inside = x >= 0 && y >= 0 && z >= 0 && x < nx && y < ny && z < nz;
    tile[k / 60][k / 10 % 6][k % 10] = inside ? in[(z * ny + y) * nx + x] : -1;
  }
  barrier_lds();
  int x = x0 + 1 + lx, y = y0 + 1 + ly, z = z0 + 1 + lz;
  if (x >= nx || y >= ny || z >= nz) return;
  int s = 0;
  for (int d = 0; d < 3; d++) s += tile[lz + d][ly + 1][lx + 1] * (d + 2) + tile[lz + 1][ly + d][lx + 1] * (d - 3) + tile[lz + 1][ly + 1][lx + d];
  out[(z * ny + y) * nx + x] = s;
}
