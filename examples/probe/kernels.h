// The kernels of the probe, for HIP and for OpenCL C.
#ifdef __HIP__
typedef unsigned long long u64;
#define KERNEL extern "C" __global__ void
#define GLOBAL
#define LOCAL __shared__
#define LOCAL_POINTER(x) (__attribute__((address_space(3))) unsigned *)(x)
#define LANE threadIdx.x
#define ITEM (blockIdx.x * blockDim.x + threadIdx.x)
#define BARRIER __threadfence(), __syncthreads()
#else
typedef ulong u64;
#define KERNEL __kernel void
#define GLOBAL __global
#define LOCAL __local
#define LOCAL_POINTER(x) (x)
#define LANE get_local_id(0)
#define ITEM get_global_id(0)
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#endif

#include "places.h"

// TIMED executes BODY N times between two reads of the clock, twice: the second time the code is in its cache. The
// clocks of the second time go to out[slot].
#define TIMED(N, BODY, slot, ...)                                                         \
    _Pragma("nounroll") for (int pass = 0; pass < 2; pass++) {                            \
        u64 begin, end;                                                                   \
        __asm__ volatile("s_waitcnt vmcnt(0) lgkmcnt(0)\n"                                \
                     "s_memtime %0\n s_waitcnt lgkmcnt(0)\n"                             \
                     ".rept " #N "\n" BODY "\n.endr\n"                                    \
                     "s_memtime %1\n s_waitcnt vmcnt(0) lgkmcnt(0)"                       \
                     : "=&s"(begin), "=&s"(end), __VA_ARGS__);                            \
        if (LANE == 0)                                                                    \
            out[slot] = end - begin;                                                      \
    }

// TIMED3 has the clocks of no, 6 and 12 times BODY.
#define TIMED3(slot, BODY, ...)                                                           \
    TIMED(0, BODY, slot, __VA_ARGS__)                                                     \
    TIMED(6, BODY, slot + 1, __VA_ARGS__)                                                 \
    TIMED(12, BODY, slot + 2, __VA_ARGS__)

// units measures latencies and backlogs of units of one wave.
KERNEL units(GLOBAL u64 *out, GLOBAL u64 *self, GLOBAL char *data) {
    LOCAL unsigned lds[64 * 32];
    unsigned lane = LANE;
    for (int i = 0; i < 32; i++)
        lds[i * 64 + lane] = 0;
    __asm__ volatile("s_mov_b32 m0, -1" ::: "memory");
    self[0] = (u64)self;
    BARRIER;
    u64 at = (u64)self;
    TIMED3(Scalar, "s_load_dwordx2 %2, %2, 0x0\n s_waitcnt lgkmcnt(0)", "+s"(at) : : "memory")
    unsigned base = (unsigned)(size_t)LOCAL_POINTER(lds);
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
KERNEL chase(GLOBAL u64 *out, GLOBAL char *ring, int before, int steps) {
    u64 at = (u64)ring;
    for (int i = 0; i < before; i++)
        at = *(volatile GLOBAL u64 *)at;
    u64 begin, end;
    __asm__ volatile("s_waitcnt vmcnt(0) lgkmcnt(0)\n s_memtime %0\n s_waitcnt lgkmcnt(0)" : "=s"(begin), "+v"(at));
    for (int i = 0; i < steps; i += 16)
        __asm__ volatile(".rept 16\n flat_load_dwordx2 %0, %0\n s_waitcnt vmcnt(0) lgkmcnt(0)\n.endr" : "+v"(at));
    __asm__ volatile("s_memtime %0\n s_waitcnt lgkmcnt(0)" : "=s"(end), "+v"(at));
    out[0] = end - begin;
    out[1] = at;
}

// link makes a ring of places that are apart bytes from one another.
KERNEL link_ring(GLOBAL char *ring, GLOBAL const unsigned *order, unsigned n, unsigned apart) {
    unsigned i = ITEM;
    if (i < n)
        *(GLOBAL u64 *)(ring + (u64)order[i] * apart) = (u64)(ring + (u64)order[i + 1 < n ? i + 1 : 0] * apart);
}

// sweep reads an array, so that L2 has nothing else.
KERNEL sweep(GLOBAL const unsigned *data, GLOBAL unsigned *sum) {
    unsigned i = ITEM * 4;
    if (data[i] + data[i + 1] + data[i + 2] + data[i + 3] == 12345)
        *sum = 1;
}

KERNEL nothing(void) {}

