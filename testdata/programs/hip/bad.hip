// Programs that end badly, by their first argument.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cassert>
__global__ void store(int *p) { *p = 1; }
__global__ void trap() { __builtin_trap(); }
__global__ void spin(volatile int *p) { while (*p == 0) ; }
__global__ void check(int n) { assert(n == 1); }
__global__ void big(int *p) { extern __shared__ int x[]; x[threadIdx.x] = 1; p[threadIdx.x] = x[threadIdx.x]; }
__global__ void alloc(int **p) { *p = (int *)malloc(100); **p = 77; }
int main(int argc, char **argv) {
  int *p = nullptr;
  if (hipMalloc(&p, 4096) != hipSuccess) return 9;
  (void)hipMemset(p, 0, 4096);
  switch (argc > 1 ? argv[1][0] : 0) {
  case 'f': store<<<1, 1>>>((int *)0x123456789000); break;
  case 't': trap<<<1, 1>>>(); break;
  case 's': spin<<<1, 1>>>(p); break;
  case 'a': check<<<1, 64>>>(2); break;
  case 'l': big<<<1, 64, 100000>>>(p); break;
  case 'm': { int **q; (void)hipMalloc(&q, 8); alloc<<<1, 1>>>(q); break; }
  case 'x': spin<<<1, 1>>>(p); _Exit(3);
  }
  hipError_t e = hipDeviceSynchronize();
  printf("%s\n", hipGetErrorString(e));
  return e != hipSuccess;
}
