// Instructions whose results time decides or that have none: counters, priority, sleep; time does not run backwards.
#include "ids.h"

__kernel void clock(__global uint *out) {
  ulong before = __builtin_readcyclecounter();
  __builtin_amdgcn_s_setprio(2);
  __builtin_amdgcn_s_sleep(1);
  __builtin_amdgcn_s_dcache_inv();
  __builtin_amdgcn_buffer_wbinvl1();
  __builtin_amdgcn_s_setprio(0);
  ulong after = __builtin_readcyclecounter();
  out[GLOBAL_X(64)] = after >= before ? 42 : 7;
}
