package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"

	"github.com/gcnsim/gcnsim/page"
)

// site writes the static files of the page to dir.
func site(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	files := page.Files()
	var err error
	if files["wasm_exec.js"], err = support(); err != nil {
		return err
	}
	wasm, err := library()
	if err != nil {
		return err
	}
	if files["engine.wasm.gz"], files["engine.wasm.br"], err = pack(wasm); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := os.WriteFile(filepath.Join(dir, name), files[name], 0o644); err != nil {
			return err
		}
		fmt.Printf("%10d  %s\n", len(files[name]), filepath.Join(dir, name))
	}
	fmt.Printf("the library has %d bytes unpacked; serve the directory with any web server\n", len(wasm))
	if n := len(files["engine.wasm.br"]); n > maxLibrary {
		return fmt.Errorf("engine.wasm.br has %d bytes, more than %d: users wait for it", n, maxLibrary)
	}
	return nil
}

// maxLibrary is the greatest size in bytes of the library as WebAssembly, compressed by brotli.
const maxLibrary = 2_350_000

// support returns Go's JavaScript support file for WebAssembly.
func support() ([]byte, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
}

// library returns the library as WebAssembly, built without inlining, which makes it smaller. It is built in its own
// module, so that it has the same package versions as in make page's tests.
func library() ([]byte, error) {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/gcnsim/gcnsim").Output()
	if err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp("", "gcnsim-page")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	out := filepath.Join(tmp, "engine.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-gcflags=all=-l", "-ldflags=-s -w", "-o", out,
		"./page/wasm")
	cmd.Dir = strings.TrimSpace(string(root))
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("the library does not build as WebAssembly: %w", err)
	}
	wasm, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	return wasm, withoutPositions(wasm)
}

// pack compresses data with brotli for static servers, and with gzip for the worker, which unpacks it.
func pack(data []byte) (gz, br []byte, err error) {
	var g, b bytes.Buffer
	z, err := gzip.NewWriterLevel(&g, gzip.BestCompression)
	if err != nil {
		return nil, nil, err
	}
	w := brotli.NewWriterOptions(&b, brotli.WriterOptions{Quality: 11, LGWin: 24})
	if _, err := z.Write(data); err != nil {
		return nil, nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, nil, err
	}
	if err := errors.Join(z.Close(), w.Close()); err != nil {
		return nil, nil, err
	}
	return g.Bytes(), b.Bytes(), nil
}
