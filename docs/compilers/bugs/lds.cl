// load gets a generic pointer to LDS. LLVM finds out which variable it is, and GlobalISel cannot address it there:
// clang warns "local memory global used by non-kernel function", and load ends in a trap.
__attribute__((noinline)) static int load(int *p) { return *p; }

kernel void lds(global int *out, global const int *in) {
  local int data[1];
  data[0] = in[0];
  out[0] = load(data);
}
