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
		k.w.SetFlatScratch(0x10<<32 | 64) // size 64, offset 0x1000
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

// Rule F12: bits 0-23 of FLAT_SCRATCH are the scratch offset without its first 8 bits,
// bits 32-50 its size in bytes; on GCN 1.4 it is a 64-bit address. Driver rules swap the
// halves on GCN 1.1 and 1.2 (rule K1).
func TestFlatScratch(t *testing.T) {
	withFlat(t, func(t *testing.T, g gcn.Gen) {
		k := newKit(g)
		_, private := apertures(g)
		k.address(func(lane int) uint64 { return private + 8 })
		load := func(rules state.Rules, scratch uint64) {
			k.p.Rules, k.w.TrapSts = rules, 0
			k.w.SetFlatScratch(scratch)
			require.Nil(t, k.run(t, "flat_load_dword", memtest.Fields{isa.VDST: 2}))
		}
		found := func() {
			require.Equal(t, k.span.Words[0x2000/4+2*64+7], k.w.V[2][7])
			require.Equal(t, uint64(memtest.Low+0x2000+2*256+7*4), k.a.Addr[7])
		}
		if g >= gcn.GCN14 {
			load(state.SeedRules, memtest.Low+0x2000)
			found()
			return
		}
		load(state.SeedRules, 0x20|12<<32)
		found()
		load(state.DriverRules, 12|0x20<<32)
		found()
		load(state.SeedRules, 0x20|1<<24|12<<32) // bit 24 is no part of the offset
		found()
		load(state.SeedRules, 0x20|(1<<19|8)<<32) // nor bit 51 of the size
		require.Equal(t, state.FullExec, k.a.Out[0])
		load(state.SeedRules, 0x20|8<<32) // beyond the size: 0 and MEMVIOL
		require.Zero(t, k.w.V[2][7])
		require.Equal(t, state.FullExec, k.a.Out[0])
		require.NotZero(t, k.w.TrapSts&state.TrapMemViol)
	})
}

// The dwords of a wide private access lie 256 bytes apart: the layout of the scratch V# of
// compiled code (rule F3).
func TestScratchWide(t *testing.T) {
	k := newKit(gcn.GCN14)
	k.w.SetFlatScratch(memtest.Low)
	k.address(func(lane int) uint64 { return 16 })
	for i := range 4 {
		for lane := range 64 {
			k.w.V[2+i][lane] = uint32(i<<8 | lane)
		}
	}
	require.Nil(t, k.run(t, "scratch_store_dwordx4", memtest.Fields{isa.VDATA: 2}))
	for i := range 4 {
		for lane := range 64 {
			require.Equal(t, uint32(i<<8|lane), k.span.Words[(4+i)*64+lane])
			require.Equal(t, memtest.Low+uint64((4+i)*256+lane*4), k.a.At(i, lane))
		}
	}
	require.Equal(t, state.Scratch, k.a.Space)
}

// SADDR takes the place of VADDR in SCRATCH, and is its base in GLOBAL, where VADDR is
// zero-extended (rules F10 and K9).
func TestScalarAddress(t *testing.T) {
	k := newKit(gcn.GCN141)
	k.w.SetFlatScratch(memtest.Low)
	k.w.S[10] = 8
	k.address(func(lane int) uint64 { return 0xdead })
	require.Nil(t, k.run(t, "scratch_load_dword", memtest.Fields{isa.VDST: 2, isa.SADDR: 10, isa.OFFSET: -4}))
	require.Equal(t, k.span.Words[64+9], k.w.V[2][9])

	k.w.SetScalar64(10, memtest.Low-0xffffff00)
	k.address(func(lane int) uint64 { return 0xffffff00 + uint64(lane) })
	require.Nil(t, k.run(t, "global_load_ubyte", memtest.Fields{isa.VDST: 2, isa.SADDR: 10, isa.OFFSET: 4}))
	require.Equal(t, uint32(k.span.Bytes[13]), k.w.V[2][9])
}

// GLOBAL offsets are signed, FLAT offsets of GCN 1.4 are not (rule F10).
func TestOffsets(t *testing.T) {
	k := newKit(gcn.GCN14)
	k.address(func(lane int) uint64 { return memtest.Low + 0x1000 })
	require.Nil(t, k.run(t, "global_load_dword", memtest.Fields{isa.VDST: 2, isa.OFFSET: -4096}))
	require.Equal(t, k.span.Words[0], k.w.V[2][0])
	require.Nil(t, k.run(t, "flat_load_dword", memtest.Fields{isa.VDST: 2, isa.OFFSET: 0xffc}))
	require.Equal(t, k.span.Words[0x1ffc/4], k.w.V[2][0])
}

// Atomics work on LDS and global lanes, in each memory by itself, and do nothing on
// private ones (rule F5).
func TestAtomicLanes(t *testing.T) {
	withFlat(t, func(t *testing.T, g gcn.Gen) {
		k := newKit(g)
		shared, private := apertures(g)
		k.address(func(lane int) uint64 { return []uint64{memtest.Low, shared, private}[min(lane, 2)] })
		k.w.SetExec(7)
		k.span.Words[0], k.p.LDS.Words[0] = 10, 20
		for lane := range 3 {
			k.w.V[2][lane], k.w.V[3][lane] = uint32(lane+1), 99
		}
		require.Nil(t, k.run(t, "flat_atomic_add", memtest.Fields{isa.VDATA: 2, isa.VDST: 3, isa.GLC: 1}))
		require.Equal(t, [2]uint32{11, 22}, [2]uint32{k.span.Words[0], k.p.LDS.Words[0]})
		require.Equal(t, []uint32{10, 20, 0}, k.w.V[3][:3])
		require.NotZero(t, k.w.TrapSts&state.TrapMemViol)
	})
}

// The value that an atomic returns goes to the lanes that were active when it executed
// and to no other.
func TestReturnFollowsExec(t *testing.T) {
	k := newKit(gcn.GCN14)
	k.address(func(lane int) uint64 { return memtest.Low + uint64(lane)*4 })
	k.w.SetExec(0x0f)
	k.w.V[3] = state.Lanes{4: 99, 63: 99}
	require.Nil(t, k.run(t, "global_atomic_swap", memtest.Fields{isa.VDATA: 2, isa.VDST: 3, isa.GLC: 1}))
	require.Equal(t, uint32(99), k.w.V[3][4])
	require.Equal(t, uint32(99), k.w.V[3][63])
	require.Equal(t, uint64(0x0f), k.a.Exec)
}

// A private access that crosses a dword goes on in the next dword of the lane (rule F3),
// in alignment_mode UNALIGNED.
func TestPrivateUnaligned(t *testing.T) {
	k := newKit(gcn.GCN14)
	k.p.Align = state.AlignNone
	k.w.SetFlatScratch(memtest.Low)
	k.address(func(lane int) uint64 { return uint64(lane) })
	for lane := range k.w.V[4] {
		k.w.V[4][lane], k.w.V[5][lane] = 0x03020100+0x04040404*uint32(lane%16), 0xaabbccdd
	}
	require.Nil(t, k.run(t, "scratch_store_dwordx2", memtest.Fields{isa.VDATA: 4}))
	for _, lane := range []int{0, 1, 2, 3, 61} {
		for b := range 4 {
			off := uint64(lane + b)
			require.Equal(t, byte(4*(lane%16)+b), k.span.Bytes[off/4*256+uint64(lane)*4+off%4], "lane %d byte %d", lane, b)
		}
	}
	for i := range k.w.V[2:4] {
		k.w.V[2+i] = state.Lanes{}
	}
	require.Nil(t, k.run(t, "scratch_load_dwordx2", memtest.Fields{isa.VDST: 2}))
	require.Equal(t, k.w.V[4], k.w.V[2])
	require.Equal(t, k.w.V[5], k.w.V[3])
	exec, in := k.bind(t, "scratch_load_dwordx2", memtest.Fields{isa.VDST: 2})
	require.Zero(t, testing.AllocsPerRun(5, func() { _ = exec(k.w, k.p, in, &k.a) }))
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
