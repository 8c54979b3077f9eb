package sim_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/state"
)

// A checker must not panic on any words and registers, including instructions that do not execute.
func TestChecksOfAnyInstruction(t *testing.T) {
	for _, target := range memtest.Targets {
		t.Run(target.String(), func(t *testing.T) {
			t.Parallel()
			for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
				if effort.LeavesOut(int(op) + int(target)) {
					continue
				}
				for e := isa.SOP1; e < isa.NumEncodings; e++ {
					if in, err := isa.New(target, op, e); err == nil {
						checkWild(t, &in)
					}
				}
			}
		})
	}
}

// checkWild executes an instruction with random fields twice, on few registers.
func checkWild(t *testing.T, in *isa.Inst) {
	x := newWild(in.Target, 7, uint64(in.Op)+uint64(in.Enc)<<16)
	x.registers()
	_, opcode := in.Fixed()
	keep := uint64(1<<opcode.Width-1) << opcode.Shift
	keep |= in.Words & 0xff800000 // the bits that distinguish encodings
	words := in.Words | x.Uint64()&^keep&^0xff800000
	c, err := check.New("all")
	require.NoError(t, err)
	c.Options = check.Options{FlatBoth: x.one(2), BarrierDrain: x.one(2), XNACK: x.one(2), SRAMECC: x.one(2)}
	require.NoError(t, x.m.Watch(c))
	_, err = x.m.Run(ctx, x.w, []uint32{uint32(words), uint32(words >> 32), uint32(words), uint32(words >> 32)})
	if f, ok := errors.AsType[*state.Fault](err); ok {
		require.NotEqual(t, state.FaultInternal, f.Kind, "%016x: %v", words, f)
	}
	c.Findings()
}
