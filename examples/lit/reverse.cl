// On all paths each register is waited for before it is read.
// RUN: %compile -O2 "%s" -o "%t.o" && %gcnsim check "%t.o"

kernel void reverse(global int *out, global const int *in) {
  local int tile[64];
  uint i = __builtin_amdgcn_workitem_id_x();
  tile[i] = in[i];
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  out[i] = tile[63 - i];
}
