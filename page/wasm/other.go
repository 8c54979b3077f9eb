//go:build !(js && wasm)

// Wasm is for a browser; on other hosts it says so.
package main

import (
	"fmt"
	"os"
)

// On other hosts the program has no page to answer.
func main() {
	fmt.Fprintln(os.Stderr, "this is a part of the page, for a browser: GOOS=js GOARCH=wasm; make page builds it")
	os.Exit(2)
}
