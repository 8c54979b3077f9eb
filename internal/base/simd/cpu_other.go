//go:build !amd64 || purego

package simd

// Plain calls f. This build has only Go code.
func Plain(f func()) { f() }
