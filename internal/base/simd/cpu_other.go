//go:build !amd64 || purego

package simd

// Plain runs f with the Go code of all operations; this build has nothing else.
func Plain(f func()) { f() }
