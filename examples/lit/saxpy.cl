// The compiler does the same with and without optimization.
// RUN: %compile -O0 "%s" -o "%t.O0.o" && %compile -O2 "%s" -o "%t.O2.o" && %gcnsim diff "%t.O0.o" "%t.O2.o"

// GCNSIM: grid=256 workgroup=64 n=u32:200
kernel void saxpy(global float *y, global const float *x, float a, uint n) {
  uint i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  if (i < n)
    y[i] = a * x[i] + y[i];
}
