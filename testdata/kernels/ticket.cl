// Each work-item draws a number from a counter that all work-groups share: the result
// depends on the order in which they run.
#include "ids.h"

__kernel void ticket(__global uint *drawn, __global uint *counter) {
  drawn[GLOBAL_X(64)] = __sync_fetch_and_add(counter, 1);
}
