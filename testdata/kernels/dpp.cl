// Data parallel primitives (GCN 1.2 and later): row shifts, rotations, mirrors, quads; a scan and a reduction of a wave.
#include "ids.h"

#define DPP(old, v, ctrl, rows, banks, bound) __builtin_amdgcn_update_dpp(old, v, ctrl, rows, banks, bound)

__kernel void dpp(__global int *out, __global const int *in) {
  int i = GLOBAL_X(64);
  __global int *o = out + i * 12;
  int v = in[i], s = v;
  o[0] = DPP(-1, v, 0x1b, 15, 15, 0);           // quad_perm:[3,2,1,0]
  o[1] = DPP(7, v, 0x103, 15, 15, 0);           // row_shl:3
  o[2] = DPP(7, v, 0x115, 15, 15, 1);           // row_shr:5 bound_ctrl
  o[3] = DPP(0, v, 0x127, 15, 15, 0);           // row_ror:7
  o[4] = DPP(0, v, 0x140, 15, 15, 0);           // row_mirror
  o[5] = DPP(0, v, 0x141, 15, 15, 0);           // row_half_mirror
  o[6] = DPP(v, v + 1, 0x142, 10, 15, 0);       // row_bcast:15, rows 1 and 3
  o[7] = DPP(v, v + 2, 0x143, 12, 15, 0);       // row_bcast:31, rows 2 and 3
  o[8] = DPP(5, v, 0x138, 15, 15, 0);           // wave_shr:1
  o[9] = DPP(5, v, 0x13c, 5, 3, 0);             // wave_ror:1, rows 0 and 2, banks 0 and 1
  s += DPP(0, s, 0x111, 15, 15, 1);
  s += DPP(0, s, 0x112, 15, 15, 1);
  s += DPP(0, s, 0x114, 15, 15, 1);
  s += DPP(0, s, 0x118, 15, 15, 1);
  s += DPP(0, s, 0x142, 10, 15, 0);
  s += DPP(0, s, 0x143, 12, 15, 0);
  o[10] = s; // inclusive sum of the wave
  o[11] = __builtin_amdgcn_readlane(s, 63) - v;
}
