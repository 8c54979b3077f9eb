// Random numbers of librocrand against its headers compiled for the host, and against published values; of the
// generators that the arguments name, or of all.
#define FQUALIFIERS __forceinline__ __host__ __device__
#include <hip/hip_runtime.h>
#include <rocrand/rocrand.h>
#include <rocrand/rocrand_kernel.h>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

static void need(int status, const char *what) {
	if (status != 0) {
		printf("BAD %s: %d\n", what, status);
		exit(1);
	}
}

static std::set<std::string> wanted;

static void expect(const char *name, rocrand_rng_type type, const std::vector<unsigned> &want) {
	if (!wanted.empty() && !wanted.count(name))
		return;
	const size_t n = 1024;
	unsigned *device;
	std::vector<unsigned> got(n);
	rocrand_generator g;
	need(hipMalloc(&device, n * 4), "hipMalloc");
	need(rocrand_create_generator(&g, type), name);
	need(rocrand_generate(g, device, n), name);
	need(hipMemcpy(got.data(), device, n * 4, hipMemcpyDeviceToHost), "hipMemcpy");
	got.resize(want.size());
	printf("%s %s\n", got == want ? "ok" : "BAD", name);
	fflush(stdout);
	need(rocrand_destroy_generator(g), name);
	need(hipFree(device), "hipFree");
}

// host returns the first number of each of the first subsequences.
template <class State> static std::vector<unsigned> host() {
	std::vector<unsigned> all;
	for (unsigned long long i = 0; i < 256; i++) {
		State s;
		rocrand_init(0ULL, i, 0ULL, &s);
		all.push_back(rocrand(&s));
	}
	return all;
}

int main(int argc, char **argv) {
	wanted.insert(argv + 1, argv + argc);
	// kat_vectors of Random123: philox4x32 with 10 rounds, counter and key 0
	expect("philox", ROCRAND_RNG_PSEUDO_PHILOX4_32_10, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
	expect("xorwow", ROCRAND_RNG_PSEUDO_XORWOW, host<rocrand_state_xorwow>());
	expect("mrg32k3a", ROCRAND_RNG_PSEUDO_MRG32K3A, host<rocrand_state_mrg32k3a>());
	// the first dimension in the order of Gray codes: van der Corput's sequence
	expect("sobol32", ROCRAND_RNG_QUASI_SOBOL32, {0, 0x80000000, 0xc0000000, 0x40000000, 0x60000000, 0xe0000000});
}
