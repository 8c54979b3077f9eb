//go:build !purego

package simd

import "golang.org/x/sys/cpu"

// avx2 reports whether this machine runs the vector code. Package cpu knows whether the system
// saves the registers, but not of the conversions of float16: bit 29 of CPUID 1, ECX.
var avx2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpuid1()>>29&1 != 0

// avx512 reports whether the CPU runs the code for sixteen lanes. Fewer functions have such code than code for eight.
var avx512 = avx2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ

// Plain runs f with the texts in Go where functions choose by themselves: tests compare what
// both do. Nothing else may run meanwhile.
func Plain(f func()) {
	defer func(eight, sixteen bool) { avx2, avx512 = eight, sixteen }(avx2, avx512)
	avx2, avx512 = false, false
	f()
}
