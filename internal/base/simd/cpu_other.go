//go:build !amd64 || purego

package simd

// Plain runs f with the texts in Go, as all is run here.
func Plain(f func()) { f() }
