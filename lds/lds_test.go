package lds_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
)

// kit is a wave with 8 KiB of LDS and byte offsets 4*lane in v0.
type kit struct {
	w *state.Wave
	p *executor.Ports
	a state.Access
}

func newKit(g gcn.Gen) *kit {
	k := &kit{w: state.NewWave(g.Target(), 12)}
	k.p = &executor.Ports{LDS: *memtest.NewSpan(0, 8192)}
	k.w.S[gcn.M0] = 0xffffffff
	for lane := range k.w.V[0] {
		k.w.V[0][lane] = uint32(lane) * 4
	}
	return k
}

func (k *kit) bind(t testing.TB, name string, fields memtest.Fields) (executor.Exec, *isa.Inst) {
	return memtest.Bind(t, k.w.Target, name, fields)
}

func (k *kit) run(t testing.TB, name string, fields memtest.Fields) *state.Fault {
	exec, in := k.bind(t, name, fields)
	return exec(k.w, k.p, in, &k.a)
}

// Offsets of two-address instructions count elements, or 64 of them (rule DS1).
func TestTwoAddresses(t *testing.T) {
	memtest.EveryGen(t, func(t *testing.T, g gcn.Gen) {
		k := newKit(g)
		words := k.p.LDS.Words
		require.Nil(t, k.run(t, "ds_read2_b32", memtest.Fields{isa.VDST: 1, isa.OFFSET0: 1, isa.OFFSET1: 3}))
		require.Equal(t, []uint32{words[6], words[8]}, []uint32{k.w.V[1][5], k.w.V[2][5]})
		require.Equal(t, [2]uint64{24, 32}, [2]uint64{k.a.At(0, 5), k.a.At(1, 5)})
		require.Nil(t, k.run(t, "ds_read2st64_b32", memtest.Fields{isa.VDST: 1, isa.OFFSET0: 1, isa.OFFSET1: 3}))
		require.Equal(t, []uint32{words[69], words[197]}, []uint32{k.w.V[1][5], k.w.V[2][5]})
		require.Nil(t, k.run(t, "ds_read2_b64", memtest.Fields{isa.VDST: 1, isa.OFFSET0: 0, isa.OFFSET1: 2}))
		require.Equal(t, words[4:6], []uint32{k.w.V[1][4], k.w.V[2][4]})
		require.Equal(t, words[8:10], []uint32{k.w.V[3][4], k.w.V[4][4]})
		require.Nil(t, k.run(t, "ds_write2st64_b64",
			memtest.Fields{isa.DATA0: 1, isa.DATA1: 3, isa.OFFSET0: 1, isa.OFFSET1: 2}))
		require.Equal(t, k.w.V[1][4], words[4+128])
		require.Equal(t, k.w.V[4][4], words[5+256])
		// At one address the second slot wins.
		require.Nil(t, k.run(t, "ds_write2_b32", memtest.Fields{isa.DATA0: 1, isa.DATA1: 2}))
		require.Equal(t, k.w.V[2][9], words[9])
	})
}

// M0 bounds LDS before GCN 1.4 only (rule DS3); the last byte of an element decides (rule
// DS4).
func TestLimit(t *testing.T) {
	memtest.EveryGen(t, func(t *testing.T, g gcn.Gen) {
		k := newKit(g)
		k.w.S[gcn.M0] = 18
		require.Nil(t, k.run(t, "ds_read_b32", memtest.Fields{isa.VDST: 1}))
		want := state.FullExec &^ 0xf
		if g >= gcn.GCN14 {
			want = 0
		}
		require.Equal(t, want, k.a.Out[0])
		require.Equal(t, want != 0, k.w.V[1][4] == 0)

		k.w.S[gcn.M0] = 0xffffffff
		require.Nil(t, k.run(t, "ds_read_b32", memtest.Fields{isa.VDST: 1, isa.OFFSET: 8192 - 16}))
		require.Equal(t, state.FullExec&^0xf, k.a.Out[0])
	})
}

// The bounds of a wide access are tested dword by dword (rule DS4).
func TestWideLimit(t *testing.T) {
	k := newKit(gcn.GCN14)
	k.w.V[0] = state.Lanes{0: 8192 - 16, 1: 8192 - 8}
	k.p.Align = state.AlignNone
	k.w.SetExec(3)
	require.Nil(t, k.run(t, "ds_read_b128", memtest.Fields{isa.VDST: 1}))
	require.Equal(t, [4]uint64{0, 0, 2, 2}, k.a.Out)
	require.Equal(t, k.p.LDS.Words[2047], k.w.V[2][1])
	require.Zero(t, k.w.V[3][1])
}

// Addresses are aligned to the element before GCN 1.4, where alignment_mode 3 allows any
// (rule DS2).
func TestAlignment(t *testing.T) {
	memtest.EveryGen(t, func(t *testing.T, g gcn.Gen) {
		k := newKit(g)
		k.p.Align = state.AlignNone
		k.w.V[0] = state.Lanes{0: 12}
		k.w.SetExec(1)
		require.Nil(t, k.run(t, "ds_read_b64", memtest.Fields{isa.VDST: 1}))
		want := uint64(8)
		if g >= gcn.GCN14 {
			want = 12
		}
		require.Equal(t, want, k.a.Addr[0])
		require.Nil(t, k.run(t, "ds_add_u64", memtest.Fields{isa.DATA0: 1}))
		require.Equal(t, uint64(8), k.a.Addr[0], "atomics are aligned everywhere")
	})
}

// DS_CMPST takes the compare value first, the source second (rule DP9).
func TestCompareStore(t *testing.T) {
	k := newKit(gcn.GCN12)
	k.w.SetExec(1)
	k.p.LDS.Words[0], k.p.LDS.Words[1] = 5, 6
	k.w.V[1], k.w.V[2] = state.Lanes{5}, state.Lanes{6}
	k.w.V[3], k.w.V[4] = state.Lanes{7}, state.Lanes{8}
	require.Nil(t, k.run(t, "ds_cmpst_rtn_b64", memtest.Fields{isa.DATA0: 1, isa.DATA1: 3, isa.VDST: 5}))
	require.Equal(t, []uint32{7, 8}, k.p.LDS.Words[:2])
	require.Equal(t, []uint32{5, 6}, []uint32{k.w.V[5][0], k.w.V[6][0]})
}

// Lanes apply in ascending order: each sees what the lanes below it left.
func TestAtomicOrder(t *testing.T) {
	k := newKit(gcn.GCN12)
	k.w.V[0] = state.Lanes{}
	for lane := range k.w.V[1] {
		k.w.V[1][lane] = 1
	}
	k.p.LDS.Words[0] = 1000
	require.Nil(t, k.run(t, "ds_add_rtn_u32", memtest.Fields{isa.DATA0: 1, isa.VDST: 1}))
	for lane, v := range k.w.V[1] {
		require.Equal(t, uint32(1000+lane), v)
	}
	require.Equal(t, uint32(1064), k.p.LDS.Words[0])
}

// DS_SWIZZLE_B32: quads by two bits a lane, else and, or, xor masks; a source lane that is
// off gives 0 (rule DS7).
func TestSwizzle(t *testing.T) {
	memtest.EveryGen(t, func(t *testing.T, g gcn.Gen) {
		k := newKit(g)
		for lane := range k.w.V[0] {
			k.w.V[0][lane] = uint32(lane) + 100
		}
		swizzle := func(offset int64) {
			require.Nil(t, k.run(t, "ds_swizzle_b32", memtest.Fields{isa.VDST: 1, isa.OFFSET: offset}))
		}
		swizzle(0x8000 | 0b00_01_10_11) // reverse each quad
		require.Equal(t, []uint32{107, 106, 105, 104}, k.w.V[1][4:8])
		swizzle(0x1f | 1<<10) // swap neighbours
		require.Equal(t, []uint32{101, 100, 103, 102}, k.w.V[1][:4])
		swizzle(0x10 | 3<<5) // broadcast lane 3 of each 16
		require.Equal(t, []uint32{103, 119, 135, 151}, []uint32{k.w.V[1][9], k.w.V[1][20], k.w.V[1][40], k.w.V[1][60]})
		k.w.SetExec(^uint64(2))
		swizzle(0x1f | 1<<10)
		require.Zero(t, k.w.V[1][0])
		require.Equal(t, uint32(103), k.w.V[1][2])
		require.Equal(t, gcn.NoMem, k.a.Op)
	})
}

// The rotate and FFT modes on the examples of the RDNA3 ISA manual, DS_SWIZZLE_B32, whose
// lanes hold their number plus 1. On GCN 1.0 and 1.1 they are quad patterns.
func TestSwizzleModes(t *testing.T) {
	const right, rotate, fft = 1 << 10, 0xc000 | 1<<5, 0xe000
	for offset, want := range map[int64][]uint32{
		fft: {1, 0x11, 9, 0x19, 5, 0x15, 0xd, 0x1d, 3, 0x13, 0xb, 0x1b, 7, 0x17, 0xf, 0x1f, 2, 0x12, 0xa, 0x1a, 6, 0x16, 0xe, 0x1e, 4, 0x14, 0xc, 0x1c, 8, 0x18, 0x10, 0x20},
		fft | 0x10: {1, 9, 5, 0xd, 3, 0xb, 7, 0xf, 2, 0xa, 6, 0xe, 4, 0xc, 8, 0x10, 0x11, 0x19, 0x15, 0x1d, 0x13,
			0x1b, 0x17, 0x1f, 0x12, 0x1a, 0x16, 0x1e, 0x14, 0x1c, 0x18, 0x20},
		fft | 0x1f:         {1, 2, 3, 4, 5},
		rotate:             {2, 3, 4, 5, 6, 7, 8, 9},
		rotate | right:     {0x20, 1, 2, 3, 4, 5, 6, 7},
		rotate | 1:         {1, 4, 3, 6, 5, 8, 7, 0xa},
		rotate | right | 1: {0x1f, 2, 1, 4, 3, 6, 5, 8},
	} {
		memtest.EveryGen(t, func(t *testing.T, g gcn.Gen) {
			k := newKit(g)
			for lane := range k.w.V[0] {
				k.w.V[0][lane] = uint32(lane) + 1
			}
			require.Nil(t, k.run(t, "ds_swizzle_b32", memtest.Fields{isa.VDST: 1, isa.OFFSET: offset}))
			if g < gcn.GCN12 {
				require.Equal(t, uint32(offset&3+1), k.w.V[1][0])
				return
			}
			for i, v := range want {
				require.Equal(t, []uint32{v, v + 32}, []uint32{k.w.V[1][i], k.w.V[1][32+i]}, "%#x lane %d", offset, i)
			}
		})
	}
}

// Without a machine around it global wave sync is a fault, not a guess.
func TestSyncNeedsMachine(t *testing.T) {
	k := newKit(gcn.GCN12)
	for name := range alone {
		f := k.run(t, name, memtest.Fields{isa.GDS: 1})
		require.NotNil(t, f, name)
		require.Equal(t, state.FaultUnsupported, f.Kind, name)
	}
}

// The lane of DS_PERMUTE and DS_BPERMUTE is (ADDR+OFFSET)/4 mod 64 (rule K8).
func TestPermute(t *testing.T) {
	k := newKit(gcn.GCN12)
	for lane := range k.w.V[0] {
		k.w.V[0][lane] = uint32(lane)*4 + 256 // wraps to the lane itself
		k.w.V[1][lane] = uint32(lane) + 100
	}
	require.Nil(t, k.run(t, "ds_bpermute_b32", memtest.Fields{isa.DATA0: 1, isa.VDST: 2, isa.OFFSET: 8}))
	require.Equal(t, uint32(107), k.w.V[2][5])
	require.Nil(t, k.run(t, "ds_permute_b32", memtest.Fields{isa.DATA0: 1, isa.VDST: 2, isa.OFFSET: 8}))
	require.Equal(t, uint32(103), k.w.V[2][5])
	require.Equal(t, uint32(162), k.w.V[2][0])

	k.w.V[0] = state.Lanes{} // all push to lane 0: the highest wins, others get 0
	require.Nil(t, k.run(t, "ds_permute_b32", memtest.Fields{isa.DATA0: 1, isa.VDST: 2}))
	require.Equal(t, []uint32{163, 0}, k.w.V[2][:2])
}

// DS_APPEND adds the number of active lanes once (rule DS9).
func TestAppend(t *testing.T) {
	k := newKit(gcn.GCN14)
	k.w.S[gcn.M0] = 16
	k.w.SetExec(0xff00)
	k.p.LDS.Words[5] = 7
	require.Nil(t, k.run(t, "ds_append", memtest.Fields{isa.VDST: 1, isa.OFFSET: 4}))
	require.Equal(t, uint32(15), k.p.LDS.Words[5])
	require.Equal(t, uint32(7), k.w.V[1][8])
	require.Zero(t, k.w.V[1][0])
	require.Nil(t, k.run(t, "ds_consume", memtest.Fields{isa.VDST: 1, isa.OFFSET: 4}))
	require.Equal(t, uint32(7), k.p.LDS.Words[5])
}

// GDS lies at M0[31:16] and has M0[15:0] bytes (rule DS10).
func TestGDS(t *testing.T) {
	k := newKit(gcn.GCN12)
	require.NotNil(t, k.run(t, "ds_read_b32", memtest.Fields{isa.VDST: 1, isa.GDS: 1}), "no GDS")
	k.p.GDS = *memtest.NewSpan(0, 4096)
	k.w.S[gcn.M0] = 0x100<<16 | 16
	require.Nil(t, k.run(t, "ds_read_b32", memtest.Fields{isa.VDST: 1, isa.GDS: 1}))
	require.Equal(t, []uint32{k.p.GDS.Words[0x40], k.p.GDS.Words[0x43], 0},
		[]uint32{k.w.V[1][0], k.w.V[1][3], k.w.V[1][4]})
	require.Equal(t, state.GDS, k.a.Space)
}

// The address of DS_CONDXCHG32 has 16 bits: (ADDR + OFFSET) & 0xfff8 (rule DP9).
func TestConditionalExchangeAddress(t *testing.T) {
	k := newKit(gcn.GCN11)
	k.w.V[0][0], k.w.V[2][0], k.w.V[3][0] = 0x80000007, 0x80000001, 2
	k.w.SetExec(1)
	old := [2]uint32{k.p.LDS.Words[4], k.p.LDS.Words[5]}
	require.Nil(t, k.run(t, "ds_condxchg32_rtn_b64", memtest.Fields{isa.VDST: 4, isa.DATA0: 2, isa.OFFSET: 0x10}))
	require.Equal(t, old, [2]uint32{k.w.V[4][0], k.w.V[5][0]})
	require.Equal(t, [2]uint32{1, old[1]}, [2]uint32{k.p.LDS.Words[4], k.p.LDS.Words[5]})
}

func TestBindRefuses(t *testing.T) {
	for name := range unsupported {
		in := memtest.Inst(gcn.GFX900, name, nil)
		impl := executor.Find(&in)
		require.Nil(t, impl.Exec, name)
		require.NotEmpty(t, impl.Why, name)
	}
	for _, name := range []string{"ds_read_addtid_b32", "ds_write_addtid_b32"} { // which reached LDS and said GDS
		in := memtest.Inst(gcn.GFX900, name, memtest.Fields{isa.GDS: 1})
		impl := executor.Find(&in)
		require.Nil(t, impl.Exec, name)
		require.Contains(t, impl.Why, "in GDS is not known (rule DS6", name)
	}
}

func TestExecAllocatesNothing(t *testing.T) {
	k := newKit(gcn.GCN14)
	for _, name := range []string{
		"ds_read_b32", "ds_write2_b64", "ds_read_u8_d16_hi", "ds_cmpst_rtn_b64", "ds_wrxchg2_rtn_b64",
		"ds_swizzle_b32", "ds_permute_b32", "ds_append", "ds_add_src2_u32", "ds_read_addtid_b32",
	} {
		exec, in := k.bind(t, name, memtest.Fields{isa.DATA0: 1, isa.DATA1: 3, isa.VDST: 5})
		require.Zero(t, testing.AllocsPerRun(10, func() { _ = exec(k.w, k.p, in, &k.a) }), name)
	}
}

// BenchmarkAtomic is an atomic sum for each lane where one goroutine has LDS for itself, as in
// launches, and where it is shared, as other memory is.
func BenchmarkAtomic(b *testing.B) {
	k := newKit(gcn.GCN12)
	for lane := range k.w.V[0] {
		k.w.V[0][lane] = uint32(lane) * 2654435761 >> 19 &^ 3
	}
	for _, of := range []struct {
		name    string
		private bool
	}{{"private", true}, {"shared", false}} {
		k.p.LDS.Private = of.private
		exec, in := k.bind(b, "ds_add_u32", memtest.Fields{isa.DATA0: 1})
		memtest.EveryMask(b, of.name, exec, k.w, k.p, in, &k.a)
		b.Run(of.name+"/plain Go", func(b *testing.B) {
			addr, data, words := &k.w.V[0], &k.w.V[1], k.p.LDS.Words
			for b.Loop() {
				for i, o := range addr {
					words[o/4] += data[i]
				}
			}
		})
	}
}
