package alu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// TestConstantsInAllLanes checks that inline constants of every format have the values of package gcn in every lane
// of both dwords, and that instructions share them.
func TestConstantsInAllLanes(t *testing.T) {
	for code := uint32(isa.ConstZero); code <= isa.ConstInvTwoPi; code++ {
		for _, typ := range []isa.Type{isa.F16, isa.V2F16, isa.F32, isa.B32, isa.F64, isa.I64} {
			bits, ok := isa.InlineConstant(code, typ)
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
