// Between lanes: ballot, mbcnt, readlane, readfirstlane, swizzle; a loop over distinct values of a wave.
#include "ids.h"

__kernel void lanes(__global uint *out, __global const uint *in) {
  int i = GLOBAL_X(64), l = LOCAL_X;
  __global uint *o = out + i * 8;
  uint v = in[i];
  ulong odd = __builtin_amdgcn_uicmp(v & 1, 0u, 33);
  o[0] = (uint)odd;
  o[1] = (uint)(odd >> 32);
  o[2] = __builtin_amdgcn_mbcnt_hi((uint)(odd >> 32), __builtin_amdgcn_mbcnt_lo((uint)odd, 0));
  o[3] = (uint)__builtin_amdgcn_readlane((int)v, 17) ^ (uint)__builtin_amdgcn_readfirstlane((int)v);
  o[4] = (uint)__builtin_amdgcn_ds_swizzle((int)v, 0x041f); // xor 1
  o[5] = (uint)__builtin_amdgcn_ds_swizzle((int)v, 0x804e); // quad permutation 2, 3, 0, 1
  uint turn = 0, mine = 0;
  for (int done = 0; !done; turn++) { // each turn serves the lanes with the value of the first
    uint first = (uint)__builtin_amdgcn_readfirstlane((int)(v & 7));
    if ((v & 7) == first) {
      mine = turn << 16 | (uint)__builtin_popcountl(__builtin_amdgcn_read_exec());
      done = 1;
    }
  }
  o[6] = mine;
  o[7] = l >= 13 ? (uint)__builtin_amdgcn_readfirstlane(l) : 99;
}
