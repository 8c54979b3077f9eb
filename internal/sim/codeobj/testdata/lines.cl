// Lines of a kernel: a function that is inlined, a loop, and code that no line made.
static float scale(float x, int n) {
  for (int i = 0; i < n; i++)
    x = x * 1.5f + 1.0f;
  return x;
}

__kernel void lines(__global float *out, __global const float *in, int n) {
  int id = __builtin_amdgcn_workitem_id_x();
  if (id < n)
    out[id] = scale(in[id], n);
}
