// What figures of whole boards measure, written anew: see kernels.cl. build.sh compiles it.

typedef unsigned int uint;
typedef unsigned long ulong;
typedef float float4 __attribute__((ext_vector_type(4)));
typedef short short1 __attribute__((ext_vector_type(1))); // never as wide as an int
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define LANE __builtin_amdgcn_workitem_id_x()
#define SIZED(N) __attribute__((reqd_work_group_size(N, 1, 1))) kernel void
#define ITEM(N) (__builtin_amdgcn_workgroup_id_x() * N + LANE)

// One step of a lattice with 19 populations a cell, each an array of its own, in place: nine are taken from and left at
// a neighbour, ten here, and pairs change places. Planes have 256 x 256 cells; arrays lie so many elements apart.
#define LATTICE(NAME, T, SCALE)                                                                       \
SIZED(64) NAME(global T *cells, global const char *walls, uint count, uint apart, float rate) {      \
    uint n = ITEM(64);                                                                                \
    if (n >= count || walls[n])                                                                       \
        return;                                                                                       \
    const int away[9] = {1, 256, 65536, 257, 65537, 65792, -255, -65535, -65280};                     \
    uint there[9];                                                                                    \
    float v[19], mean = 0, flow = 0;                                                                  \
    _Pragma("unroll") for (int i = 0; i < 9; i++) {                                                   \
        there[i] = n + away[i];                                                                       \
        there[i] = there[i] >= count ? n : there[i];                                                  \
    }                                                                                                 \
    _Pragma("unroll") for (int i = 0; i < 19; i++) {                                                  \
        v[i] = (float)cells[(ulong)i * apart + (i & 1 ? there[i / 2] : n)] * SCALE;                   \
        mean += v[i];                                                                                 \
        flow += (i & 2 ? -1.0f : 1.0f) * v[i];                                                        \
    }                                                                                                 \
    float square = flow * flow, less = 1.0f - rate;                                                   \
    _Pragma("unroll") for (int i = 0; i < 19; i++) {                                                  \
        float want = mean * (0.05f + 0.01f * i) + flow * (0.3f - 0.02f * i) + square * (0.5f + i);    \
        v[i] = v[i] * less + rate * want;                                                             \
    }                                                                                                 \
    _Pragma("unroll") for (int i = 0; i < 19; i++)                                                    \
        cells[(ulong)(i & 1 ? i + 1 : i ? i - 1 : 0) * apart + (i & 1 || !i ? n : there[(i - 1) / 2])] =          \
            (T)(v[i] * (1.0f / SCALE));                                                               \
}
LATTICE(lattice_f32, float, 1.0f)
LATTICE(lattice_f16, half, 0.0009765625f)

// An item stores 16 dwords a round, as far apart as there are items.
SIZED(256) write_rows(global uint *out, uint mask, uint rounds) {
    uint at = ITEM(256);
    _Pragma("unroll 1") for (uint i = 0; i < rounds; i++, at += 655360)
        _Pragma("unroll") for (uint j = 0; j < 16; j++)
            out[(at + 40960 * j) & mask] = at;
}

// An item reads 16 dwords a round, of a row of 4 KB of its own.
SIZED(256) read_rows(global const float *in, global float *out, uint mask, uint rounds) {
    uint at = ITEM(256) * 1024;
    float sum = 0;
    _Pragma("unroll 1") for (uint i = 0; i < rounds; i++, at += 16)
        _Pragma("unroll") for (uint j = 0; j < 16; j++)
            sum += in[(at + j) & mask];
    out[ITEM(256)] = sum;
}

// An item reads 16 dwords of LDS a round.
SIZED(256) read_lds(global const float *in, global float *out, uint rounds) {
    local float data[4096];
    for (uint i = LANE; i < 4096; i += 256)
        data[i] = in[i];
    __builtin_amdgcn_s_barrier();
    float sum = 0;
    uint at = LANE;
    _Pragma("unroll 1") for (uint i = 0; i < rounds; i++, at += 16)
        _Pragma("unroll") for (uint j = 0; j < 16; j++)
            sum += data[(at + j) & 4095];
    out[ITEM(256)] = sum;
}

// Every work-group reads the same vectors, again and again.
#define AGAIN(NAME, COUNT, ROUNDS)                                                           \
SIZED(256) NAME(global float4 *out, global const float4 *in, uint step, uint rounds) {       \
    float4 sum = 0;                                                                          \
    _Pragma(ROUNDS) for (uint i = 0; i < rounds; i++, in += step) {                          \
        _Pragma("unroll 16") for (uint j = 0; j < COUNT; j += 256)                           \
            sum += in[j + LANE];                                                             \
    }                                                                                        \
    out[ITEM(256)] = sum;                                                                    \
}
AGAIN(again_4k, 256, "unroll 32")
AGAIN(again_24k, 1536, "unroll 4")
AGAIN(again_256k, 16384, "unroll 1")

// One double an item, in work-groups of 64 or 512 items.
#define ONE(N)                                                                                                   \
SIZED(N) init_##N(global double *a) { a[ITEM(N)] = 0.25; }                                                       \
SIZED(N) read_##N(global double *a, global const double *b) { double v = b[ITEM(N)]; if (v == 3.5) a[ITEM(N)] = v; } \
SIZED(N) scale_##N(global double *a, global const double *b) { a[ITEM(N)] = 1.5 * b[ITEM(N)]; }                  \
SIZED(N) triad_##N(global double *a, global const double *b, global const double *c) { a[ITEM(N)] = 1.5 * b[ITEM(N)] + c[ITEM(N)]; } \
SIZED(N) three_##N(global double *a, global const double *b) {                                                   \
    uint n = ITEM(N) + 1;                                                                                        \
    a[n] = 0.25 * (b[n - 1] + b[n + 1]) - b[n];                                                                  \
}
ONE(64)
ONE(512)

// Each work-group reads a range of its own, 8 bytes an item at a time. How long it is the compiler knows, as it does in
// the benchmark, and so unrolls the loop.
#define OWN 16384
SIZED(256) read_own(global ulong *data, uint rounds) {
    global ulong *p = data + __builtin_amdgcn_workgroup_id_x() * OWN;
    ulong sum = 0;
    while (rounds--)
        for (uint i = 0; i < OWN; i += 256)
            sum += p[i + LANE];
    p[0] = sum;
}

// A chain of 128 times 16 operations, each of which needs the one before.
#define CHAIN(NAME, T)                                                       \
SIZED(256) NAME(global T *out, uint m, uint n) {                             \
    T a = m, b = n, x = LANE;                                                \
    _Pragma("unroll 1") for (int i = 0; i < 128; i++)                        \
        _Pragma("unroll") for (int j = 0; j < 16; j++)                       \
            x = a * x + b;                                                   \
    out[ITEM(256)] = x;                                                      \
}
CHAIN(chain_f32, float)
CHAIN(chain_f64, double)
CHAIN(chain_f16, half)
CHAIN(chain_i32, int)
CHAIN(chain_i16, short1)
