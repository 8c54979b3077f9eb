// AES-128 of one block a work-item: a byte table in LDS, loads and stores of bytes, key schedule in the scalar unit.
#include "ids.h"

static inline uint xtime(uint x) { return (x << 1 ^ (x & 0x80 ? 0x1b : 0)) & 0xff; }

__kernel void aes(__global uchar *out, __global const uchar *in, __global const uchar *key, __global const uchar *box) {
  __local uchar table[256];
  int l = LOCAL_X, i = GLOBAL_X(64);
  for (int k = l; k < 256; k += 64) table[k] = box[k];
  barrier_lds();
  uchar s[16], t[16], k[16];
  for (int n = 0; n < 16; n++) {
    k[n] = key[n];
    s[n] = in[16 * i + n] ^ k[n];
  }
  uchar rcon = 1;
  for (int round = 1; round <= 10; round++) {
    for (int n = 0; n < 16; n++) t[n] = table[s[(n + 4 * (n & 3)) & 15]];
    for (int n = 0; n < 4; n++) k[n] ^= table[k[12 + ((n + 1) & 3)]];
    k[0] ^= rcon;
    rcon = xtime(rcon);
    for (int n = 4; n < 16; n++) k[n] ^= k[n - 4];
    for (int n = 0; n < 16; n++) {
      int c = n & 12;
      uchar all = t[c] ^ t[c + 1] ^ t[c + 2] ^ t[c + 3];
      uchar m = t[n] ^ all ^ xtime(t[n] ^ t[c + ((n + 1) & 3)]);
      s[n] = (round == 10 ? t[n] : m) ^ k[n];
    }
  }
  for (int n = 0; n < 16; n++) out[16 * i + n] = s[n];
}
