// Matrix transpose through a padded LDS tile.
#include "ids.h"

__kernel void transpose(__global uint *out, __global const uint *in, int width, int height) {
  __local uint tile[8][9];
  int x = GLOBAL_X(8), y = GLOBAL_Y(8);
  tile[LOCAL_Y][LOCAL_X] = in[y * width + x];
  barrier_lds();
  x = GROUP_Y * 8 + LOCAL_X;
  y = GROUP_X * 8 + LOCAL_Y;
  out[y * height + x] = tile[LOCAL_X][LOCAL_Y];
}
