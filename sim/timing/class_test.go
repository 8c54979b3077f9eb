package timing

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// TestCountersAreThoseOfTheExecutors compares, for every memory instruction that executes,
// what the model adds to the counters with what the executor does.
func TestCountersAreThoseOfTheExecutors(t *testing.T) {
	compared := 0
	for _, target := range []gcn.Target{gcn.GFX600, gcn.GFX701, gcn.GFX803, gcn.GFX900, gcn.GFX906} {
		p := Default(target)
		m := sim.New(target)
		_, err := m.Map(0, 1<<16)
		require.NoError(t, err)
		regs, err := m.Registers()
		require.NoError(t, err)
		for op := gcn.Op(1); int(op) < gcn.NumOps(); op++ {
			r := op.Row()
			switch r.Enc {
			case gcn.SMEM, gcn.DS, gcn.MUBUF, gcn.MTBUF, gcn.MIMG, gcn.FLAT, gcn.GLOBAL, gcn.SCRATCH:
			default:
				continue
			}
			if !r.On(target.Gen()) || r.Has(gcn.Alias) {
				continue
			}
			for _, gds := range []int64{0, 1} {
				in, err := gcn.New(target.Gen(), op, gcn.Invalid)
				require.NoError(t, err)
				if in.Has(gcn.GDS) {
					in, err = in.Set(gcn.GDS, gds)
					require.NoError(t, err)
				}
				impl := sim.Bind(&in)
				if impl.Exec == nil {
					continue
				}
				w := state.NewWave(target, 32)
				w.SetExec(0)
				ports := &state.Ports{Mem: &m.Memory, LDS: state.Span{Hi: 64, Bytes: make([]byte, 64), Words: make([]uint32, 16)}}
				ports.GDS, ports.Images = ports.LDS, &state.Images{Regs: regs}
				if f := impl.Exec(w, ports, &in, new(state.Access)); f != nil {
					continue // needs other waves
				}
				s := newStatic(&p, &in, 0)
				assert.Equal(t, [3]uint8{w.VMCnt, w.EXPCnt, w.LGKMCnt}, [3]uint8{s.vm, s.exp, s.lgkm}, "%v %s gds=%d", target, r.Name, gds)
				compared++
			}
		}
	}
	assert.Greater(t, compared, 1500)
}
