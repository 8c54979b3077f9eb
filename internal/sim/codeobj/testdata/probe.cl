// Kernels whose descriptors differ in every way the parser reads: see build.sh.

__constant int table[4] = {3, 1, 4, 1};

// A constant table, found relative to the PC.
__kernel void constants(__global int *out) {
  int i = __builtin_amdgcn_workitem_id_x();
  out[i] = table[i & 3];
}

// Static and dynamic LDS, all ids, a required group size.
__attribute__((reqd_work_group_size(8, 4, 2)))
__kernel void local_memory(__global int *out, __local long *scratch, short n) {
  __local int tile[64];
  int x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y(), z = __builtin_amdgcn_workitem_id_z();
  int i = (z * 4 + y) * 8 + x;
  tile[i] = n;
  scratch[i] = i;
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
  __builtin_amdgcn_s_barrier();
  out[i] = tile[63 - i] + (int)scratch[63 - i] + __builtin_amdgcn_workgroup_id_y() + __builtin_amdgcn_workgroup_id_z();
}

// Scratch: an array indexed by a value that is not known at compile time.
__kernel void private_memory(__global int *out, int k) {
  volatile int a[24];
  for (int i = 0; i < 24; i++) a[i] = i * k;
  out[0] = a[k & 15];
}

typedef struct { char tag; int value; } pair;

// Arguments of every size; the dispatch packet.
__kernel void arguments(__global const char *a, char b, short c, int d, long e, int4 f, pair g, __constant int *h, float i,
                        double j, __global long *out) {
  __constant unsigned *packet = (__constant unsigned *)__builtin_amdgcn_dispatch_ptr();
  out[0] = a[0] + b + c + d + e + f.x + g.tag + g.value + h[0] + (long)i + (long)j + packet[3];
}
