// A work-item gets 99, or in[2] * 15 if its own number in in is not 0.
// GlobalISel keeps the chosen value in one scalar register: all work-items of the wave get in[2] * 15.
kernel void phi(global int *out, global const int *in) {
  int t = __builtin_amdgcn_workitem_id_x();
  int value = 99;
  if (in[t] != 0)
    value = in[2] * 15;
  out[t] = value;
}
