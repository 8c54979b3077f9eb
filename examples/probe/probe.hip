// Probe measures, on a card or under gcnsim gpu --timing, what gcnsim's model of time assumes of a chip, because no
// public source gives it. Each figure is the slope, or the offset, of the clocks that a wave needs for more and more of
// the same instruction. With --figures=FILE it writes what "make boards FIGURES=FILE" compares with the model.
//
//	hipcc --offload-arch=gfx906 -O2 -o probe probe.hip
//	./probe --board=radeon-vii --figures=card.tsv
//	gcnsim gpu --timing --chip=radeon-vii -- ./probe
#include <hip/hip_ext.h>
#include <hip/hip_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#define CHECK(call)                                                                       \
    do {                                                                                  \
        hipError_t err = (call);                                                          \
        if (err != hipSuccess) {                                                          \
            fprintf(stderr, "probe: %s: %s\n", #call, hipGetErrorString(err));            \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

typedef unsigned long long u64;

// TIMED executes BODY N times between two reads of the clock, twice: the second time the code is in its cache. The
// clocks of the second time go to out[slot].
#define TIMED(N, BODY, slot, ...)                                                         \
    _Pragma("nounroll") for (int pass = 0; pass < 2; pass++) {                            \
        u64 begin, end;                                                                   \
        asm volatile("s_waitcnt vmcnt(0) lgkmcnt(0)\n s_memtime %0\n s_waitcnt lgkmcnt(0)\n" \
                     ".rept " #N "\n" BODY "\n.endr\n"                                    \
                     "s_memtime %1\n s_waitcnt vmcnt(0) lgkmcnt(0)"                       \
                     : "=&s"(begin), "=&s"(end), __VA_ARGS__);                            \
        if (threadIdx.x == 0)                                                             \
            out[slot] = end - begin;                                                      \
    }

// TIMED3 has the clocks of no, 6 and 12 times BODY.
#define TIMED3(slot, BODY, ...)                                                           \
    TIMED(0, BODY, slot, __VA_ARGS__)                                                     \
    TIMED(6, BODY, slot + 1, __VA_ARGS__)                                                 \
    TIMED(12, BODY, slot + 2, __VA_ARGS__)

// Places in out: those of TIMED3 take three.
enum { Scalar, Lds = 3, Same = 6, Conflict = 9, Missing = 12, Loads0 = 15, Loads24, Loads48, Stores60, Stores120, Slots };

// units measures latencies and backlogs of units of one wave.
__global__ void units(u64 *out, u64 *self, char *data) {
    __shared__ unsigned lds[64 * 32];
    unsigned lane = threadIdx.x;
    for (int i = 0; i < 32; i++)
        lds[i * 64 + lane] = 0;
    asm volatile("s_mov_b32 m0, -1" ::: "memory");
    self[0] = (u64)self;
    __threadfence();
    __syncthreads();
    u64 at = (u64)self;
    at = (u64)__builtin_amdgcn_readfirstlane((int)at) & 0xffffffff |
         (u64)__builtin_amdgcn_readfirstlane((int)(at >> 32)) << 32;
    TIMED3(Scalar, "s_load_dwordx2 %2, %2, 0x0\n s_waitcnt lgkmcnt(0)", "+s"(at) : : "memory")
    unsigned base = (unsigned)(size_t)(__attribute__((address_space(3))) unsigned *)lds;
    unsigned zero = base, one = 1, far = base + lane * 128, got;
    TIMED3(Lds, "ds_read_b32 %2, %2\n s_waitcnt lgkmcnt(0)", "+v"(zero) : : "memory")
    zero = base;
    TIMED3(Same, "ds_add_u32 %2, %3", "+v"(zero) : "v"(one) : "memory")
    TIMED3(Conflict, "ds_read_b32 %2, %3", "=&v"(got) : "v"(far) : "memory")
    u64 line = (u64)data + lane * 64;
    TIMED(0, "", Loads0, "=&v"(got) : "v"(line) : "memory")
    TIMED(24, "flat_load_dword %2, %3", Loads24, "=&v"(got) : "v"(line) : "memory")
    TIMED(48, "flat_load_dword %2, %3", Loads48, "=&v"(got) : "v"(line) : "memory")
    TIMED3(Missing, "flat_load_dword %2, %3 glc", "=&v"(got) : "v"(line) : "memory") // hits of L2
    u64 own = (u64)data + lane * 4;
    TIMED(60, "flat_store_dword %2, %3", Stores60, "+v"(own) : "v"(one) : "memory")
    TIMED(120, "flat_store_dword %2, %3", Stores120, "+v"(own) : "v"(one) : "memory")
}

// chase follows pointers, before steps and then steps that it measures.
__global__ void chase(u64 *out, u64 at, int before, int steps) {
    for (int i = 0; i < before; i++)
        at = *(volatile u64 *)at;
    u64 begin, end;
    asm volatile("s_waitcnt vmcnt(0) lgkmcnt(0)\n s_memtime %0\n s_waitcnt lgkmcnt(0)" : "=s"(begin), "+v"(at));
    for (int i = 0; i < steps; i += 16)
        asm volatile(".rept 16\n flat_load_dwordx2 %0, %0\n s_waitcnt vmcnt(0) lgkmcnt(0)\n.endr" : "+v"(at));
    asm volatile("s_memtime %0\n s_waitcnt lgkmcnt(0)" : "=s"(end), "+v"(at));
    out[0] = end - begin;
    out[1] = at;
}

// link makes a ring of places that are apart bytes from one another.
__global__ void link(char *ring, const unsigned *order, unsigned n, unsigned apart) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        *(u64 *)(ring + (u64)order[i] * apart) = (u64)(ring + (u64)order[i + 1 < n ? i + 1 : 0] * apart);
}

// sweep reads an array, so that L2 has nothing else.
__global__ void sweep(const uint4 *data, unsigned *sum) {
    uint4 v = data[blockIdx.x * blockDim.x + threadIdx.x];
    if (v.x + v.y + v.z + v.w == 12345)
        *sum = 1;
}

__global__ void nothing() {}

static std::vector<std::pair<std::string, double>> found;

static void put(const char *name, double value, const char *unit) {
    found.push_back({name, value});
    printf("%-14s %8.1f %s\n", name, value, unit);
}

// step returns the clocks of a step in a ring.
static double step(char *ring, unsigned n, unsigned apart, int before, int steps, u64 *out, char *other, size_t bytes) {
    std::vector<unsigned> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(1));
    unsigned *list;
    CHECK(hipMalloc(&list, n * sizeof(unsigned)));
    CHECK(hipMemcpy(list, order.data(), n * sizeof(unsigned), hipMemcpyHostToDevice));
    link<<<(n + 63) / 64, 64>>>(ring, list, n, apart);
    if (bytes)
        sweep<<<bytes / 16 / 256, 256>>>((uint4 *)other, (unsigned *)out + 8);
    chase<<<1, 1>>>(out, (u64)ring, before, steps);
    u64 got[2];
    CHECK(hipMemcpy(got, out, sizeof got, hipMemcpyDeviceToHost));
    CHECK(hipFree(list));
    return (double)got[0] / steps;
}

// launch returns the clocks that so many work-groups of a size take: the least of some runs.
static double launch(int groups, int size, double mhz) {
    hipEvent_t from, to;
    CHECK(hipEventCreate(&from));
    CHECK(hipEventCreate(&to));
    float least = 1e9, ms;
    for (int i = 0; i < 4; i++) {
        hipExtLaunchKernelGGL(nothing, dim3(groups), dim3(size), 0, 0, from, to, 0); // its own begin and end
        CHECK(hipEventSynchronize(to));
        CHECK(hipEventElapsedTime(&ms, from, to));
        least = std::min(least, ms);
    }
    CHECK(hipEventDestroy(from));
    CHECK(hipEventDestroy(to));
    return least * 1000 * mhz;
}

int main(int argc, char **argv) {
    std::string figures, board = "unknown";
    int engines = 4;
    for (int i = 1; i < argc; i++) {
        if (!strncmp(argv[i], "--figures=", 10))
            figures = argv[i] + 10;
        else if (!strncmp(argv[i], "--board=", 8))
            board = argv[i] + 8;
        else if (!strncmp(argv[i], "--engines=", 10))
            engines = atoi(argv[i] + 10);
        else
            return fprintf(stderr, "usage: probe [--board=NAME] [--figures=FILE] [--engines=N]\n"), 2;
    }
    hipDeviceProp_t card;
    CHECK(hipGetDeviceProperties(&card, 0));
    double mhz = card.clockRate / 1000.0;
    printf("%s, %d CUs, %.0f MHz, memory of %d bits\n", card.name, card.multiProcessorCount, mhz, card.memoryBusWidth);

    u64 *out, *self, t[Slots];
    char *ring, *other;
    const size_t large = 32 << 20, flush = 12 << 20;
    CHECK(hipMalloc(&out, sizeof t));
    CHECK(hipMalloc(&self, 4096));
    CHECK(hipMalloc(&ring, large));
    CHECK(hipMalloc(&other, flush));
    units<<<1, 64>>>(out, self, other);
    CHECK(hipMemcpy(t, out, sizeof t, hipMemcpyDeviceToHost));
    auto took = [&](int slot) { return (double)t[slot + 2] - (double)t[slot]; };         // of 12
    auto slope = [&](int slot) { return ((double)t[slot + 2] - (double)t[slot + 1]) / 6; }; // of one

    double wait = 4; // of s_waitcnt itself
    put("ScalarLatency", slope(Scalar) - wait, "clocks");
    put("LDSLatency", slope(Lds) - wait - 2, "clocks"); // and 2 in the LDS
    put("AtomicSame", (slope(Same) - 4) / 62, "clocks"); // without others the LDS takes 4, and in each half 31 wait
    put("LDSBacklog", 11 * slope(Conflict) + 4 - took(Conflict), "clocks");
    // TA takes more clocks for one of these loads than the 8 to issue it.
    double texture = ((double)t[Loads48] - (double)t[Loads24]) / 24;
    double backlog = 23 * texture + 8 - ((double)t[Loads24] - (double)t[Loads0]);
    put("VMEMBacklog", backlog, "clocks");
    put("L1Queue", 10 * slope(Missing) + texture + 8 - backlog - took(Missing), "lines");
    put("StoreEighths", ((double)t[Stores120] - (double)t[Stores60]) / 60 / 64 * 8, "1/8 clock a lane");

    double l1 = step(ring, 128, 64, 128, 512, out, other, 0);
    double l2 = step(ring, 4096, 64, 4096, 512, out, other, 0);
    double dram = step(ring, large / 4160, 4160, 0, 512, out, other, flush);
    put("L1Latency", l1 - wait, "clocks");
    put("L2Latency", l2 - wait, "clocks");
    // A row is opened (tRP and tRCD), a line takes the bus, and some steps meet a refresh.
    double bank = card.memoryBusWidth >= 1024 ? 28 + 3 + 9 : 24 + 2 + 3;
    put("DRAMLatency", (dram - l2) / mhz * 1000 - bank, "ns");

    const int groups = 1 << 15;
    put("GroupClocks", (launch(2 * groups, 64, mhz) - launch(groups, 64, mhz)) / groups, "clocks a work-group");
    put("LaunchClocks", (launch(groups / 2, 1024, mhz) - launch(groups / 4, 1024, mhz)) / (groups / 4) * engines / 16,
        "clocks a wave of a shader engine");

    if (figures.empty())
        return 0;
    FILE *f = fopen(figures.c_str(), "w");
    if (!f)
        return perror(figures.c_str()), 1;
    fprintf(f, "id\tbenchmark\tkernel\tboard\tmhz\tmeasured\tunit\tuse\tsource\n");
    for (size_t i = 0; i < found.size(); i++)
        fprintf(f, "p%03zu\tprobe\tparam_%s\t%s\t%.0f\t%.2f\tunits\tyes\texamples/probe on %s\n", i + 1,
                found[i].first.c_str(), board.c_str(), mhz, found[i].second, card.name);
    return fclose(f) ? (perror(figures.c_str()), 1) : 0;
}
