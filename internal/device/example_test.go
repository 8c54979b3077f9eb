//go:build linux && (amd64 || arm64)

package device_test

import (
	"fmt"

	"github.com/gcnsim/gcnsim/internal/device"
)

// A device is a chip by its name; each open file of it has its own memory.
func Example() {
	d, err := device.New(device.Options{Chip: "hawaii"})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := d.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = f.Close() }()
	id := d.Chip().Identity
	fmt.Printf("%s: PCI 1002:%04x, %d CUs, memory in %s\n", d.Chip().Name, id.PCI, id.SEs*id.SHs*id.CUs, f.Memory().Name())
	// Output: hawaii: PCI 1002:67b1, 44 CUs, memory in gcnsim-vram
}
