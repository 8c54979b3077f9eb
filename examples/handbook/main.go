// Handbook draws the pictures of the handbook from what the library computes: a swizzled
// buffer, the banks of the LDS, micro tiles, a mip chain and the clamp modes.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gcnsim/gcnsim/internal/svg"
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
	dir := flag.String("dir", os.TempDir(), "directory for the drawings")
	flag.Parse()
	if err := run(*dir); err != nil {
		fmt.Fprintln(os.Stderr, "handbook:", err)
		os.Exit(1)
	}
	fmt.Println("drawn in", *dir)
}

func run(dir string) error {
	for name, draw := range pictures {
		c, err := draw()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := c.Save(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// tints are colours of things that are told apart; black text on them is readable.
var tints = [...]string{"#9ecae1", "#fdd0a2", "#a1d99b", "#dadaeb", "#fcbba1", "#fff3a3", "#c7e9e4", "#e7cbe3"}

// onTint is text on tints.
const onTint = "#111111"
