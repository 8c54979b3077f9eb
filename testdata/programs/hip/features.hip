// Features of HIP, one line each that begins with ok or BAD.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <vector>
#include <cstring>

#define CHECK(x) do { hipError_t e = (x); if (e != hipSuccess) { printf("BAD %s: %s\n", #x, hipGetErrorString(e)); return 1; } } while (0)

__global__ void add(const float *x, const float *y, float *z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}
__global__ void reduce(const int *in, int *out, int n) {
  __shared__ int part[256];
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int step = 128; step; step /= 2) {
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, part[0]);
}
__global__ void spill(int *out, int n) { // private memory
  int a[100];
  for (int i = 0; i < 100; i++) a[i] = i * (threadIdx.x + 1);
  int s = 0;
  for (int i = 0; i < 100; i++) s += a[(i * n) % 100];
  out[threadIdx.x] = s;
}
__global__ void set(volatile int *flag, int v) { *flag = v; __threadfence_system(); }
__global__ void waitFor(volatile int *flag, int v) { while (*flag != v) ; }
__global__ void hello(int n) { if (threadIdx.x < n) printf("hello from %d\n", (int)threadIdx.x); }
__global__ void count(int *p) { atomicAdd(p, 1); }

static int vadd() {
  const int n = 100000;
  std::vector<float> x(n), y(n), z(n);
  for (int i = 0; i < n; i++) x[i] = i, y[i] = 2 * i;
  float *dx, *dy, *dz;
  CHECK(hipMalloc(&dx, 4 * n)); CHECK(hipMalloc(&dy, 4 * n)); CHECK(hipMalloc(&dz, 4 * n));
  CHECK(hipMemcpy(dx, x.data(), 4 * n, hipMemcpyHostToDevice));
  CHECK(hipMemcpy(dy, y.data(), 4 * n, hipMemcpyHostToDevice));
  add<<<(n + 255) / 256, 256>>>(dx, dy, dz, n);
  CHECK(hipMemcpy(z.data(), dz, 4 * n, hipMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) if (z[i] != 3.0f * i) { printf("BAD vadd at %d: %g\n", i, z[i]); return 1; }
  CHECK(hipFree(dx)); CHECK(hipFree(dy)); CHECK(hipFree(dz));
  puts("ok vadd");
  return 0;
}
static int sums() {
  const int n = 50000;
  std::vector<int> x(n);
  int want = 0, got = 0;
  for (int i = 0; i < n; i++) want += x[i] = i % 7;
  int *dx, *out;
  CHECK(hipMalloc(&dx, 4 * n)); CHECK(hipMalloc(&out, 4));
  CHECK(hipMemcpy(dx, x.data(), 4 * n, hipMemcpyHostToDevice));
  CHECK(hipMemset(out, 0, 4));
  reduce<<<8, 256>>>(dx, out, n);
  CHECK(hipMemcpy(&got, out, 4, hipMemcpyDeviceToHost));
  printf("%s reduce\n", got == want ? "ok" : "BAD");
  return 0;
}
static int scratch() {
  int *out, got[64];
  CHECK(hipMalloc(&out, sizeof got));
  spill<<<1, 64>>>(out, 3);
  CHECK(hipMemcpy(got, out, sizeof got, hipMemcpyDeviceToHost));
  for (int i = 0; i < 64; i++) if (got[i] != 4950 * (i + 1)) { printf("BAD scratch %d: %d\n", i, got[i]); return 1; }
  puts("ok scratch");
  return 0;
}
static int streams(bool together) {
  hipStream_t a, b;
  CHECK(hipStreamCreateWithFlags(&a, hipStreamNonBlocking)); CHECK(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
  int *flag;
  CHECK(hipHostMalloc(&flag, 64, hipHostMallocCoherent));
  *flag = 0;
  if (together)
    waitFor<<<1, 1, 0, a>>>(flag, 7);
  set<<<1, 1, 0, b>>>(flag, 7);
  CHECK(hipStreamSynchronize(a)); CHECK(hipStreamSynchronize(b));
  puts("ok two streams that wait for one another");
  hipEvent_t e0, e1;
  CHECK(hipEventCreate(&e0)); CHECK(hipEventCreate(&e1));
  CHECK(hipEventRecord(e0, a));
  count<<<100, 64, 0, a>>>(flag);
  CHECK(hipEventRecord(e1, a));
  CHECK(hipEventSynchronize(e1));
  float ms = -1;
  CHECK(hipEventElapsedTime(&ms, e0, e1));
  printf("%s events\n", ms > 0 && *flag == 6407 ? "ok" : "BAD");
  return 0;
}
static int large() {
  const size_t n = 8 << 20;
  std::vector<char> x(n), y(n);
  for (size_t i = 0; i < n; i++) x[i] = i * 7;
  char *d;
  CHECK(hipMalloc(&d, n));
  CHECK(hipMemcpy(d, x.data(), n, hipMemcpyHostToDevice));
  CHECK(hipMemcpy(y.data(), d, n, hipMemcpyDeviceToHost));
  printf("%s large copies\n", memcmp(x.data(), y.data(), n) ? "BAD" : "ok");
  return 0;
}
static int managed() {
  int *p;
  CHECK(hipMallocManaged(&p, 4096));
  *p = 1;
  count<<<4, 64>>>(p);
  CHECK(hipDeviceSynchronize());
  printf("%s managed\n", *p == 257 ? "ok" : "BAD");
  std::vector<int> v(4096, 5);
  CHECK(hipHostRegister(v.data(), 4 * v.size(), 0));
  int *dv;
  CHECK(hipHostGetDevicePointer((void **)&dv, v.data(), 0));
  count<<<2, 64>>>(dv);
  CHECK(hipDeviceSynchronize());
  printf("%s registered %d\n", v[0] == 133 ? "ok" : "BAD", v[0]);
  CHECK(hipHostUnregister(v.data()));
  return 0;
}
static int device_printf() {
  hello<<<1, 64>>>(3);
  CHECK(hipDeviceSynchronize());
  puts("ok printf");
  return 0;
}
static int many() {
  int *p, got;
  CHECK(hipMalloc(&p, 4));
  CHECK(hipMemset(p, 0, 4));
  for (int i = 0; i < 1000; i++) count<<<1, 64>>>(p);
  CHECK(hipMemcpy(&got, p, 4, hipMemcpyDeviceToHost));
  printf("%s 1000 launches %d\n", got == 64000 ? "ok" : "BAD", got);
  return 0;
}
int main(int argc, char **argv) {
  hipDeviceProp_t prop;
  CHECK(hipGetDeviceProperties(&prop, 0));
  fprintf(stderr, "%s %s\n", prop.name, prop.gcnArchName);
  return vadd() | sums() | scratch() | streams(argc == 1) | large() | managed() | device_printf() | many();
}
