package executor_test

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
)

// Atomic operations have the same results on memory that only one goroutine uses and, with the lanes in reverse
// order, in descending order.
func TestPrivateAtomics(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
		m := &isa.RowOf(op).Mem
		if isa.RowOf(op).Enc != isa.DS || m.Op != gcn.Atomic || m.Atomic == isa.NoAtomic {
			continue
		}
		var a state.Access
		for lane := range a.Addr {
			a.Addr[lane] = uint64(r.IntN(8)) * 8
		}
		seed := r.Uint64()
		run := func(private, mirrored bool) (*state.Wave, *executor.Span) {
			values := rand.New(rand.NewPCG(seed, 1))
			w, s := state.NewWave(gcn.GFX900, 8), memtest.NewSpan(0, 64)
			s.Private = private
			for i := range s.Words {
				s.Words[i] = values.Uint32() >> values.IntN(32)
			}
			for reg := range w.V {
				for lane := range w.V[reg] {
					w.V[reg][lane] = values.Uint32() >> values.IntN(32)
				}
			}
			mask, access := uint64(0x5555ffff0000ffff), a
			mirror := func() {
				for reg := range w.V {
					slices.Reverse(w.V[reg][:])
				}
			}
			if mirrored {
				mirror()
				slices.Reverse(access.Addr[:])
				mask = bits.Reverse64(mask)
				defer mirror()
			}
			require.Nil(t, executor.Atomic(w, &executor.Ports{Descending: mirrored}, s, m, 0, 2, 4, mask, &access))
			return w, s
		}
		wave, span := run(false, false)
		privateWave, privateSpan := run(true, false)
		last, lastSpan := run(true, true)
		require.Equal(t, wave.V, last.V, isa.RowOf(op).Name)
		require.Equal(t, span.Bytes, lastSpan.Bytes, isa.RowOf(op).Name)
		require.Equal(t, wave.V, privateWave.V, isa.RowOf(op).Name)
		require.Equal(t, span.Bytes, privateSpan.Bytes, isa.RowOf(op).Name)
	}
}
