// What figures of products, transposes and columns measure, written anew: see kernels.cl. build.sh compiles it.

typedef unsigned int uint;

#define X __builtin_amdgcn_workitem_id_x()
#define Y __builtin_amdgcn_workitem_id_y()
#define GROUP_X __builtin_amdgcn_workgroup_id_x()
#define GROUP_Y __builtin_amdgcn_workgroup_id_y()
#define SQUARE(N) __attribute__((reqd_work_group_size(N, N, 1))) kernel void
#define SIZED(N) __attribute__((reqd_work_group_size(N, 1, 1))) kernel void
#define MEET                                                                                         \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                                           \
    __builtin_amdgcn_s_barrier();                                                                    \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup")

// A product of matrices: work-groups take tiles of both into LDS, and an item sums up one element.
#define PRODUCT(NAME, N)                                                                             \
SQUARE(N) NAME(global const float *a, global const float *b, global float *out, int width, int inner) { \
    local float left[N][N], right[N][N];                                                             \
    int row = GROUP_Y * N + Y, column = GROUP_X * N + X;                                             \
    float sum = 0;                                                                                   \
    for (int at = 0; at < inner; at += N) {                                                          \
        left[Y][X] = a[row * inner + at + X];                                                        \
        right[Y][X] = b[(at + Y) * width + column];                                                  \
        MEET;                                                                                        \
        for (int i = 0; i < N; i++)                                                                  \
            sum += left[Y][i] * right[i][X];                                                         \
        MEET;                                                                                        \
    }                                                                                                \
    out[row * width + column] = sum;                                                                 \
}
PRODUCT(product_16, 16)
PRODUCT(product_32, 32)

// A square of floats is copied, or transposed in tiles that go through LDS.
SQUARE(32) square_copy(global float *in, global float *out, int width) {
    int at = (GROUP_Y * 32 + Y) * width + GROUP_X * 32 + X;
    out[at] = in[at];
}
SQUARE(32) square_lds(global float *in, global float *out, int width) {
    local float tile[32][32];
    int left = GROUP_X * 32, top = GROUP_Y * 32;
    tile[Y][X] = in[(top + Y) * width + left + X];
    MEET;
    out[(left + Y) * width + top + X] = tile[X][Y];
}

// An item stores 16 floats, as far apart as there are items.
SIZED(64) write_columns(global float *out, uint items) {
    uint at = GROUP_X * 64 + X;
    for (uint i = 0; i < 16; i++)
        out[i * items + at] = __builtin_astype(at, float);
}

SIZED(512) saxpy(global float *x, global float *y, int items, float by) {
    int at = GROUP_X * 512 + X;
    if (at < items)
        y[at] = by * x[at] + y[at];
}
