// Ten kernels of which a compiler that contracts floating point makes fused multiply-adds: contract.sh compiles them.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define I (__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x())
#define K(name) __attribute__((reqd_work_group_size(64, 1, 1))) kernel void name

K(axpy)(global float *y, global const float *x, float a) { y[I] = a * x[I] + y[I]; }
K(cross_product)(global float *c, global const float *a, global const float *b) {
  uint i = 3 * I;
  c[i] = a[i + 1] * b[i + 2] - a[i + 2] * b[i + 1];
  c[i + 1] = a[i + 2] * b[i] - a[i] * b[i + 2];
  c[i + 2] = a[i] * b[i + 1] - a[i + 1] * b[i];
}
K(dots)(global float *d, global const float4 *a, global const float4 *b) {
  float4 p = a[I], q = b[I];
  d[I] = p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
}
K(polynomial)(global float *y, global const float *x) {
  float v = x[I];
  y[I] = ((0.3f * v - 1.7f) * v + 0.11f) * v + 2.3f;
}
K(quotient)(global float *q, global const float *a, global const float *b) { q[I] = (a[I] * b[I] + 1.3f) / (b[I] * b[I] + 0.7f); }
K(rows)(global float *y, global const float *m, global const float *x) {
  float sum = 0;
  for (int k = 0; k < 16; k++)
    sum += m[16 * I + k] * x[k];
  y[I] = sum;
}
K(mandelbrot)(global int *n, global const float *re, global const float *im) {
  float x = 0, y = 0, cx = re[I], cy = im[I];
  int i = 0;
  for (; i < 64 && x * x + y * y < 4.0f; i++) {
    float t = x * x - y * y + cx;
    y = 2.0f * x * y + cy;
    x = t;
  }
  n[I] = i << 24 ^ (int)(x * 1e5f);
}
K(axpy_half)(global half *y, global const half *x) { y[I] = x[I] * (half)1.37 + y[I]; }
K(axpy_half2)(global half2 *y, global const half2 *x) { y[I] = x[I] * (half2)((half)1.37, (half)0.77) + y[I]; }
K(axpy_double)(global double *y, global const double *x, double a) { y[I] = a * x[I] - y[I] * x[I]; }
