// Probe measures, on a card or under gcnsim gpu --timing, what gcnsim's model of time assumes of a chip, because no
// public source gives it. Each figure is the slope, or the offset, of the clocks that a wave needs for more and more of
// the same instruction. With --figures=FILE it writes what "make boards FIGURES=FILE" compares with the model.
//
//	hipcc --offload-arch=gfx906 -O2 -o probe probe.hip
//	./probe --board=radeon-vii --figures=card.tsv
//	gcnsim gpu --timing --chip=radeon-vii -- ./probe
#include <hip/hip_ext.h>
#include <hip/hip_runtime.h>

#include "kernels.h"
#include "probe.h"

#define CHECK(call)                                                                       \
    do {                                                                                  \
        hipError_t err = (call);                                                          \
        if (err != hipSuccess) {                                                          \
            fprintf(stderr, "probe: %s: %s\n", #call, hipGetErrorString(err));            \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

static u64 *out, *self;
static char *ring, *other;
static hipEvent_t from, to;

void Card::open() {
    hipDeviceProp_t p;
    CHECK(hipGetDeviceProperties(&p, 0));
    name = p.name;
    mhz = p.clockRate / 1000.0;
    most = p.maxThreadsPerBlock;
    stacked = p.memoryBusWidth >= 1024;
    CHECK(hipMalloc(&out, 4096));
    CHECK(hipMalloc(&self, 4096));
    CHECK(hipMalloc(&ring, ringBytes));
    CHECK(hipMalloc(&other, flushBytes));
    CHECK(hipEventCreate(&from));
    CHECK(hipEventCreate(&to));
}

void Card::units(u64 *t) {
    ::units<<<1, 64>>>(out, self, other);
    CHECK(hipMemcpy(t, out, Slots * sizeof *t, hipMemcpyDeviceToHost));
}

double Card::steps(const std::vector<unsigned> &order, unsigned apart, int before, int steps, bool flush) {
    unsigned *list, n = order.size();
    CHECK(hipMalloc(&list, n * sizeof *list));
    CHECK(hipMemcpy(list, order.data(), n * sizeof *list, hipMemcpyHostToDevice));
    link_ring<<<(n + 63) / 64, 64>>>(ring, list, n, apart);
    if (flush)
        sweep<<<flushBytes / 16 / 256, 256>>>((unsigned *)other, (unsigned *)out + 512);
    chase<<<1, 1>>>(out, ring, before, steps);
    u64 took;
    CHECK(hipMemcpy(&took, out, sizeof took, hipMemcpyDeviceToHost));
    CHECK(hipFree(list));
    return took;
}

double Card::launch(int groups, int size) {
    hipExtLaunchKernelGGL(nothing, dim3(groups), dim3(size), 0, 0, from, to, 0); // its own begin and end
    CHECK(hipEventSynchronize(to));
    float ms;
    CHECK(hipEventElapsedTime(&ms, from, to));
    return ms * 1e6;
}

int main(int argc, char **argv) { return probe(argc, argv); }
