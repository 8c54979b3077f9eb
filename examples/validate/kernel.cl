// Brightness of four-byte pixels, 0 for transparent ones.
__kernel void brightness(__global float *out, __global const uint *pixels, int n) {
  int i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  if (i >= n) return;
  uint p = pixels[i];
  float v = 0.0f;
  if (p >> 24 > 16) v = 0.25f * (p & 0xff) + 0.5f * (p >> 8 & 0xff) + 0.125f * (p >> 16 & 0xff);
  out[i] = v;
}
