// set stores to private memory. LLVM moves x to LDS although it does not see what set does with the pointer.
__attribute__((noinline)) static void set(int *p) { *(private int *)p = 1; }

kernel void promote(global int *out) {
  int x = 5;
  set(&x);
  out[0] = x;
}
