package gcn_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
)

// TestUnreadBitsHaveNoEffect: bits that [gcn.Inst.Reads] leaves out change neither the
// registers that an instruction touches nor what it counts.
func TestUnreadBitsHaveNoEffect(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for target := range gcn.Target(gcn.NumTargets) {
		for op := gcn.Op(1); int(op) < gcn.NumOps(); op++ {
			for e := range gcn.Encoding(gcn.NumEncodings) {
				plain, err := gcn.New(target, op, e)
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
				facts := func(i gcn.Inst) [3]any { return [3]any{i.Reads(), i.Counts(), i.Effects(nil)} }
				require.Equal(t, facts(in), facts(other), "%v %v %016x %016x", target, op, in.Words, other.Words)
			}
		}
	}
}

// scrambled gives the fields of in random values, in the bits of mask; ok
// is false if that is another instruction.
func scrambled(rng *rand.Rand, in gcn.Inst, words, mask uint64) (_ gcn.Inst, ok bool) {
	var fields uint64
	for f := range gcn.Field(gcn.NumFields) {
		if shift, width := in.Target.Gen().FieldBits(in.Enc, f); f != gcn.SEG {
			fields |= (1<<width - 1) << shift
		}
	}
	mask &= fields
	words = words&^mask | rng.Uint64()&mask
	op := in.Op
	in, err := in.Target.Decode([]uint32{uint32(words), uint32(words >> 32)})
	return in, err == nil && in.Op == op
}
