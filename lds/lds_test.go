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

// The rotate and FFT modes of DS_SWIZZLE_B32, on the examples of the RDNA3 ISA manual. Each lane holds its number +
// 1. GCN 1.0 and 1.1 treat the same offsets as quad patterns.
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

// Global wave sync needs other waves; outside of a dispatch it faults.
func TestSyncNeedsMachine(t *testing.T) {
	k := newKit(gcn.GCN12)
	for name := range alone {
		f := k.run(t, name, memtest.Fields{isa.GDS: 1})
		require.NotNil(t, f, name)
		require.Equal(t, state.FaultUnsupported, f.Kind, name)
	}
}

// GDS accesses start at M0[31:16] and reach M0[15:0] bytes (rule DS10).
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

func TestBindRefuses(t *testing.T) {
	for name := range unsupported {
		in := memtest.Inst(gcn.GFX900, name, nil)
		impl := executor.Find(&in)
		require.Nil(t, impl.Exec, name)
		require.NotEmpty(t, impl.Why, name)
	}
	// these once accessed LDS although the instruction selects GDS
	for _, name := range []string{"ds_read_addtid_b32", "ds_write_addtid_b32"} {
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

// BenchmarkAtomic measures an atomic sum of all lanes: with LDS used by one goroutine, as in launches, and with
// shared memory.
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
