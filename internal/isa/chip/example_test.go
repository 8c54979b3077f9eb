package chip_test

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
)

// The chip that represents a processor, and a board with that chip.
func Example() {
	c := chip.ForTarget(gcn.GFX701)
	b := chip.LookupBoard("R9 390")
	fmt.Printf("%s is %v, GB_ADDR_CONFIG 0x%08x\n", c.Name, c.Target, c.Tiling.AddrConfig)
	fmt.Printf("%s: %s, %d CUs at %d MHz, %d GB/s of %v\n", b.Title, b.Chip, b.CUs, b.ClockMHz, b.Memory.GBs(),
		b.Memory.Kind)
	// Output:
	// hawaii is gfx701, GB_ADDR_CONFIG 0x12011003
	// Radeon R9 390: hawaii, 40 CUs at 1000 MHz, 384 GB/s of GDDR5
}
