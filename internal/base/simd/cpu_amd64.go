//go:build !purego

package simd

import "golang.org/x/sys/cpu"

// avx2 reports whether the CPU and the system support the vector code. Package cpu does not report the conversions of
// float16, which is bit 29 of CPUID 1, ECX.
var avx2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpuid1()>>29&1 != 0

// avx512 reports whether the CPU supports the code for sixteen lanes. Fewer functions have such code than code for
// eight.
var avx512 = avx2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ

// Plain calls f while functions that select their code use the Go version, so that tests can compare both. Nothing
// else may execute meanwhile.
func Plain(f func()) {
	defer func(eight, sixteen bool) { avx2, avx512 = eight, sixteen }(avx2, avx512)
	avx2, avx512 = false, false
	f()
}
