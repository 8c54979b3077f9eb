// Work-group and work-item ids in three dimensions; the sizes of the dispatch.
#include "ids.h"

__kernel void ids(__global uint *out) {
  uint gx = __builtin_amdgcn_grid_size_x(), gy = __builtin_amdgcn_grid_size_y();
  uint sx = __builtin_amdgcn_workgroup_size_x(), sy = __builtin_amdgcn_workgroup_size_y(), sz = __builtin_amdgcn_workgroup_size_z();
  uint x = GROUP_X * sx + LOCAL_X, y = GROUP_Y * sy + LOCAL_Y, z = GROUP_Z * sz + LOCAL_Z;
  out[(z * gy + y) * gx + x] = GROUP_X | GROUP_Y << 4 | GROUP_Z << 8 | LOCAL_X << 12 | LOCAL_Y << 20 | LOCAL_Z << 28;
}
