package flat_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
)

// kit is a wave with 64 KiB mapped at memtest.Low and 1 KiB of LDS.
type kit struct {
	w    *state.Wave
	p    *executor.Ports
	a    state.Access
	span *executor.Span
}

func newKit(g gcn.Gen) *kit {
	k := &kit{w: state.NewWave(g.Target(), 12), span: memtest.NewSpan(memtest.Low, 1<<16)}
	k.p = &executor.Ports{Mem: memtest.Memory{k.span}, LDS: *memtest.NewSpan(0, 1024), ScratchBase: memtest.Low}
	k.w.S[gcn.M0] = 0xffffffff
	return k
}

// address puts f(lane) into v[0:1].
func (k *kit) address(f func(lane int) uint64) {
	for lane := range 64 {
		a := f(lane)
		k.w.V[0][lane], k.w.V[1][lane] = uint32(a), uint32(a>>32)
	}
}

func (k *kit) bind(t testing.TB, name string, fields memtest.Fields) (executor.Exec, *isa.Inst) {
	if _, width := isa.FieldBits(k.w.Target.Gen(), isa.GLOBAL, isa.SADDR); width > 0 && name[:4] != "flat" {
		all := memtest.Fields{isa.SADDR: isa.NoSADDR}
		maps.Copy(all, fields)
		fields = all
	}
	return memtest.Bind(t, k.w.Target, name, fields)
}

func (k *kit) run(t testing.TB, name string, fields memtest.Fields) *state.Fault {
	exec, in := k.bind(t, name, fields)
	return exec(k.w, k.p, in, &k.a)
}

func withFlat(t *testing.T, f func(t *testing.T, g gcn.Gen)) {
	for g := gcn.GCN11; g < gcn.NumGens; g++ {
		t.Run(g.String(), func(t *testing.T) { f(t, g) })
	}
}

// Lanes of one wave may go to LDS, private and global memory (rule F1).
func TestMixedApertures(t *testing.T) {
	withFlat(t, func(t *testing.T, g gcn.Gen) {
		k := newKit(g)
		shared, private := apertures(g)
		k.p.Rules = state.DriverRules
		k.w.SetFlatScratch(0x10<<32 | 64) // FLAT_SCRATCH: size 64, offset 0x1000
		if g >= gcn.GCN14 {
			k.w.SetFlatScratch(memtest.Low + 0x1000)
		}
		k.address(func(lane int) uint64 {
			return []uint64{memtest.Low, shared, private}[lane%3] + uint64(lane/3)%16*4
		})
		require.Nil(t, k.run(t, "flat_load_dword", memtest.Fields{isa.VDST: 2}))
		for lane, got := range k.w.V[2] {
			i := lane / 3 % 16
			want := k.span.Words[i]
			switch lane % 3 {
			case 1:
				want = k.p.LDS.Words[i]
			case 2:
				want = k.span.Words[0x400+i*64+lane]
			}
			require.Equal(t, want, got, "lane %d", lane)
		}
		require.Equal(t, uint64(0x2492492492492492), k.a.LDSLanes)
		require.Equal(t, uint64(0x4924924924924924), k.a.ScratchLanes)
		require.Zero(t, k.a.Out)
	})
}

func TestBindRefuses(t *testing.T) {
	for _, in := range []isa.Inst{
		memtest.Inst(gcn.GFX900, "global_load_dword", memtest.Fields{isa.LDS: 1}),
		memtest.Inst(gcn.GFX701, "flat_atomic_add", memtest.Fields{isa.TFE: 1}),
	} {
		impl := executor.Find(&in)
		require.Nil(t, impl.Exec)
		require.NotEmpty(t, impl.Why)
	}
}

func TestExecAllocatesNothing(t *testing.T) {
	k := newKit(gcn.GCN14)
	shared, private := apertures(gcn.GCN14)
	k.w.SetFlatScratch(memtest.Low)
	k.address(func(lane int) uint64 { return []uint64{memtest.Low, shared, private}[lane%3] })
	for _, name := range []string{"flat_load_dwordx4", "flat_store_dwordx2", "flat_load_short_d16_hi",
		"flat_atomic_cmpswap_x2"} {
		exec, in := k.bind(t, name, memtest.Fields{isa.VDATA: 2, isa.VDST: 6, isa.GLC: 1})
		require.Zero(t, testing.AllocsPerRun(10, func() { _ = exec(k.w, k.p, in, &k.a) }), name)
	}
}

// The rule sets disagree on the halves of FLAT_SCRATCH before GCN 1.4 (rule K1).
func TestRulesDiffer(t *testing.T) {
	for g := gcn.GCN11; g < gcn.NumGens; g++ {
		k := newKit(g)
		_, private := apertures(g)
		k.p.ScratchBase, k.p.Compare = memtest.Low, new(state.Access)
		k.address(func(lane int) uint64 { return []uint64{memtest.Low, private}[lane%2] })
		k.w.SetFlatScratch(0x10<<32 | 0x20)
		if g >= gcn.GCN14 {
			k.w.SetFlatScratch(memtest.Low)
		}
		require.Nil(t, k.run(t, "flat_load_dword", memtest.Fields{isa.VDST: 2}))
		want := uint64(0xaaaaaaaaaaaaaaaa)
		if g >= gcn.GCN14 {
			want = 0
		}
		require.Equal(t, want, k.a.Differs, g)
	}
}
