// Insertion sort of a private array: scratch memory, indices not known in advance.
#include "ids.h"

__kernel void sort(__global short *out, __global const short *in) {
  int i = GLOBAL_X(64);
  short a[12];
  for (int k = 0; k < 12; k++) {
    short v = in[i * 12 + k];
    int at = k;
    while (at > 0 && a[at - 1] > v) {
      a[at] = a[at - 1];
      at--;
    }
    a[at] = v;
  }
  for (int k = 0; k < 12; k++) out[i * 12 + k] = a[k];
}
