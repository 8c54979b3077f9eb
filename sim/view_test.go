package sim

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
)

// A worker's view finds the same ranges as memory, while ranges that share an entry of view.near are mapped and
// unmapped.
func TestViewFindsWhatMemoryFinds(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	m := New(gcn.GFX803)
	v := view{Memory: &m.Memory}
	var mapped []*Buffer
	for range memtest.States(20000) {
		switch addr := 1<<32 + r.Uint64N(1<<26); {
		case r.IntN(8) == 0 && len(mapped) < 12:
			if b, err := m.Map(addr, 1+r.Uint64N(1<<20)); err == nil {
				mapped = append(mapped, b)
			}
		case r.IntN(16) == 0 && len(mapped) > 0:
			i := r.IntN(len(mapped))
			m.Free(mapped[i])
			mapped = append(mapped[:i], mapped[i+1:]...)
		default:
			if len(mapped) > 0 && r.IntN(4) != 0 { // an address at or near the end of a range
				b := mapped[r.IntN(len(mapped))]
				addr = b.Addr + b.Size*r.Uint64N(2) + r.Uint64N(4) - 2
			}
			require.Same(t, m.find(addr), v.Find(addr), "%#x", addr)
		}
	}
}
