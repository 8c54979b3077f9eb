package chip_test

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/chip"
)

// What stands for a processor, and what a chip has of its own.
func Example() {
	c := chip.ForTarget(gcn.GFX701)
	fmt.Printf("%s is %v: %d CUs at %d MHz, GB_ADDR_CONFIG 0x%08x\n", c.Name, c.Target, c.Size.CUs, c.Size.ClockMHz, c.Tiling.AddrConfig)
	// Output: hawaii is gfx701: 44 CUs at 1000 MHz, GB_ADDR_CONFIG 0x12011003
}
