// Scan, reduction and selection of rocPRIM against the host, on as many elements as the argument says.
#include <hip/hip_runtime.h>
#include <rocprim/rocprim.hpp>
#include <cstdio>
#include <cstdlib>
#include <vector>

static int n = 3000;
static int *in, *out, *count;

// check runs an algorithm twice, at first to learn how much scratch it takes, and compares what it leaves.
template <class Run> static void check(const char *name, const std::vector<int> &want, Run run) {
	void *scratch = nullptr;
	size_t bytes = 0;
	std::vector<int> got(want.size());
	bool ok = run(scratch, bytes) == hipSuccess && hipMalloc(&scratch, bytes) == hipSuccess &&
		run(scratch, bytes) == hipSuccess &&
		hipMemcpy(got.data(), out, 4 * got.size(), hipMemcpyDeviceToHost) == hipSuccess;
	printf("%s %s\n", ok && got == want ? "ok" : "BAD", name);
	fflush(stdout);
	(void)hipFree(scratch);
}

struct odd {
	__device__ bool operator()(int v) const { return v & 1; }
};

int main(int argc, char **argv) {
	if (argc > 1 && atoi(argv[1]) > 0)
		n = atoi(argv[1]);
	std::vector<int> x(n), sums, odds;
	int sum = 0;
	for (int i = 0; i < n; i++) {
		x[i] = int(i * 2654435761u >> 16) - 20000;
		sums.push_back(sum += x[i]);
		if (x[i] & 1)
			odds.push_back(x[i]);
	}
	if (hipMalloc(&in, 4 * n) != hipSuccess || hipMalloc(&out, 4 * n) != hipSuccess ||
		hipMalloc(&count, 4) != hipSuccess ||
		hipMemcpy(in, x.data(), 4 * n, hipMemcpyHostToDevice) != hipSuccess)
		return 1;
	auto plus = rocprim::plus<int>();
	check("scan", sums, [&](void *s, size_t &b) { return rocprim::inclusive_scan(s, b, in, out, n, plus); });
	check("reduce", {sum}, [&](void *s, size_t &b) { return rocprim::reduce(s, b, in, out, n, plus); });
	check("select", odds, [&](void *s, size_t &b) { return rocprim::select(s, b, in, out, count, n, odd()); });
}
