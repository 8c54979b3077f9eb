// What a launch says about its grid: the global offset in the hidden arguments, the
// number of dimensions in the dispatch packet and, in code object v5, in a hidden argument.
__kernel void where(__global ulong *out) {
  __constant uchar *hidden = (__constant uchar *)__builtin_amdgcn_implicitarg_ptr();
  __constant ulong *offset = (__constant ulong *)(hidden + (HIDDEN == 5 ? 40 : 0));
  __constant ushort *packet = (__constant ushort *)__builtin_amdgcn_dispatch_ptr();
  out[0] = offset[0];
  out[1] = offset[1];
  out[2] = offset[2];
  out[3] = packet[1];
  out[4] = HIDDEN == 5 ? *(__constant ushort *)(hidden + 64) : packet[1];
}
