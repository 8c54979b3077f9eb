// Arguments of every size by value: structures, vectors, bytes, shorts, 64-bit numbers.
#include "ids.h"

typedef struct {
  char tag;
  short step;
  long base;
  uchar3 rgb;
  struct {
    float scale;
    uchar shift[3];
  } in;
} Params;

__kernel void structs(__global long *out, Params p, char c, ushort2 pair, short s, int4 quad, uchar u, double d, ulong mask, int3 three) {
  int i = GLOBAL_X(64);
  long v = p.base + p.step * i + p.tag;
  v ^= (long)p.rgb.x << 8 | (long)p.rgb.y << 16 | (long)p.rgb.z << 24;
  v += (int)(p.in.scale * i) >> p.in.shift[i % 3];
  v += c * s + pair.x - pair.y * u + (long)(d * i);
  v ^= mask & ((long)(i & 2 ? quad.w : quad.x) << 32 | (uint)(i & 1 ? three.z : quad.y));
  out[i] = v + three.x * (long)three.y;
}
