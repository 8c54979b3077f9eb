// What the benchmarks of figures.tsv measure, written anew: each kernel does what the column
// "kernel" of a figure stands for. build.sh compiles it.

typedef unsigned int uint;
typedef unsigned long ulong;
#define VECTORS(T) typedef T T##2 __attribute__((ext_vector_type(2))); typedef T T##4 __attribute__((ext_vector_type(4)));
VECTORS(float)
VECTORS(uint)
typedef float float8 __attribute__((ext_vector_type(8)));
typedef float float16 __attribute__((ext_vector_type(16)));
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef half half2 __attribute__((ext_vector_type(2)));

#define GROUP 256
#define LANE __builtin_amdgcn_workitem_id_x()
#define ITEM (__builtin_amdgcn_workgroup_id_x() * GROUP + LANE)
#define KERNEL __attribute__((reqd_work_group_size(GROUP, 1, 1))) kernel void

float sum1(float v) { return v; }
float sum2(float2 v) { return v.x + v.y; }
float sum4(float4 v) { return v.x + v.y + v.z + v.w; }
float sum8(float8 v) { return sum4(v.lo) + sum4(v.hi); }
float sum16(float16 v) { return sum8(v.lo) + sum8(v.hi); }

// An item sums 16 vectors that lie a work-group apart.
#define BANDWIDTH(N, T)                                                             \
KERNEL bw_v##N(global const T *in, global float *out) {                             \
    global const T *p = in + __builtin_amdgcn_workgroup_id_x() * GROUP * 16 + LANE; \
    T sum = 0;                                                                      \
    _Pragma("unroll") for (int i = 0; i < 16; i++)                                  \
        sum += p[i * GROUP];                                                        \
    out[ITEM] = sum##N(sum);                                                        \
}
BANDWIDTH(1, float)
BANDWIDTH(2, float2)
BANDWIDTH(4, float4)
BANDWIDTH(8, float8)
BANDWIDTH(16, float16)

// The same as AMD's old compiler has it: 16 bytes of each vector, then the next 16 of each.
#define QUARTERS(N, PARTS)                                                                        \
KERNEL bwq_v##N(global const float4 *in, global float *out) {                                     \
    global const float4 *p = in + (__builtin_amdgcn_workgroup_id_x() * GROUP * 16 + LANE) * PARTS; \
    float4 sum = 0;                                                                               \
    _Pragma("unroll 1") for (int part = 0; part < PARTS; part++) {                                \
        _Pragma("unroll") for (int i = 0; i < 16; i++)                                            \
            sum += p[i * GROUP * PARTS + part];                                                   \
    }                                                                                             \
    out[ITEM] = sum4(sum);                                                                        \
}
QUARTERS(8, 2)
QUARTERS(16, 4)

// Chains of x = y*x + y, y = x*y + x: two operations a step, STEPS steps an item.
#define CHAIN(NAME, T, S, INTO)                                                     \
KERNEL NAME(global INTO *out, S a) {                                                \
    T x = (T)a, y = (T)(S)LANE;                                                     \
    _Pragma("unroll 1") for (int i = 0; i < 2; i++) {                               \
        _Pragma("unroll") for (int j = 0; j < 64; j++) { x = y * x + y; y = x * y + x; } \
    }                                                                               \
    out[ITEM] = TOTAL(y);                                                           \
}
#define TOTAL(v) (v)
CHAIN(sp_v1, float, float, float)
CHAIN(dp_v1, double, double, double)
CHAIN(int_v1, uint, uint, uint)
#undef TOTAL
#define TOTAL(v) sum4(v)
CHAIN(sp_v4, float4, float, float)
#undef TOTAL
#define TOTAL(v) ((v).x + (v).y)
#ifdef PACKED
CHAIN(hp_v2, half2, float, float)
#else
// Without packed instructions the halves are floats to the compiler of the figure.
CHAIN(hp_v2, float2, float, float)
#endif

// The same with factors of 24 bits.
KERNEL i24_v1(global uint *out, uint a) {
    uint x = a & 0xffffff, y = LANE;
    _Pragma("unroll 1") for (int i = 0; i < 2; i++) {
        _Pragma("unroll") for (int j = 0; j < 64; j++) {
            x = (y & 0xffffff) * (x & 0xffffff) + y;
            y = (x & 0xffffff) * (y & 0xffffff) + x;
        }
    }
    out[ITEM] = y;
}

// Streams of doubles.
KERNEL st_copy(global const double *a, global double *c) { c[ITEM] = a[ITEM]; }
KERNEL st_mul(global const double *c, global double *b) { b[ITEM] = 0.4 * c[ITEM]; }
KERNEL st_add(global const double *a, global const double *b, global double *c) { c[ITEM] = a[ITEM] + b[ITEM]; }
KERNEL st_triad(global const double *b, global const double *c, global double *a) { a[ITEM] = b[ITEM] + 0.4 * c[ITEM]; }

// Eight lanes read 128 bytes together, anywhere among mask+1 such blocks, READS times; where
// depends on what was read before.
#define READS 64
KERNEL rnd128(global const uint4 *in, global uint *out, uint mask) {
    uint hash = ITEM / 8, part = LANE % 8, mix = hash * 2654435761u;
    _Pragma("unroll 1") for (uint i = 0; i < READS; i++) {
        uint block = mix ^ mix >> 15;
        block *= 2246822519u;
        uint4 v = in[((block ^ block >> 13) & mask) * 8 + part];
        mix = mix * 1664525u + 1013904223u + (v.x ^ v.y ^ v.z ^ v.w);
    }
    out[ITEM] = mix;
}

// One lane follows pointers.
__attribute__((reqd_work_group_size(64, 1, 1))) kernel void chase(global ulong *ring, global ulong *out, uint steps, uint lanes) {
    global ulong *p = ring + LANE;
    if (LANE >= lanes)
        return;
    _Pragma("unroll 1") for (uint i = 0; i < steps; i += 16) {
        _Pragma("unroll") for (int j = 0; j < 16; j++)
            p = (global ulong *)*p;
    }
    *out = (ulong)p;
}
