// Kernels of many work-groups for TestSampled, compiled by sampled.sh.

typedef unsigned int uint;

#define LANE __builtin_amdgcn_workitem_id_x()
#define GROUP __builtin_amdgcn_workgroup_id_x()
#define ITEM (GROUP * 64 + LANE)
#define ROW __builtin_amdgcn_workgroup_id_y()
#define BARRIER                                                 \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");      \
    __builtin_amdgcn_s_barrier();                               \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup")
#define ADD(to, n, scope) __opencl_atomic_fetch_add((to), (n), __ATOMIC_RELAXED, scope)
#define INSIDE(i) ((i) < 0 ? 0 : (i) < n ? (i) : n - 1)
#define MAD(a, b, c) __builtin_fmaf(a, b, c)

__kernel void add(__global float *to, __global const float *a, int n) {
    int i = ITEM;
    if (i < n)
        to[i] = a[i] + a[i ^ 64];
}

__kernel void scale(__global float *to, __global const float *a, int n) {
    int i = ITEM;
    if (i < n)
        to[i] += 2.5f * a[i];
}

// product multiplies rows of 64 elements with a matrix of 64 x 64, in tiles.
__kernel void product(__global float *to, __global const float *a, int n) {
    __local float left[16][16], right[16][16];
    int x = LANE, y = __builtin_amdgcn_workitem_id_y(), column = GROUP * 16 + x, row = ROW * 16 + y;
    float sum = 0;
    for (int tile = 0; tile < 64; tile += 16) {
        left[y][x] = a[row * 64 + tile + x];
        right[y][x] = a[(tile + y) * 64 + column];
        BARRIER;
        for (int k = 0; k < 16; k++)
            sum = MAD(left[y][k], right[k][x], sum);
        BARRIER;
    }
    to[row * 64 + column] = sum;
}

// bins counts bytes of 16 elements an item in LDS.
__kernel void bins(__global uint *to, __global const uint *a, int n) {
    __local uint count[256];
    int lane = LANE;
    for (int i = lane; i < 256; i += 64)
        count[i] = 0;
    BARRIER;
    for (int i = 0; i < 16; i++)
        ADD((__local atomic_uint *)&count[a[(ITEM * 16 + i * 64) & (n - 1)] & 255], 1,
            __OPENCL_MEMORY_SCOPE_WORK_GROUP);
    BARRIER;
    for (int i = lane; i < 256; i += 64)
        ADD((__global atomic_uint *)&to[i], count[i], __OPENCL_MEMORY_SCOPE_DEVICE);
}

// sum adds 8 elements an item, then those of a work-group.
__kernel void sum(__global float *to, __global const float *a, int n) {
    __local float part[256];
    int lane = LANE;
    float s = 0;
    for (int i = 0; i < 8; i++)
        s += a[(GROUP * 2048 + i * 256 + lane) & (n - 1)];
    part[lane] = s;
    BARRIER;
    for (int k = 128; k > 0; k >>= 1) {
        if (lane < k)
            part[lane] += part[lane + k];
        BARRIER;
    }
    if (lane == 0)
        to[GROUP] = part[0];
}

// escape has work that differs from place to place.
__kernel void escape(__global int *to, __global const float *a, int n) {
    int x = ITEM, y = ROW, steps = 0;
    float cr = x * (3.0f / n) - 2, ci = y * (2.0f / n) - 1, zr = 0, zi = 0;
    while (steps < 100 && zr * zr + zi * zi < 4) {
        float t = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = t;
        steps++;
    }
    to[y * n + x] = steps;
}

// sort is a step of a bitonic sort.
__kernel void sort(__global int *to, __global const float *a, int n) {
    int i = ITEM, j = i ^ 32;
    if (j > i) {
        int x = to[i], y = to[j];
        if ((x > y) == ((i & 1024) == 0)) {
            to[i] = y;
            to[j] = x;
        }
    }
}

// blur adds 9 neighbours.
__kernel void blur(__global float *to, __global const float *a, int n) {
    int x = ITEM, y = ROW;
    float s = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            s += a[INSIDE(y + dy) * n + INSIDE(x + dx)];
    to[y * n + x] = s * (1.0f / 9);
}

// pull adds the forces of 16 bodies.
__kernel void pull(__global float *to, __global const float *a, int n) {
    int i = ITEM;
    float x = a[i & (n - 1)], f = 0;
    for (int j = 0; j < 16; j++) {
        float d = a[j] - x, r = __builtin_amdgcn_rsqf(MAD(d, d, 0.01f));
        f = MAD(d * r, r * r, f);
    }
    to[i] = f;
}

// uneven has work-groups of which each 256 in a row are of another kind: long chains of loads, or arithmetic.
__kernel void uneven(__global float *to, __global const uint *a, int n) {
    uint i = ITEM, at = i;
    float f = i;
    if (GROUP / 256 % 2)
        for (int j = 0; j < 24; j++)
            at = a[(at * 1664525 + 1013904223) & (n - 1)] + j;
    else
        for (int j = 0; j < 96; j++)
            f = MAD(f, f, 0.5f);
    to[i] = f + at;
}

// What follows was compiled after the constants of sampling had been chosen: TestSampledBound alone runs it.

// turned transposes a square of 512 x 512: stores that are a power of two apart.
__kernel void turned(__global float *to, __global const float *a, int n) {
    int i = ITEM;
    to[((i & 511) * 512 + (i >> 9)) & (n - 1)] = a[i];
}

// apart loads elements that are 4 KiB apart.
__kernel void apart(__global float *to, __global const float *a, int n) {
    int i = ITEM;
    to[i] = a[(i * 1024 + (i >> 8)) & (n - 1)];
}

// pitched stores with a pitch that is no power of two.
__kernel void pitched(__global float *to, __global const float *a, int n) {
    int i = ITEM;
    to[((i % 1000) * 260 + i / 1000) & (n - 1)] = a[i];
}

// window has 16 loads of a window that moves with the work-group.
__kernel void window(__global float *to, __global const float *a, int n) {
    float s = 0;
    for (int i = 0; i < 16; i++)
        s += a[(LANE + i * 1024 + GROUP * 64) & (n - 1)];
    to[ITEM] = s;
}

// scattered stores wherever a hash says.
__kernel void scattered(__global float *to, __global const float *a, int n) {
    uint x = ITEM * 2654435761u;
    x = (x ^ x >> 15) * 2246822519u;
    to[(x ^ x >> 13) & (n - 1)] = a[ITEM];
}

// rows copies tiles of 32 x 8 of an image with rows of 4 KiB.
__kernel void rows(__global float *to, __global const float *a, int n) {
    int x = GROUP * 32 + LANE, y = ROW * 8 + __builtin_amdgcn_workitem_id_y();
    to[(y * 1024 + x) & (n - 1)] = a[(y * 1024 + x) & (n - 1)];
}

// halves copies two elements that are half of the data apart.
__kernel void halves(__global float *to, __global const float *a, int n) {
    to[ITEM] = a[ITEM] + a[(ITEM + n / 2) & (n - 1)];
}
