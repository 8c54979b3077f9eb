// The probe with OpenCL, for drivers without HIP: see probe.hip. It reads kernels.h and places.h where it is started.
//
//	c++ -O2 -o probe_cl probe_cl.cpp -lOpenCL
//	./probe_cl --board=r9-nano --figures=card.tsv
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "probe.h"

#define CHECK(call)                                                                       \
    do {                                                                                  \
        cl_int error = (call);                                                            \
        if (error != CL_SUCCESS) {                                                        \
            fprintf(stderr, "probe: %s: error %d\n", #call, error);                       \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_mem out, self, ring, other;

static cl_mem memory(size_t bytes) {
    cl_int err;
    cl_mem m = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &err);
    CHECK(err);
    return m;
}

static void set(cl_kernel, cl_uint) {}

// set sets the arguments of a kernel from number i on.
template <typename T, typename... Rest> static void set(cl_kernel k, cl_uint i, T arg, Rest... rest) {
    CHECK(clSetKernelArg(k, i, sizeof arg, &arg));
    set(k, i + 1, rest...);
}

// run runs a kernel and returns the nanoseconds that it took.
template <typename... Args> static double run(const char *name, size_t items, size_t size, Args... args) {
    cl_int err;
    cl_kernel k = clCreateKernel(program, name, &err);
    CHECK(err);
    set(k, 0, args...);
    cl_event event;
    CHECK(clEnqueueNDRangeKernel(queue, k, 1, nullptr, &items, &size, 0, nullptr, &event));
    CHECK(clWaitForEvents(1, &event));
    cl_ulong begin, end;
    CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, nullptr));
    CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr));
    clReleaseEvent(event);
    clReleaseKernel(k);
    return end - begin;
}

void Card::open() {
    cl_platform_id platform;
    cl_device_id device;
    CHECK(clGetPlatformIDs(1, &platform, nullptr));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, nullptr));
    char text[256] = "";
    cl_uint clock;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof text, text, nullptr));
    CHECK(clGetDeviceInfo(device, CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof clock, &clock, nullptr));
    size_t size;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof size, &size, nullptr));
    most = size;
    name = text;
    mhz = clock;
    stacked = true; // OpenCL does not tell: --memory does
    cl_int err;
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &err);
    CHECK(err);
    queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &err);
    CHECK(err);
    const char *source = "#include \"kernels.h\"\n";
    program = clCreateProgramWithSource(context, 1, &source, nullptr, &err);
    CHECK(err);
    if (clBuildProgram(program, 1, &device, "-I.", nullptr, nullptr) != CL_SUCCESS) {
        std::vector<char> log(1 << 16);
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr);
        fprintf(stderr, "probe: kernels.h: %s\n", log.data());
        exit(1);
    }
    out = memory(4096);
    self = memory(4096);
    ring = memory(ringBytes);
    other = memory(flushBytes);
}

void Card::units(unsigned long long *t) {
    run("units", 64, 64, out, self, other);
    CHECK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, Slots * sizeof *t, t, 0, nullptr, nullptr));
}

double Card::steps(const std::vector<unsigned> &order, unsigned apart, int before, int steps, bool flush) {
    cl_uint n = order.size(), gap = apart;
    cl_mem list = memory(n * sizeof n);
    CHECK(clEnqueueWriteBuffer(queue, list, CL_TRUE, 0, n * sizeof n, order.data(), 0, nullptr, nullptr));
    run("link_ring", (n + 63) / 64 * 64, 64, ring, list, n, gap);
    if (flush)
        run("sweep", flushBytes / 16, 256, other, out);
    run("chase", 1, 1, out, ring, cl_int(before), cl_int(steps));
    cl_ulong took;
    CHECK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof took, &took, 0, nullptr, nullptr));
    clReleaseMemObject(list);
    return took;
}

double Card::launch(int groups, int size) { return run("nothing", size_t(groups) * size, size); }

int main(int argc, char **argv) { return probe(argc, argv); }
