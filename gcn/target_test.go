package gcn_test

import (
	"testing"

	"github.com/gcnsim/gcnsim/gcn"
)

// TestPackedD16: a target decodes data of D16 instructions as wide as it packs them.
func TestPackedD16(t *testing.T) {
	load := []uint32{0xe02c0000, 0x80000000}  // buffer_load_format_d16_xyzw
	image := []uint32{0xf0010700, 0x80000000} // image_load dmask:0x7 tfe d16
	for _, c := range []struct {
		target      gcn.Target
		load, image int
	}{{gcn.GFX803, 4, 4}, {gcn.GFX810, 2, 3}, {gcn.GFX900, 2, 3}} {
		for words, want := range map[*[]uint32]int{&load: c.load, &image: c.image} {
			in, err := c.target.Decode(*words)
			if err != nil || in.DataDwords() != want || in.PackedD16 != c.target.PackedD16() {
				t.Errorf("%v %08x: %d VGPRs of data, want %d (%v)", c.target, *words, in.DataDwords(), want, err)
			}
		}
	}
	if _, err := gcn.GFX810.Decode([]uint32{0xffffffff}); err == nil {
		t.Error("decodes what is no instruction")
	}
}
