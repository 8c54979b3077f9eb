package sim_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/testkit/insttest"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// TestPorts: a program receives only the ports that its instructions need. Random forms of every memory instruction
// have the same results with all ports.
func TestPorts(t *testing.T) {
	trials := effort.Rounds(6)
	const memBytes, ldsBytes = 1 << 14, 1 << 12
	for _, target := range []gcn.Target{gcn.GFX600, gcn.GFX701, gcn.GFX803, gcn.GFX900, gcn.GFX906} {
		t.Run(target.String(), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(2, uint64(target)))
			regs, err := tile.ForTarget(target)
			require.NoError(t, err)
			m := sim.New(target)
			m.LDSSize, m.GDSSize = ldsBytes, ldsBytes
			mapped, err := m.Map(0, memBytes)
			require.NoError(t, err)
			mem, lds, gds := memtest.NewSpan(0, memBytes), memtest.NewSpan(0, ldsBytes), memtest.NewSpan(0, ldsBytes)
			a, b := state.NewWave(target, insttest.VGPRs), state.NewWave(target, insttest.VGPRs)
			var sync executor.Sync
			try := func(in *isa.Inst) bool {
				impl := executor.Find(in)
				if impl.Exec == nil {
					return false
				}
				insttest.Fill(r, a)
				a.S[gcn.M0], a.PC, a.LDSBytes = r.Uint32N(64)*4, 0, ldsBytes
				vgprs := b.V
				*b = *a
				b.V = vgprs
				copy(b.V, a.V)
				for _, bytes := range [][]byte{mem.Bytes[:memBytes], lds.Bytes[:ldsBytes], gds.Bytes[:ldsBytes]} {
					for i := range bytes {
						bytes[i] = byte(i * 0x9d >> 3)
					}
				}
				copy(mapped.Bytes(), mem.Bytes)
				copy(m.LDS().Bytes(), lds.Bytes)
				copy(m.GDS().Bytes(), gds.Bytes)
				a.PC = uint64(in.Size)
				sync.Begin()
				fault := impl.Exec(a, &executor.Ports{
					Mem: memtest.Memory{mem}, LDS: *lds, GDS: *gds, Rules: state.SeedRules, Align: state.AlignDword,
					Sync: &sync, Images: &executor.Images{Regs: regs},
				}, in, new(state.Access))
				words, n := in.Encode()
				_, err := m.Run(ctx, b, words[:n])
				name := in.Op.String()
				require.Equal(t, fault != nil, err != nil, "%s %016x: %v against %v", name, in.Words, fault, err)
				if fault == executor.Blocked { // in a dispatch the wave would wait for others
					return false
				}
				require.Equal(t, a.V, b.V, "%s %016x", name, in.Words)
				require.Equal(t, a.S, b.S, "%s %016x", name, in.Words)
				require.Equal(t, mem.Bytes[:memBytes], mapped.Bytes(), "%s %016x", name, in.Words)
				require.Equal(t, lds.Bytes[:ldsBytes], m.LDS().Bytes(), "%s %016x", name, in.Words)
				require.Equal(t, gds.Bytes[:ldsBytes], m.GDS().Bytes(), "%s %016x", name, in.Words)
				return true
			}
			ran := 0
			for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
				row := isa.RowOf(op)
				if row.Has(isa.Alias) || row.Mem.Op == gcn.NoMem {
					continue
				}
				for range trials {
					if _, err := isa.New(target, op, row.Enc); err != nil {
						break
					}
					if in, ok := insttest.Random(r, target, op, row.Enc); ok && try(&in) {
						ran++
					}
				}
			}
			require.Greater(t, ran, 100*trials)
		})
	}
}
