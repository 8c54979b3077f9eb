package asm

import (
	"math/rand/v2"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// FuzzRoundTrip checks that the text of random words assembles to the same words. The row and the encoding are separate
// inputs, so that a fuzzer reaches each of them in one step.
func FuzzRoundTrip(f *testing.F) {
	for n := range gcn.NumTargets {
		r := rand.New(rand.NewPCG(1, uint64(n)))
		for op := n; op < isa.NumOps(); op += gcn.NumTargets {
			f.Add(uint8(n), uint16(op), uint8(r.Uint32()), r.Uint32(), r.Uint32())
		}
	}
	f.Add(uint8(gcn.GFX904), uint16(isa.Ops("v_mad_mix_f32")[0]-1), uint8(0), uint32(0), uint32(0)) // of gfx900
	f.Fuzz(func(t *testing.T, n uint8, op uint16, form uint8, w0, w1 uint32) {
		target := gcn.Target(n % gcn.NumTargets)
		row := gcn.Op(1 + int(op)%(isa.NumOps()-1))
		encs := forms(target.Gen(), row)
		if len(encs) == 0 || !isa.RowOf(row).On(target) { // some processors of a generation lack the row
			return
		}
		in, err := isa.New(target, row, encs[int(form)%len(encs)])
		if err != nil {
			t.Fatal(err)
		}
		in, err = isa.Decode(target, fill(in, w0, w1))
		if err != nil {
			return
		}
		comesBack(t, target, in)
	})
}

// fill returns the words of in with random bits from w0 and w1. The bits that select the row and the encoding
// do not change.
func fill(in isa.Inst, w0, w1 uint32) []uint32 {
	words, _ := in.Encode()
	encoding, opcode := in.Fixed()
	fixed := (1<<opcode.Width-1)<<opcode.Shift | (1<<encoding.Width-1)<<encoding.Shift
	if in.Has(isa.SEG) {
		fixed |= 3 << 14
	}
	if in.Has(isa.DPPCTRL) || in.Has(isa.SRC0SEL) {
		fixed |= 0x1ff
	}
	return []uint32{words[0] | w0&^uint32(fixed), w1}
}
