// Launches one kernel of kernels.cl again and again on the first device, and prints what its result adds up to.
// Use: host FILE KERNEL LAUNCHES
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1 << 20, SIDE = 512, MATRIX = 256, BODIES = 1024, SORTED = 1 << 18 };

static const struct {
    const char *name;
    int floats;          // what the buffers hold: floats, or integers
    size_t items[2], group[2];
    size_t bytes[3];
    int n;
} kernels[] = {
    {"vadd", 0, {N, 1}, {64, 1}, {4 * N, 4 * N, 4 * N}, N},
    {"saxpy", 1, {N, 1}, {64, 1}, {4 * N, 4 * N, 4 * N}, N},
    {"matmul", 1, {MATRIX, MATRIX}, {16, 16}, {4 * MATRIX * MATRIX, 4 * MATRIX * MATRIX, 4 * MATRIX * MATRIX}, MATRIX},
    {"histogram", 0, {256 * 64, 1}, {64, 1}, {256 * 256 * 4, 256 * 64 * 64, 64}, 64},
    {"reduce", 1, {256 * 256, 1}, {256, 1}, {256 * 4, 4 * 256 * 256 * 16, 64}, 16},
    {"mandelbrot", 0, {SIDE, SIDE}, {64, 1}, {4 * SIDE * SIDE, 64, 64}, SIDE},
    {"bitonic", 0, {SORTED, 1}, {64, 1}, {4 * SORTED, 64, 64}, 0},
    {"filter", 1, {SIDE, SIDE}, {64, 1}, {4 * SIDE * SIDE, 4 * SIDE * SIDE, 128}, SIDE},
    {"nbody", 1, {BODIES, 1}, {64, 1}, {16 * BODIES, 16 * BODIES, 64}, BODIES},
};

static void must(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: OpenCL says %d\n", what, status);
    exit(1);
}

static cl_device_id first_device(void)
{
    cl_platform_id platforms[8];
    cl_uint count;
    must(clGetPlatformIDs(8, platforms, &count), "platforms");
    for (cl_uint i = 0; i < count; i++) {
        cl_device_id device;
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS)
            return device;
    }
    must(CL_DEVICE_NOT_FOUND, "devices");
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    static char text[1 << 16];
    FILE *file = fopen(argv[1], "r");
    if (file == NULL || fread(text, 1, sizeof text - 1, file) == 0)
        return 2;
    size_t at = 0;
    while (strcmp(kernels[at].name, argv[2]) != 0)
        if (++at == sizeof kernels / sizeof *kernels)
            return 2;

    cl_int status;
    cl_device_id device = first_device();
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    must(status, "context");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    must(status, "queue");
    const char *source = text;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    must(status, "program");
    must(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    cl_kernel kernel = clCreateKernel(program, kernels[at].name, &status);
    must(status, "kernel");

    cl_mem buffers[3];
    for (int i = 0; i < 3; i++) {
        size_t words = kernels[at].bytes[i] / 4;
        union { unsigned u; float f; } *data = calloc(words, 4);
        for (size_t w = 0; w < words; w++)
            if (kernels[at].floats)
                data[w].f = (w * 37 % 101) * 0.01f;
            else
                data[w].u = w * 2654435761u;
        buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, 4 * words, data, &status);
        must(status, "buffer");
        must(clSetKernelArg(kernel, i, sizeof buffers[i], &buffers[i]), "argument");
        free(data);
    }
    const size_t *items = kernels[at].items, *group = kernels[at].group;
    cl_uint dimensions = items[1] > 1 ? 2 : 1;
    for (int launches = atoi(argv[3]); launches > 0; launches--) {
        int steps[16], count = 0; // what n is in each of the launches that are one
        if (kernels[at].n != 0)
            steps[count++] = kernels[at].n;
        else
            for (int size = 1; size <= 4; size++)
                for (int distance = size - 1; distance >= 0; distance--)
                    steps[count++] = 1 << size << 8 | distance;
        for (int i = 0; i < count; i++) {
            must(clSetKernelArg(kernel, 3, sizeof steps[i], &steps[i]), "n");
            must(clEnqueueNDRangeKernel(queue, kernel, dimensions, NULL, items, group, 0, NULL, NULL), "launch");
        }
        must(clFinish(queue), "end");
    }

    size_t words = kernels[at].bytes[0] / 4;
    union { unsigned u; float f; } *result = malloc(4 * words);
    must(clEnqueueReadBuffer(queue, buffers[0], CL_TRUE, 0, 4 * words, result, 0, NULL, NULL), "result");
    double sum = 0;
    for (size_t w = 0; w < words; w++)
        sum += (kernels[at].floats ? result[w].f : (double)result[w].u) * (1 + w % 7);
    printf("%.9g\n", sum);
    return 0;
}
