// The first wave of a work-group waits in a loop for what the second one writes to LDS.
#include "ids.h"

__kernel void spin(__global int *out) {
  __local volatile int flag;
  if (LOCAL_X == 0) flag = 0;
  barrier_lds();
  if (LOCAL_X < 64) {
    while (flag == 0) {
    }
  } else {
    flag = 42;
  }
  out[LOCAL_X] = flag + (int)LOCAL_X;
}
