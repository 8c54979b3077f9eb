// Records of mixed members, packed and not: misaligned fields are read by bytes.
#include "ids.h"

typedef struct __attribute__((packed)) {
  uchar tag;
  uint value;
  ushort mark;
} packed;
typedef struct {
  uchar tag;
  uint value;
  ushort mark;
  long sum;
} plain;

__kernel void records(__global plain *out, __global const packed *in) {
  int i = GLOBAL_X(64);
  out[i].tag = in[i].tag ^ 0x80;
  out[i].value = in[i].value + in[i].mark;
  out[i].mark = in[i].mark - in[i].tag;
  out[i].sum = (long)(int)in[i].value * in[i].mark;
}
