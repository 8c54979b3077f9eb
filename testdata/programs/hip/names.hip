// Kernels with names of several kinds, one of which calls a function that two waves race in.
#include <hip/hip_runtime.h>
#include <cstdio>
namespace some {
template <typename T, int N> __global__ void fill(T *to) { to[threadIdx.x] = T(N); }
}
__device__ __attribute__((noinline)) void put(volatile int *to, int value) {
  to[threadIdx.x & 63] = value;
}
__global__ void racing(int *to) {
  __shared__ int x[64];
  put(x, threadIdx.x >> 6);
  to[threadIdx.x] = x[threadIdx.x & 63];
}
int main() {
  float *f = nullptr;
  if (hipMalloc(&f, 4096) != hipSuccess) return 9;
  (void)hipMemset(f, 0, 4096);
  some::fill<float, 7><<<1, 64>>>(f);
  racing<<<1, 128>>>((int *)f);
  float h[64];
  (void)hipMemcpy(h, f, sizeof h, hipMemcpyDeviceToHost);
  return hipGetLastError() != hipSuccess;
}
