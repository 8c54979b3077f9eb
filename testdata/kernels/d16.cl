// Bytes and shorts loaded into one half of a register and stored from one: memory, LDS, private memory.
#include "ids.h"

__kernel void d16(__global ushort2 *out, __global uchar *bytes, __global ushort *shorts, __global const ushort *a, __global const char *b) {
  __local ushort lds[128];
  __local char small[128];
  int l = LOCAL_X, i = GLOBAL_X(64);
  short2 v = __builtin_astype(((__global const uint *)a)[i], short2);
  lds[l] = a[i];
  lds[127 - l] = v.y;
  small[l] = b[i];
  small[l + 64] = (char)(v.y >> 3);
  barrier_lds();
  __global short2 *o = (__global short2 *)out + i * 8;
  o[0] = (short2)(v.x, (short)a[i + 1]);
  o[1] = (short2)((short)a[i + 2], v.y);
  o[2] = (short2)(v.x, (short)b[i + 1]);
  o[3] = (short2)((short)(uchar)b[i + 2], v.y);
  o[4] = (short2)(v.x, (short)lds[l ^ 3]);
  o[5] = (short2)((short)lds[64 + (l ^ 5)], v.y);
  o[6] = (short2)(v.x, (short)small[l ^ 7]);
  o[7] = (short2)((short)(uchar)small[64 + (l ^ 9)], v.y);
  bytes[i] = (uchar)(v.y);
  shorts[i] = (ushort)(v.y);
}
