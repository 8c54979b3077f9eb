package alu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/state"
)

// TestConstantsInAllLanes: inline constants of every format are the constants of package gcn, in every
// lane of both dwords, and instructions share them.
func TestConstantsInAllLanes(t *testing.T) {
	for code := uint32(gcn.ConstZero); code <= gcn.ConstInvTwoPi; code++ {
		for _, typ := range []gcn.Type{gcn.F16, gcn.V2F16, gcn.F32, gcn.B32, gcn.F64, gcn.I64} {
			bits, ok := gcn.InlineConstant(code, typ)
			if !ok {
				continue
			}
			if typ.Info().Dwords == 1 {
				bits = uint64(uint32(bits))
			}
			s, again := vsrc{t: typ}, vsrc{t: typ}
			s.set(sourceCode(code, 0, typ))
			again.set(sourceCode(code, 0, typ))
			require.Equal(t, fromConst, s.kind)
			for lane := range state.NumLanes {
				require.Equal(t, bits, uint64(s.k.lo[lane])|uint64(s.k.hi[lane])<<32, "code %d", code)
			}
			require.Same(t, s.k.lo, again.k.lo)
			require.Same(t, s.k.hi, again.k.hi)
		}
	}
}
