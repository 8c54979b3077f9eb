package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
)

// counts is a watcher that counts its calls.
type counts struct {
	sim.NoWatcher
	needs sim.Needs
	n     int
}

func (c *counts) Needs() sim.Needs  { return c.needs }
func (c *counts) Issue(*sim.Event)  { c.n++ }
func (c *counts) Retire(*sim.Event) { c.n++ }

// BenchmarkWatched runs a loop of scalar instructions, which take the least time: what it costs that
// somebody looks on.
func BenchmarkWatched(b *testing.B) {
	n := 0
	count := func(*sim.Event) { n++ }
	all, before := &counts{}, &counts{needs: sim.Needs{Events: sim.BeforeAndAfter}}
	for _, c := range []struct {
		name     string
		watchers []sim.Watcher
	}{
		{"nobody", nil},
		{"observer", []sim.Watcher{sim.Observer(count)}},
		{"sparse", []sim.Watcher{sim.SparseObserver(count)}},
		{"before", []sim.Watcher{before}},
		{"three", []sim.Watcher{before, all, sim.SparseObserver(count)}},
	} {
		b.Run(c.name, func(b *testing.B) {
			m := sim.New(gcn.GFX803)
			require.NoError(b, m.Watch(c.watchers...))
			p, err := asmWords(m.Target, "s_movk_i32 s0, 0x1000\nloop:\ns_add_u32 s1, s1, 1\ns_add_u32 s1, s1, "+
				"1\ns_add_u32 s1, s1, 1\ns_add_u32 s1, s1, 1\ns_sub_u32 s0, s0, 1\ns_cmp_lg_u32 s0, 0\ns_cbranch_scc1 "+
				"loop\ns_endpgm")
			require.NoError(b, err)
			program, w := sim.NewProgram(m.Target, 0, p, 8), m.NewWave()
			for b.Loop() {
				w.PC, w.Executed = 0, 0
				_, err := m.RunProgram(ctx, program, w)
				require.NoError(b, err)
			}
		})
	}
}
