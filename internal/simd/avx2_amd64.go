//go:build !purego

package simd

import "golang.org/x/sys/cpu"

// avx2 reports whether this machine runs the vector code.
var avx2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA
