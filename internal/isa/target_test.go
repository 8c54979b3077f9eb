package isa_test

import (
	"testing"

	"github.com/gcnsim/gcnsim/internal/isa"
)

// TestPackedD16: the number of data registers of D16 instructions depends on whether the target packs them.
func TestPackedD16(t *testing.T) {
	load := []uint32{0xe02c0000, 0x80000000}  // buffer_load_format_d16_xyzw
	image := []uint32{0xf0010700, 0x80000000} // image_load dmask:0x7 tfe d16
	for _, c := range []struct {
		target      isa.Target
		load, image int
	}{{isa.GFX803, 4, 4}, {isa.GFX810, 2, 3}, {isa.GFX900, 2, 3}} {
		for words, want := range map[*[]uint32]int{&load: c.load, &image: c.image} {
			in, err := isa.Decode(c.target, *words)
			if err != nil || in.DataDwords() != want {
				t.Errorf("%v %08x: %d VGPRs of data, want %d (%v)", c.target, *words, in.DataDwords(), want, err)
			}
		}
	}
	if _, err := isa.Decode(isa.GFX810, []uint32{0xffffffff}); err == nil {
		t.Error("decodes what is no instruction")
	}
}

// TestMixedInstructions: gfx904 is of GCN 1.4, but has the mixed instructions of GCN 1.4.1 at the same opcodes.
// Source: llvm-mc -mcpu=gfx904.
func TestMixedInstructions(t *testing.T) {
	words := []uint32{0xd3a04001, 0x1c0e0702}
	for _, c := range []struct {
		target         isa.Target
		name, notThere string
	}{
		{isa.GFX900, "v_mad_mix_f32", "v_fma_mix_f32"}, {isa.GFX902, "v_mad_mix_f32", "v_fma_mix_f32"},
		{isa.GFX909, "v_mad_mix_f32", "v_fma_mix_f32"}, {isa.GFX904, "v_fma_mix_f32", ""}, {isa.GFX906, "v_fma_mix_f32", ""},
	} {
		in, err := isa.Decode(c.target, words)
		if err != nil || in.Op.String() != c.name {
			t.Errorf("%v: %v, %v", c.target, in.Op, err)
		}
		if c.notThere == "" {
			continue
		}
		ops, err := isa.Lookup(c.notThere, c.target)
		if len(ops) != 0 {
			t.Errorf("%v has %s", c.target, c.notThere)
		} else if text := err.Error(); text != c.notThere+" does not exist on "+c.target.String()+", only on gfx904, gfx906" {
			t.Error(text)
		}
	}
}

// TestParseTarget: every listed name is accepted, including chips and generations.
func TestParseTarget(t *testing.T) {
	for target := range isa.Target(isa.NumTargets) {
		for _, name := range append(isa.TraitsOf(target).Chips, target.String()) {
			if got, err := isa.ParseTarget(name); err != nil || got != target {
				t.Error(name, got, err)
			}
		}
	}
	for g := range isa.Gen(isa.NumGens) {
		if got, err := isa.ParseTarget(g.String()); err != nil || got != g.Target() {
			t.Error(g, got, err)
		}
	}
	for name, want := range map[string]isa.Target{"vega12": isa.GFX904, "Fiji": isa.GFX803, "gcn1.4.1": isa.GFX906,
		"raven2": isa.GFX909} {
		if got, err := isa.ParseTarget(name); err != nil || got != want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
