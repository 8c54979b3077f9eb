// More features of HIP, one line each that begins with ok or BAD; with an argument only those whose name it contains.
#include <hip/hip_runtime.h>
#include <hip/hip_cooperative_groups.h>
#include <hip/hiprtc.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#define CHECK(x) do { hipError_t e = (x); if (e != hipSuccess) { printf("BAD %s: %s\n", #x, hipGetErrorString(e)); return 1; } } while (0)

static int tell(bool good, const char *what) {
  printf("%s %s\n", good ? "ok" : "BAD", what);
  return !good;
}

__device__ int table[16];
__global__ void inc(int *p) { atomicAdd(p, 1); }
__global__ void doubled(int *out) { out[threadIdx.x] = 2 * table[threadIdx.x]; }
__global__ void texels(hipTextureObject_t t, float *out, int w) {
  int x = threadIdx.x, y = blockIdx.x;
  out[y * w + x] = tex2D<float>(t, x + 0.5f, y + 0.5f);
}
__global__ void meet(int *p, int *out) {
  atomicAdd(p, 1);
  cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0) out[blockIdx.x] = *(volatile int *)p;
}

static int cooperative() {
  const int groups = 100;
  int *p, *out, got[groups], can = 0;
  CHECK(hipDeviceGetAttribute(&can, hipDeviceAttributeCooperativeLaunch, 0));
  if (!can) return tell(true, "cooperative: the device has no such launches");
  CHECK(hipMalloc(&p, 4)); CHECK(hipMalloc(&out, sizeof got)); CHECK(hipMemset(p, 0, 4));
  void *args[] = {&p, &out};
  CHECK(hipLaunchCooperativeKernel((void *)meet, dim3(groups), dim3(128), args, 0, 0));
  CHECK(hipMemcpy(got, out, sizeof got, hipMemcpyDeviceToHost));
  bool good = true;
  for (int v : got) good = good && v == 128 * groups;
  return tell(good, "cooperative");
}
static int textures() {
  const int w = 64, h = 8;
  std::vector<float> v(w * h), got(w * h);
  for (int i = 0; i < w * h; i++) v[i] = i;
  hipArray *a;
  hipChannelFormatDesc d = hipCreateChannelDesc<float>();
  CHECK(hipMallocArray(&a, &d, w, h));
  CHECK(hipMemcpy2DToArray(a, 0, 0, v.data(), w * 4, w * 4, h, hipMemcpyHostToDevice));
  hipResourceDesc r = {};
  r.resType = hipResourceTypeArray;
  r.res.array.array = a;
  hipTextureDesc t = {};
  t.addressMode[0] = t.addressMode[1] = hipAddressModeClamp;
  hipTextureObject_t o;
  CHECK(hipCreateTextureObject(&o, &r, &t, nullptr));
  float *out;
  CHECK(hipMalloc(&out, w * h * 4));
  texels<<<h, w>>>(o, out, w);
  CHECK(hipMemcpy(got.data(), out, w * h * 4, hipMemcpyDeviceToHost));
  return tell(got == v, "textures");
}
static int compiler() {
  hiprtcProgram program;
  const char *source = "extern \"C\" __global__ void twice(int *p) { p[threadIdx.x] *= 2; }";
  hipDeviceProp_t prop;
  CHECK(hipGetDeviceProperties(&prop, 0));
  std::string arch = std::string("--gpu-architecture=") + prop.gcnArchName;
  const char *options[] = {arch.c_str()};
  size_t n = 0;
  if (hiprtcCreateProgram(&program, source, "twice.hip", 0, nullptr, nullptr) != HIPRTC_SUCCESS ||
      hiprtcCompileProgram(program, 1, options) != HIPRTC_SUCCESS || hiprtcGetCodeSize(program, &n) != HIPRTC_SUCCESS)
    return tell(false, "hiprtc compiles");
  std::vector<char> code(n);
  hiprtcGetCode(program, code.data());
  hipModule_t m;
  hipFunction_t f;
  CHECK(hipModuleLoadData(&m, code.data())); CHECK(hipModuleGetFunction(&f, m, "twice"));
  int *p, v[64];
  for (int i = 0; i < 64; i++) v[i] = i;
  CHECK(hipMalloc(&p, sizeof v)); CHECK(hipMemcpy(p, v, sizeof v, hipMemcpyHostToDevice));
  void *args[] = {&p};
  CHECK(hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, 0, args, nullptr));
  CHECK(hipMemcpy(v, p, sizeof v, hipMemcpyDeviceToHost));
  bool good = true;
  for (int i = 0; i < 64; i++) good = good && v[i] == 2 * i;
  return tell(good, "hiprtc");
}
static int graphs() {
  hipStream_t s;
  int *p, got = 0;
  hipGraph_t g;
  hipGraphExec_t x;
  CHECK(hipStreamCreate(&s)); CHECK(hipMalloc(&p, 4));
  CHECK(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
  CHECK(hipMemsetAsync(p, 0, 4, s));
  for (int i = 0; i < 5; i++) inc<<<1, 64, 0, s>>>(p);
  CHECK(hipMemcpyAsync(&got, p, 4, hipMemcpyDeviceToHost, s));
  CHECK(hipStreamEndCapture(s, &g));
  CHECK(hipGraphInstantiate(&x, g, nullptr, nullptr, 0));
  bool good = true;
  for (int i = 0; i < 3; i++, got = 0) {
    CHECK(hipGraphLaunch(x, s)); CHECK(hipStreamSynchronize(s));
    good = good && got == 320;
  }
  return tell(good, "graphs");
}
static int symbols() {
  int v[16], *out;
  for (int i = 0; i < 16; i++) v[i] = i * 3;
  CHECK(hipMemcpyToSymbol(HIP_SYMBOL(table), v, sizeof v)); CHECK(hipMalloc(&out, sizeof v));
  doubled<<<1, 16>>>(out);
  CHECK(hipMemcpy(v, out, sizeof v, hipMemcpyDeviceToHost));
  bool good = true;
  for (int i = 0; i < 16; i++) good = good && v[i] == 6 * i;
  return tell(good, "symbols");
}
static int managed() {
  int *p;
  CHECK(hipMallocManaged(&p, 1 << 20));
  for (int i = 0; i < 1000; i++) p[i] = i;
  CHECK(hipMemAdvise(p, 1 << 20, hipMemAdviseSetReadMostly, 0)); CHECK(hipMemPrefetchAsync(p, 1 << 20, 0, 0));
  inc<<<1, 64>>>(p);
  CHECK(hipDeviceSynchronize());
  return tell(p[0] == 64 && p[999] == 999, "managed memory with advice and prefetches");
}
static void called(hipStream_t, hipError_t, void *p) { ++*(int *)p; }
static int callbacks() {
  hipStream_t s;
  int n = 0, *p;
  CHECK(hipStreamCreate(&s)); CHECK(hipMalloc(&p, 4));
  for (int i = 0; i < 10; i++) { inc<<<1, 64, 0, s>>>(p); CHECK(hipStreamAddCallback(s, called, &n, 0)); }
  CHECK(hipStreamSynchronize(s));
  return tell(n == 10, "callbacks");
}
static int rectangles() {
  const int w = 100, h = 37;
  size_t pitch;
  char *p, *q;
  std::vector<char> v(w * h), got(w * h);
  for (int i = 0; i < w * h; i++) v[i] = i * 5;
  CHECK(hipMallocPitch((void **)&p, &pitch, w, h)); CHECK(hipMalloc(&q, 128 * h));
  CHECK(hipMemcpy2D(p, pitch, v.data(), w, w, h, hipMemcpyHostToDevice));
  CHECK(hipMemcpy2D(q, 128, p, pitch, w, h, hipMemcpyDeviceToDevice));
  CHECK(hipMemcpy2D(got.data(), w, q, 128, w, h, hipMemcpyDeviceToHost));
  return tell(v == got, "copies of rectangles");
}
static int copies() {
  bool good = true;
  for (size_t n : {size_t(1), size_t(4097), size_t(3) << 20, (size_t(9) << 20) + 5}) {
    std::vector<char> x(n), y(n);
    for (size_t i = 0; i < n; i++) x[i] = i * 7 ^ i >> 8;
    char *a, *b;
    CHECK(hipMalloc(&a, n + 64)); CHECK(hipMalloc(&b, n + 64));
    CHECK(hipMemcpy(a + 3, x.data(), n, hipMemcpyHostToDevice));
    CHECK(hipMemcpy(b + 1, a + 3, n, hipMemcpyDeviceToDevice));
    CHECK(hipMemcpy(y.data(), b + 1, n, hipMemcpyDeviceToHost));
    good = good && x == y;
    CHECK(hipFree(a)); CHECK(hipFree(b));
  }
  return tell(good, "copies of several sizes");
}
static int opened(int from) { // in another process
  hipIpcMemHandle_t h;
  int *p, *q, v[1024];
  if (read(from, &h, sizeof h) != sizeof h) return 2;
  if (hipIpcOpenMemHandle((void **)&p, h, hipIpcMemLazyEnablePeerAccess) != hipSuccess) return 3;
  inc<<<1, 64>>>(p);
  if (hipDeviceSynchronize() != hipSuccess) return 4;
  if (hipMemcpy(v, p, 4, hipMemcpyDeviceToHost) != hipSuccess || v[0] != 69) return 5;
  for (int i = 0; i < 1024; i++) v[i] = 3 * i;
  if (hipMemcpy(p + 1024, v, sizeof v, hipMemcpyHostToDevice) != hipSuccess) return 6;
  if (hipMalloc(&q, 4 << 20) != hipSuccess || hipMemset(q, 7, 4 << 20) != hipSuccess) return 7;
  if (hipMemcpy(p + 2048, q, 4 << 20, hipMemcpyDeviceToDevice) != hipSuccess) return 8;
  if (hipDeviceSynchronize() != hipSuccess) return 9;
  return hipIpcCloseMemHandle(p) != hipSuccess;
}
static int processes() {
  int fd[2], status = -1, v[1025], *p, five = 5;
  if (pipe(fd)) return 1;
  pid_t child = fork();
  if (child == 0) { close(fd[1]); _exit(opened(fd[0])); } // it ends with its parent
  CHECK(hipMalloc(&p, 8 << 20)); CHECK(hipMemcpy(p, &five, 4, hipMemcpyHostToDevice));
  hipIpcMemHandle_t h;
  CHECK(hipIpcGetMemHandle(&h, p));
  if (write(fd[1], &h, sizeof h) != sizeof h) return 1;
  waitpid(child, &status, 0);
  CHECK(hipMemcpy(v, p + 1024, sizeof v, hipMemcpyDeviceToHost));
  bool good = status == 0 && v[1024] == 0x07070707;
  for (int i = 0; i < 1024; i++) good = good && v[i] == 3 * i;
  return tell(good, "memory of another process");
}
static double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}
static int costs() { // it tells times, and judges none
  const size_t n = 64 << 20;
  std::vector<char> x(n, 3), y(n, 1), z(n, 2);
  char *d;
  int *p;
  CHECK(hipMalloc(&d, n)); CHECK(hipMalloc(&p, 4)); CHECK(hipMemset(p, 0, 4));
  for (int i = 0; i < 4; i++) {
    double t0 = now();
    CHECK(hipMemcpy(d, x.data(), n, hipMemcpyHostToDevice));
    double t1 = now();
    CHECK(hipMemcpy(y.data(), d, n, hipMemcpyDeviceToHost));
    double t2 = now();
    memcpy(z.data(), x.data(), n);
    asm volatile("" ::"r"(z.data()) : "memory");
    double t3 = now();
    for (int j = 0; j < 1000; j++) inc<<<1, 64>>>(p);
    CHECK(hipDeviceSynchronize());
    double t4 = now();
    for (int j = 0; j < 200; j++) { inc<<<1, 64>>>(p); CHECK(hipDeviceSynchronize()); }
    double t5 = now();
    printf("64 MiB to the card %.1f ms, from it %.1f ms, memcpy %.1f ms; 1,000 launches %.1f us each, launch and wait %.1f us\n",
           (t1 - t0) / 1e3, (t2 - t1) / 1e3, (t3 - t2) / 1e3, (t4 - t3) / 1000, (t5 - t4) / 200);
  }
  return 0;
}
int main(int argc, char **argv) {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  struct test { const char *name; int (*run)(); } all[] = {
    {"processes", processes}, {"cooperative", cooperative}, {"textures", textures}, {"compiler", compiler}, {"graphs", graphs},
    {"symbols", symbols}, {"managed", managed}, {"callbacks", callbacks}, {"rectangles", rectangles}, {"copies", copies},
    {"costs", costs},
  };
  int bad = 0;
  for (test &t : all) // the first one forks before it uses the card, and costs are asked for by name
    if (argc > 1 ? strstr(argv[1], t.name) != nullptr : t.run != costs) bad |= t.run();
  return bad;
}
