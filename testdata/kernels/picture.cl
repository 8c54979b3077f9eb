#include "ids.h"

// Inverts an image in place; each work-item adds one to the texel of another image that
// its work-group shares.
__kernel void picture(uint8 image, uint8 counts) {
  uint2 at = (uint2)(GLOBAL_X(16), GLOBAL_Y(8));
  uint2 group = (uint2)(GROUP_X, GROUP_Y);
  float4 texel;
  __asm__ volatile("image_load %0, %1, %2 dmask:0xf unorm\n\ts_waitcnt vmcnt(0)" : "=v"(texel) : "v"(at), "s"(image));
  texel = 1.0f - texel;
  uint one = 1;
  __asm__ volatile("image_store %0, %1, %2 dmask:0xf unorm" ::"v"(texel), "v"(at), "s"(image) : "memory");
  __asm__ volatile("image_atomic_add %0, %1, %2 dmask:0x1 unorm" ::"v"(one), "v"(group), "s"(counts) : "memory");
}
