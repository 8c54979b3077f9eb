package isa_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/isa"
)

// TestUnreadBitsHaveNoEffect: bits that [isa.Inst.Reads] excludes change neither the registers that an instruction
// accesses nor its counts.
func TestUnreadBitsHaveNoEffect(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for target := range isa.Target(isa.NumTargets) {
		for op := isa.Op(1); int(op) < isa.NumOps(); op++ {
			for e := range isa.Encoding(isa.NumEncodings) {
				plain, err := isa.New(target, op, e)
				if err != nil {
					continue
				}
				in, ok := scrambled(rng, plain, plain.Words, ^uint64(0))
				if !ok {
					continue
				}
				other, ok := scrambled(rng, in, in.Words, ^in.Reads())
				if !ok {
					continue
				}
				facts := func(i isa.Inst) [3]any { return [3]any{i.Reads(), i.Counts(), i.Effects(nil)} }
				require.Equal(t, facts(in), facts(other), "%v %v %016x %016x", target, op, in.Words, other.Words)
			}
		}
	}
}

// scrambled returns in with random values in the bits of mask. ok is false if that is another instruction.
func scrambled(rng *rand.Rand, in isa.Inst, words, mask uint64) (_ isa.Inst, ok bool) {
	var fields uint64
	for f := range isa.Field(isa.NumFields) {
		if shift, width := isa.FieldBits(in.Target.Gen(), in.Enc, f); f != isa.SEG {
			fields |= (1<<width - 1) << shift
		}
	}
	mask &= fields
	words = words&^mask | rng.Uint64()&mask
	op := in.Op
	in, err := isa.Decode(in.Target, []uint32{uint32(words), uint32(words >> 32)})
	return in, err == nil && in.Op == op
}
