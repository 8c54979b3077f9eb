// Before gfx9, m0 limits which addresses of LDS an instruction reaches. clobber changes m0 and says so.
// LLVM sets m0 once, before the call: the load after it finds every address out of range and returns 0.
__attribute__((noinline)) static void clobber(void) { __asm__ volatile("s_mov_b32 m0, 0" ::: "m0"); }

kernel void m0(global int *out, global const int *in) {
  local volatile int data[2];
  int t = __builtin_amdgcn_workitem_id_x();
  data[t] = in[t];
  clobber();
  out[t] = data[t];
}
