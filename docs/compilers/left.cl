// Each work-item stores what its left neighbour holds and that there is one, zeros where there is none within n.
kernel void left(global int *out, global const int *in, long n) {
  int t = __builtin_amdgcn_workitem_id_x();
  for (long round = 0; round < n; round++) {
    int value[2], found[2];
    value[0] = 0;
    found[0] = 0;
    for (long i = 0; i < 2; i++) {
      long at = t + i;
      int v = 1;
      if (at != 0) {
        long neighbour = at - 1;
        if (neighbour >= n)
          break;
        v = in[neighbour];
      }
      value[i] = v;
      found[i] = 1;
    }
    out[2 * t] = value[0];
    out[2 * t + 1] = found[0];
  }
}
