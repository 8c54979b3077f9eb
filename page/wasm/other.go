//go:build !(js && wasm)

// Wasm only works in a browser. On other hosts it prints an error.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "this is a part of the page, for a browser: GOOS=js GOARCH=wasm; make page builds it")
	os.Exit(2)
}
