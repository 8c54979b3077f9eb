package smem_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
)

// kit is a wave with 4 KiB mapped at memtest.Low, which s[4:5] points to.
type kit struct {
	w    *state.Wave
	p    *executor.Ports
	a    state.Access
	span *executor.Span
}

func newKit(g gcn.Gen) *kit {
	k := &kit{w: state.NewWave(g.Target(), 1), span: memtest.NewSpan(memtest.Low, 4096)}
	k.p = &executor.Ports{Mem: memtest.Memory{k.span}}
	k.w.SetScalar64(4, memtest.Low)
	return k
}

func (k *kit) bind(t testing.TB, name string, fields memtest.Fields) (executor.Exec, *isa.Inst) {
	return memtest.Bind(t, k.w.Target, name, fields)
}

func (k *kit) run(t testing.TB, name string, fields memtest.Fields) *state.Fault {
	exec, in := k.bind(t, name, fields)
	return exec(k.w, k.p, in, &k.a)
}

// Immediate offsets are in dwords on GCN 1.0 and 1.1, in bytes later (rule SM1).
func TestOffsetUnit(t *testing.T) {
	memtest.EveryGen(t, func(t *testing.T, g gcn.Gen) {
		k := newKit(g)
		require.Nil(t, k.run(t, "s_load_dwordx2", memtest.Fields{isa.SBASE: 2, isa.SDST: 8, isa.IMM: 1, isa.OFFSET: 16}))
		at := 4
		if g <= gcn.GCN11 {
			at = 16
		}
		require.Equal(t, k.span.Words[at:at+2], k.w.S[8:10])
		require.True(t, k.a.Scalar)
		require.Equal(t, uint16(8), k.a.Reg)

		// An SGPR offset is in bytes on every generation.
		k.w.S[7] = 20
		require.Nil(t, k.run(t, "s_load_dword", memtest.Fields{isa.SBASE: 2, isa.SDST: 8, isa.OFFSET: 7}))
		require.Equal(t, k.span.Words[5], k.w.S[8])
	})
}

// The size of a buffer is STRIDE*NUM_RECORDS bytes, or NUM_RECORDS bytes if the stride is 0. Each dword is checked by
// itself (rule SM4).
func TestBufferRange(t *testing.T) {
	memtest.EveryGen(t, func(t *testing.T, g gcn.Gen) {
		k := newKit(g)
		for _, b := range []gcn.Buffer{
			{Base: memtest.Low, NumRecords: 8},
			{Base: memtest.Low, NumRecords: 2, Stride: 4, Swizzle: true, AddTID: true},
		} {
			k.w.SetSGPRs(4, b.Words()...)
			require.Nil(t, k.run(t, "s_buffer_load_dwordx4", memtest.Fields{isa.SBASE: 2, isa.SDST: 8, isa.IMM: 1}))
			require.Equal(t, []uint32{k.span.Words[0], k.span.Words[1], 0, 0}, k.w.S[8:12])
			require.Equal(t, uint64(0xc), k.a.Out[0])
			require.Equal(t, 8, k.a.Bytes())
		}
	})
}

func TestBindRefuses(t *testing.T) {
	in := memtest.Inst(gcn.GFX600, "s_load_dword", memtest.Fields{isa.OFFSET: 255})
	impl := executor.Find(&in)
	require.Nil(t, impl.Exec)
	require.NotEmpty(t, impl.Why)
}

// Clocks depend only on the instructions executed.
func TestClocks(t *testing.T) {
	k := newKit(gcn.GCN12)
	k.w.Executed = 100
	require.Nil(t, k.run(t, "s_memtime", memtest.Fields{isa.SDST: 8}))
	first := k.w.Scalar64(8)
	k.w.Executed = 200
	require.Nil(t, k.run(t, "s_memtime", memtest.Fields{isa.SDST: 8}))
	require.Equal(t, 2*first, k.w.Scalar64(8))
	require.Nil(t, k.run(t, "s_memrealtime", memtest.Fields{isa.SDST: 8}))
	require.Less(t, k.w.Scalar64(8), 2*first)
	require.Equal(t, gcn.NoMem, k.a.Op)
}

func TestUnmapped(t *testing.T) {
	k := newKit(gcn.GCN12)
	f := k.run(t, "s_load_dwordx4", memtest.Fields{isa.SBASE: 2, isa.SDST: 8, isa.IMM: 1, isa.OFFSET: 4096 - 8})
	require.NotNil(t, f)
	require.Equal(t, state.FaultMemory, f.Kind)
	require.Equal(t, state.NoLane, f.Lane)
	require.Equal(t, uint64(memtest.Low+4096-8), f.Addr)
}

func TestExecAllocatesNothing(t *testing.T) {
	k := newKit(gcn.GCN14)
	for _, name := range []string{"s_load_dwordx16", "s_store_dwordx4", "s_atomic_cmpswap_x2", "s_memtime",
		"s_dcache_inv"} {
		fields := memtest.Fields{isa.SDST: 16, isa.SBASE: 2, isa.IMM: 1}
		exec, in := k.bind(t, name, fields)
		require.Zero(t, testing.AllocsPerRun(10, func() { _ = exec(k.w, k.p, in, &k.a) }), name)
	}
}
