// Handbook draws the pictures of the handbook from what the library computes: a swizzled
// buffer, the banks of the LDS, micro tiles, a mip chain and the clamp modes.
package main

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/gcnsim/gcnsim/internal/tool/svg"
)

// pictures are the drawings by file name.
var pictures = map[string]func() (*svg.Canvas, error){
	"swizzle.svg":   drawSwizzle,
	"banks.svg":     drawBanks,
	"microtile.svg": drawMicroTiles,
	"mipchain.svg":  drawMipChain,
	"wrap.svg":      drawClampModes,
}

func main() {
	dir := flag.String("dir", filepath.Join(os.TempDir(), "gcnsim-handbook"), "directory for the drawings")
	flag.Parse()
	if err := run(os.Stdout, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "handbook:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(pictures)) {
		c, err := pictures[name]()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := c.Save(filepath.Join(dir, name)); err != nil {
			return err
		}
		fmt.Fprintln(out, "drawn", filepath.Join(dir, name))
	}
	return nil
}
