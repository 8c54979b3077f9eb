package tile_test

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/tile"
)

func Example() {
	regs, err := tile.Preset("fiji")
	if err != nil {
		fmt.Println(err)
		return
	}
	layout, err := regs.Layout(tile.Surface{
		Type: gcn.Image2D, Bytes: 4, Width: 300, Height: 200, Levels: 3, Mode: 14, Pow2Pad: true,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, level := range layout.Levels() {
		addr, err := layout.Addr(i, 70, 45, 0, 0)
		fmt.Printf("level %d: %dx%d in %dx%d, %s at 0x%x; texel 70,45 at 0x%x %v\n",
			i, level.Width, level.Height, level.Pitch, level.Rows, level.Mode, level.Offset, addr, err)
	}
	// Output:
	// level 0: 300x200 in 512x256, 2D_THIN1 at 0x0; texel 70,45 at 0xc1d8 <nil>
	// level 1: 150x100 in 256x128, 2D_THIN1 at 0x80000; texel 70,45 at 0x8c1d8 <nil>
	// level 2: 75x50 in 128x64, 1D_THIN1 at 0xa0000; texel 70,45 at 0xa58d8 <nil>
}

// A picture of 16 by 8 texels is tiled. Addr returns the position of each texel.
func ExampleLayout_Upload() {
	regs, err := tile.Preset("fiji")
	if err != nil {
		fmt.Println(err)
		return
	}
	layout, err := regs.Layout(tile.Surface{Type: gcn.Image2D, Bytes: 1, Width: 16, Height: 8, Mode: 13})
	if err != nil {
		fmt.Println(err)
		return
	}
	picture := make([]byte, 16*8)
	for i := range picture {
		picture[i] = byte(i)
	}
	surface := make([]byte, layout.Size)
	if err := layout.Upload(surface, 0, 0, 0, picture, 0); err != nil {
		fmt.Println(err)
		return
	}
	at, err := layout.Addr(0, 8, 3, 0, 0)
	fmt.Println(layout.Levels()[0].Mode, at, surface[at], err)
	// Output: 1D_THIN1 74 56 <nil>
}
