// Nine kernels of common kinds. Each has its result first and its size last, so that one host starts them all.

__kernel void vadd(__global int *sum, __global const int *a, __global const int *b, int n)
{
    int i = get_global_id(0);
    if (i < n)
        sum[i] = a[i] + b[i];
}

__kernel void saxpy(__global float *y, __global const float *x, __global const float *z, int n)
{
    int i = get_global_id(0);
    if (i < n)
        y[i] = 2.5f * x[i] + z[i];
}

// matmul multiplies n x n matrices by tiles in LDS.
__kernel void matmul(__global float *product, __global const float *a, __global const float *b, int n)
{
    __local float left[16][16], right[16][16];
    int x = get_local_id(0), y = get_local_id(1);
    int column = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (int at = 0; at < n; at += 16) {
        left[y][x] = a[row * n + at + x];
        right[y][x] = b[(at + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; k++)
            sum += left[y][k] * right[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    product[row * n + column] = sum;
}

// histogram counts n bytes a work-item, with atomics on LDS.
__kernel void histogram(__global uint *counts, __global const uchar *bytes, __global const int *unused, int n)
{
    __local uint local_counts[256];
    int lane = get_local_id(0), group = get_group_id(0);
    for (int i = lane; i < 256; i += 64)
        local_counts[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < n; i++)
        atomic_inc(&local_counts[bytes[(group * n + i) * 64 + lane]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lane; i < 256; i += 64)
        counts[group * 256 + i] = local_counts[i];
}

// reduce adds n floats a work-item, then those of its work-group as a tree.
__kernel void reduce(__global float *sums, __global const float *in, __global const float *unused, int n)
{
    __local float part[256];
    int lane = get_local_id(0), group = get_group_id(0);
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += in[(group * n + i) * 256 + lane];
    part[lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = 128; half_size > 0; half_size >>= 1) {
        if (lane < half_size)
            part[lane] += part[lane + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0)
        sums[group] = part[0];
}

// mandelbrot counts up to 200 iterations of the points of an n x n grid.
__kernel void mandelbrot(__global int *iterations, __global const int *unused, __global const int *unused2, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    float cr = x * (3.0f / n) - 2, ci = y * (2.0f / n) - 1, zr = 0, zi = 0;
    int i = 0;
    for (; i < 200 && zr * zr + zi * zi < 4; i++) {
        float next = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = next;
    }
    iterations[y * n + x] = i;
}

// bitonic is one step of a bitonic sort: n is the size of sequences times 256, and the logarithm of the distance.
__kernel void bitonic(__global int *data, __global const int *unused, __global const int *unused2, int n)
{
    int size = n >> 8, i = get_global_id(0), other = i ^ 1 << (n & 255);
    if (other <= i)
        return;
    int a = data[i], b = data[other];
    if ((a > b) == ((i & size) == 0)) {
        data[i] = b;
        data[other] = a;
    }
}

// filter is the convolution of an n x n image with 5 x 5 weights; the edge continues outward.
__kernel void filter(__global float *out, __global const float *in, __global const float *weights, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++)
            sum += in[clamp(y + dy, 0, n - 1) * n + clamp(x + dx, 0, n - 1)] * weights[(dy + 2) * 5 + dx + 2];
    out[y * n + x] = sum;
}

// nbody gives the acceleration of each of n bodies: a position and a mass.
__kernel void nbody(__global float4 *acceleration, __global const float4 *body, __global const float *unused, int n)
{
    int i = get_global_id(0);
    float4 me = body[i];
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; j++) {
        float4 it = body[j];
        float dx = it.x - me.x, dy = it.y - me.y, dz = it.z - me.z;
        float near = native_rsqrt(dx * dx + dy * dy + dz * dz + 0.01f);
        float force = it.w * near * near * near;
        ax += force * dx;
        ay += force * dy;
        az += force * dz;
    }
    acceleration[i] = (float4)(ax, ay, az, 0);
}
