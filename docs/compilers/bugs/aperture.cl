// Before gfx9, the upper half of a generic pointer to private memory comes from the implicit arguments of the kernel.
// The kernel passes their address to select in registers. LLVM lets select read them at address 0.
__attribute__((noinline)) static int load(int *p) { return *p; }

__attribute__((noinline)) static int select(int i) {
  int a[4] = {2, 3, 5, 7};
  return load(&a[i & 3]);
}

kernel void aperture(global int *out, global const int *in) { out[0] = select(in[0]); }
