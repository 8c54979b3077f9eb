package alu

import (
	"math/rand/v2"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/state"
)

// execWords decodes, checks, binds and executes whatever words are. It must not panic, and what
// has no Flow must leave the flow of the program alone: the run loop does not look.
func execWords(w *state.Wave, words []uint32) {
	in, err := isa.Decode(w.Target, words)
	if err != nil {
		return
	}
	r := in.Row()
	if r.Enc > isa.VOP3P {
		return
	}
	im := bind(&in)
	if im.Exec == nil {
		if im.Why == "" {
			panic("alu: no reason why " + r.Name + " does not execute")
		}
		return
	}
	if executor.Check(&in, len(w.V), nil) != nil {
		return
	}
	pc := w.PC
	w.Ended, w.AtBarrier = false, false
	if f := im.Exec(w, &executor.Ports{}, &in, nil); f != nil && f.What == "" {
		panic("alu: a fault of " + r.Name + " does not say what is wrong")
	}
	if !im.Flow && (w.PC != pc || w.Ended || w.AtBarrier) {
		panic("alu: " + r.Name + " changes the flow of the program and does not say so")
	}
}

// FuzzExec: see execWords, for any words, MODE and M0.
func FuzzExec(f *testing.F) {
	for _, words := range benchWords {
		f.Add(uint8(3), uint64(0xc0), words[0], uint32(0))
	}
	f.Add(uint8(2), uint64(1)<<27, uint32(0x7e060500), uint32(0))
	f.Fuzz(func(t *testing.T, gen uint8, mode uint64, a, b uint32) {
		w := state.NewWave(scalarTargets[gen%gcn.NumGens], 24)
		w.Mode = state.Mode(mode)
		w.S[gcn.M0] = uint32(mode >> 32)
		execWords(w, []uint32{a, b})
	})
}

// TestRandomWords runs random instructions of every row one after another on a wave.
func TestRandomWords(t *testing.T) {
	rnd := rand.New(rand.NewPCG(31, 32))
	for _, target := range scalarTargets {
		w := state.NewWave(target, 24)
		for range effort.Rounds(40) {
			for op := 1; op < isa.NumOps(); op++ {
				for _, enc := range []gcn.Encoding{isa.Invalid, isa.VOP3A, isa.VOP3B, isa.VOP1SDWA, isa.VOP2SDWA, isa.VOPCSDWA,
					isa.VOP1DPP, isa.VOP2DPP, isa.VOPCDPP} {
					in, err := isa.New(w.Target, gcn.Op(op), enc)
					if err != nil {
						continue
					}
					for f := range isa.Field(isa.NumFields) {
						shift, width := isa.FieldBits(w.Target.Gen(), in.Enc, f)
						if width > 0 && !(f == isa.SRC0 && in.Words&0x1fe == 0xf8) { // keep the SDWA and DPP markers
							in.Words |= rnd.Uint64() & rnd.Uint64() & (1<<width - 1) << shift
						}
					}
					words, _ := in.Encode()
					execWords(w, words[:])
				}
			}
			w.Mode = state.Mode(rnd.Uint32())
			w.S[gcn.M0] = rnd.Uint32() >> rnd.IntN(32)
		}
	}
}
