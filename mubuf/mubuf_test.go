package mubuf_test

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

const base = 0x10000

// bench is a wave with a raw buffer of size bytes in s[0:3] and offsets 4*lane in v0.
type bench struct {
	w    *state.Wave
	p    *executor.Ports
	a    state.Access
	span *executor.Span
}

func newBench(g gcn.Gen, size uint32) *bench {
	b := &bench{w: state.NewWave(g.Target(), 8), span: memtest.NewSpan(base, 1<<16)}
	b.p = &executor.Ports{Mem: memtest.Memory{b.span}, LDS: *memtest.NewSpan(0, 1024)}
	b.w.SetSGPRs(0, gcn.Buffer{Base: base, NumRecords: size}.Words()...)
	b.w.SetVGPR(0, times(4))
	return b
}

// run executes an instruction with SRSRC s[0:3], SOFFSET 0 and the fields.
func (b *bench) run(t testing.TB, name string, fields memtest.Fields) *state.Fault {
	all := memtest.Fields{isa.SOFFSET: isa.ConstZero}
	maps.Copy(all, fields)
	exec, in := memtest.Bind(t, b.w.Target, name, all)
	return exec(b.w, b.p, in, &b.a)
}

// Rule C9: reads out of range are zero, writes are ignored. Lanes that EXEC turns off keep
// their register.
func TestOutOfRange(t *testing.T) {
	memtest.EveryGen(t, func(t *testing.T, g gcn.Gen) {
		b := newBench(g, 128)
		b.w.SetExec(0xffff00ffff)
		b.w.V[1] = constant(0x55)
		require.Nil(t, b.run(t, "buffer_load_dword", memtest.Fields{isa.OFFEN: 1, isa.VDATA: 1}))
		for lane, v := range b.w.V[1] {
			switch {
			case b.w.Exec()>>lane&1 == 0:
				require.Equal(t, uint32(0x55), v)
			case lane >= 32:
				require.Zero(t, v)
			default:
				require.Equal(t, b.span.Words[lane], v)
			}
		}
		require.Equal(t, uint64(0xff00000000), b.a.Out[0])
		require.Equal(t, uint64(0xffff00ffff), b.a.Exec)
		require.Equal(t, uint16(1), b.a.Reg)
		require.Equal(t, uint8(1), b.a.Regs)

		before := b.span.Words[32]
		b.w.V[1] = constant(7)
		require.Nil(t, b.run(t, "buffer_store_dword", memtest.Fields{isa.OFFEN: 1, isa.VDATA: 1}))
		require.Equal(t, uint32(7), b.span.Words[0])
		require.Equal(t, before, b.span.Words[32])
	})
}

// Rule L1: addresses of 32-bit and wider operations are aligned to 4 bytes, those of
// 16-bit operations to 2.
func TestAlignment(t *testing.T) {
	memtest.EveryGen(t, func(t *testing.T, g gcn.Gen) {
		b := newBench(g, 1<<16)
		b.w.V[0] = constant(7)
		require.Nil(t, b.run(t, "buffer_load_dword", memtest.Fields{isa.OFFEN: 1, isa.VDATA: 1}))
		require.Equal(t, b.span.Words[1], b.w.V[1][0])
		require.Equal(t, uint64(base+4), b.a.Addr[0])
		require.Nil(t, b.run(t, "buffer_load_dwordx4", memtest.Fields{isa.OFFEN: 1, isa.VDATA: 1}))
		require.Equal(t, b.span.Words[4], b.w.V[4][0])
		require.Nil(t, b.run(t, "buffer_load_ushort", memtest.Fields{isa.OFFEN: 1, isa.VDATA: 1}))
		require.Equal(t, b.span.Words[1]>>16, b.w.V[1][0])
		require.Nil(t, b.run(t, "buffer_load_ubyte", memtest.Fields{isa.OFFEN: 1, isa.VDATA: 1}))
		require.Equal(t, b.span.Words[1]>>24, b.w.V[1][0])
	})
}

// alignment_mode 3 takes any address, 2 raises MEMVIOL; GCN 1.0 has no such modes (rule
// L2).
func TestAlignmentModes(t *testing.T) {
	memtest.EveryGen(t, func(t *testing.T, g gcn.Gen) {
		b := newBench(g, 1<<16)
		b.w.V[0] = constant(6)
		b.p.Align = state.AlignNone
		require.Nil(t, b.run(t, "buffer_load_dword", memtest.Fields{isa.OFFEN: 1, isa.VDATA: 1}))
		want := b.span.Words[1]>>16 | b.span.Words[2]<<16
		if g == gcn.GCN10 {
			want = b.span.Words[1]
		}
		require.Equal(t, want, b.w.V[1][63])
		b.p.Align = state.AlignStrict
		require.Nil(t, b.run(t, "buffer_load_dword", memtest.Fields{isa.OFFEN: 1, isa.VDATA: 1}))
		require.Equal(t, g != gcn.GCN10, b.w.TrapSts&state.TrapMemViol != 0)
		require.Equal(t, g != gcn.GCN10, b.w.V[1][63] == 0)
	})
}

// Rule DP5: LDS_ADDR = LDS_BASE + (M0&0xffff) + LANEID*4; values smaller than a dword are
// zero-extended, signed ones too.
func TestLoadToLDS(t *testing.T) {
	memtest.EveryGen(t, func(t *testing.T, g gcn.Gen) {
		b := newBench(g, 32)
		b.w.S[gcn.M0] = 0xabcd0010
		b.w.SetExec(0x3ff)
		b.w.V[1] = constant(0x55)
		b.span.Bytes[0] = 0x80
		before := b.p.LDS.Words[4+10]
		require.Nil(t, b.run(t, "buffer_load_sbyte", memtest.Fields{isa.OFFEN: 1, isa.VDATA: 1, isa.LDS: 1}))
		require.Equal(t, uint32(0x80), b.p.LDS.Words[4])
		require.Equal(t, b.span.Words[1]&0xff, b.p.LDS.Words[5])
		require.Zero(t, b.p.LDS.Words[4+8], "out of range writes 0")
		require.Equal(t, before, b.p.LDS.Words[4+10], "EXEC is off")
		require.Equal(t, constant(0x55), b.w.V[1])
	})
}

// BUFFER_STORE_LDS_DWORD stores LDS[M0[15:0] + OFFSET + LANEID*4] (rule DP11), with the
// LDS bit, which assemblers set, as without.
func TestStoreLDS(t *testing.T) {
	for _, bit := range []int64{0, 1} {
		b := newBench(gcn.GCN12, 1<<16)
		b.w.S[gcn.M0] = 0x10
		b.w.SetExec(1)
		require.Nil(t, b.run(t, "buffer_store_lds_dword", memtest.Fields{isa.OFFSET: 4, isa.LDS: bit}))
		require.Equal(t, b.p.LDS.Words[5], b.span.Words[1])
	}
}

// Forms that are illegal or unknown do not execute as something else.
func TestBindRefuses(t *testing.T) {
	for _, tt := range []struct {
		g      gcn.Gen
		name   string
		fields memtest.Fields
		why    string
	}{
		{gcn.GCN12, "buffer_load_dword", memtest.Fields{isa.LDS: 1, isa.TFE: 1}, "LDS and TFE"},
		{gcn.GCN12, "buffer_load_dwordx2", memtest.Fields{isa.LDS: 1}, "cannot load to LDS"},
		{gcn.GCN10, "buffer_load_dword", memtest.Fields{isa.ADDR64: 1, isa.OFFEN: 1}, "ADDR64"},
		{gcn.GCN10, "buffer_load_dword", memtest.Fields{isa.ADDR64: 1, isa.IDXEN: 1}, "ADDR64"},
		{gcn.GCN12, "buffer_load_format_xy", memtest.Fields{isa.LDS: 1}, "cannot load to LDS"},
		{gcn.GCN12, "buffer_load_dword", memtest.Fields{isa.SOFFSET: isa.Literal}, "literal"},
		{gcn.GCN12, "buffer_atomic_add", memtest.Fields{isa.TFE: 1}, "TFE"},
	} {
		in := memtest.Inst(tt.g.Target(), tt.name, tt.fields)
		impl := executor.Find(&in)
		require.Nil(t, impl.Exec, tt.name)
		require.Contains(t, impl.Why, tt.why)
	}
}

// A resource that is no buffer makes the instruction do nothing (rule R7).
func TestWrongType(t *testing.T) {
	b := newBench(gcn.GCN12, 1<<16)
	b.w.S[3] |= 1 << 30
	b.w.V[1] = constant(0x55)
	require.Nil(t, b.run(t, "buffer_load_dword", memtest.Fields{isa.OFFEN: 1, isa.VDATA: 1}))
	require.Equal(t, constant(0x55), b.w.V[1])
	require.Equal(t, gcn.NoMem, b.a.Op)
}

// A D16 load keeps the other half of the register, a D16_HI store takes the high half
// (rule DP4).
func TestD16KeepsOtherHalf(t *testing.T) {
	b := newBench(gcn.GCN14, 1<<16)
	b.span.Words[0] = 0x1234fff0
	b.w.SetExec(1)
	for _, tt := range []struct {
		name string
		want uint32
	}{
		{"buffer_load_short_d16", 0xaaaafff0},
		{"buffer_load_short_d16_hi", 0xfff0bbbb},
		{"buffer_load_sbyte_d16", 0xaaaafff0},
		{"buffer_load_ubyte_d16_hi", 0x00f0bbbb},
	} {
		b.w.V[1] = constant(0xaaaabbbb)
		require.Nil(t, b.run(t, tt.name, memtest.Fields{isa.OFFEN: 1, isa.VDATA: 1}))
		require.Equal(t, tt.want, b.w.V[1][0], tt.name)
	}
	b.w.V[1] = constant(0xaaaabbbb)
	require.Nil(t, b.run(t, "buffer_store_short_d16_hi", memtest.Fields{isa.OFFEN: 1, isa.VDATA: 1}))
	require.Equal(t, uint32(0x1234aaaa), b.span.Words[0])
	require.Nil(t, b.run(t, "buffer_store_byte_d16_hi", memtest.Fields{isa.OFFEN: 1, isa.VDATA: 1, isa.OFFSET: 2}))
	require.Equal(t, uint32(0x12aaaaaa), b.span.Words[0])
}

// Addresses are taken before any register changes: the data may overlap them.
func TestDestinationOverlapsAddress(t *testing.T) {
	b := newBench(gcn.GCN12, 1<<16)
	require.Nil(t, b.run(t, "buffer_load_dwordx4", memtest.Fields{isa.OFFEN: 1, isa.VDATA: 0}))
	for i := range 4 {
		for lane := range 64 {
			require.Equal(t, b.span.Words[lane+i], b.w.V[i][lane])
		}
	}
}

// Atomics work on their own lanes in ascending order, INC and DEC use their operand,
// CMPSWAP_X2 takes pairs: source first, then compare value (rule DP9).
func TestAtomics(t *testing.T) {
	b := newBench(gcn.GCN12, 1<<16)
	b.w.V[0] = constant(0)
	b.w.V[1] = constant(1)
	b.span.Words[0] = 100
	b.w.SetExec(0xf0)
	require.Nil(t, b.run(t, "buffer_atomic_add", memtest.Fields{isa.OFFEN: 1, isa.VDATA: 1, isa.GLC: 1}))
	require.Equal(t, []uint32{1, 100, 101, 102, 103, 1}, b.w.V[1][3:9])
	require.Equal(t, uint32(104), b.span.Words[0])

	b.w.SetExec(1)
	for _, tt := range []struct {
		name       string
		m, d, want uint32
	}{
		{"buffer_atomic_inc", 4, 5, 5}, {"buffer_atomic_inc", 5, 5, 0}, {"buffer_atomic_inc", 9, 5, 0},
		{"buffer_atomic_dec", 4, 5, 3}, {"buffer_atomic_dec", 0, 5, 5}, {"buffer_atomic_dec", 6, 5, 5},
	} {
		b.span.Words[0] = tt.m
		b.w.V[1] = constant(tt.d)
		require.Nil(t, b.run(t, tt.name, memtest.Fields{isa.OFFEN: 1, isa.VDATA: 1}))
		require.Equal(t, tt.want, b.span.Words[0], "%s %d %d", tt.name, tt.m, tt.d)
		require.Equal(t, tt.d, b.w.V[1][0], "without GLC the data stay")
	}

	b.span.Words[0], b.span.Words[1] = 0x11111111, 0x22222222
	b.w.V[1], b.w.V[2], b.w.V[3], b.w.V[4] = constant(1), constant(2), constant(0x11111111), constant(0x22222222)
	require.Nil(t, b.run(t, "buffer_atomic_cmpswap_x2", memtest.Fields{isa.OFFEN: 1, isa.VDATA: 1, isa.GLC: 1}))
	require.Equal(t, []uint32{1, 2}, b.span.Words[:2])
	require.Equal(t, uint32(0x11111111), b.w.V[1][0])
	require.Equal(t, uint32(0x22222222), b.w.V[2][0])
	require.Equal(t, uint32(0x11111111), b.w.V[3][0])
}

// The constant offset is added once for each lane, not accumulated over lanes.
func TestOffsetDoesNotAccumulate(t *testing.T) {
	b := newBench(gcn.GCN12, 1<<16)
	require.Nil(t, b.run(t, "buffer_load_dword", memtest.Fields{isa.OFFEN: 1, isa.VDATA: 1, isa.OFFSET: 16}))
	require.Equal(t, uint64(base+63*4+16), b.a.Addr[63])
}

// TFE adds a register after the data, 0 when all pages are resident (rule DP6).
func TestTFE(t *testing.T) {
	b := newBench(gcn.GCN12, 1<<16)
	b.w.V[3] = constant(9)
	require.Nil(t, b.run(t, "buffer_load_dwordx2", memtest.Fields{isa.OFFEN: 1, isa.VDATA: 1, isa.TFE: 1}))
	require.Equal(t, constant(0), b.w.V[3])
}

// An address that is not mapped is a fault that names lane and address.
func TestUnmapped(t *testing.T) {
	b := newBench(gcn.GCN12, 0xffffffff)
	b.w.V[0][17] = 0x20000
	for _, name := range []string{"buffer_load_dword", "buffer_store_dword", "buffer_atomic_add"} {
		f := b.run(t, name, memtest.Fields{isa.OFFEN: 1, isa.VDATA: 1})
		require.NotNil(t, f)
		require.Equal(t, state.FaultMemory, f.Kind)
		require.Equal(t, 17, f.Lane)
		require.Equal(t, uint64(base+0x20000), f.Addr)
	}
}

func TestExecAllocatesNothing(t *testing.T) {
	b := newBench(gcn.GCN14, 1<<16)
	for _, name := range []string{"buffer_load_dwordx4", "buffer_store_dwordx3", "buffer_load_sbyte_d16_hi",
		"buffer_atomic_cmpswap_x2", "buffer_store_lds_dword"} {
		exec, in := memtest.Bind(t, b.w.Target, name,
			memtest.Fields{isa.VDATA: 1, isa.SOFFSET: isa.ConstZero, isa.GLC: 1})
		require.Zero(t, testing.AllocsPerRun(10, func() { _ = exec(b.w, b.p, in, &b.a) }), name)
	}
}

func BenchmarkLoadDword(b *testing.B) {
	patterns := []struct {
		name string
		addr func(lane int) uint32
	}{
		{"contiguous", func(lane int) uint32 { return uint32(lane) * 4 }},
		{"random", func(lane int) uint32 { return uint32(lane) * 2654435761 >> 16 &^ 3 }},
	}
	for _, pattern := range patterns {
		k := newBench(gcn.GCN12, 1<<16)
		off := &k.w.V[0]
		for i := range off {
			off[i] = pattern.addr(i)
		}
		exec, in := memtest.Bind(b, k.w.Target, "buffer_load_dword",
			memtest.Fields{isa.OFFEN: 1, isa.VDATA: 1, isa.SOFFSET: isa.ConstZero})
		k.p.Unseen = true
		memtest.EveryMask(b, pattern.name, exec, k.w, k.p, in, &k.a)
		b.Run(pattern.name+"/plain Go", func(b *testing.B) {
			dst, words := &k.w.V[1], k.span.Words
			for b.Loop() {
				for i, o := range off {
					dst[i] = words[o/4]
				}
			}
		})
	}
}

// BenchmarkRecords is loads from records of 16 bytes, swizzled and not, and from what a wave with
// scratch in a buffer has, beside plain Go that loads a dword.
func BenchmarkRecords(b *testing.B) {
	const stride = 16
	for _, of := range []struct {
		name, row string
		buffer    gcn.Buffer
		fields    memtest.Fields
	}{
		{"linear", "buffer_load_dword", gcn.Buffer{Stride: stride}, memtest.Fields{isa.IDXEN: 1}},
		{"linear, 4 dwords", "buffer_load_dwordx4", gcn.Buffer{Stride: stride}, memtest.Fields{isa.IDXEN: 1}},
		{"swizzled", "buffer_load_dword", gcn.Buffer{Stride: stride, Swizzle: true, ElemSize: 4, IndexStride: 64}, memtest.Fields{isa.IDXEN: 1}},
		{"swizzled, 4 dwords", "buffer_load_dwordx4", gcn.Buffer{Stride: stride, Swizzle: true, ElemSize: 4, IndexStride: 64}, memtest.Fields{isa.IDXEN: 1}},
		{"scratch", "buffer_load_dword", gcn.Buffer{Stride: 4 * stride, Swizzle: true, AddTID: true, ElemSize: 4, IndexStride: 64}, memtest.Fields{isa.OFFSET: 8}},
		{"scratch store", "buffer_store_dword", gcn.Buffer{Stride: 4 * stride, Swizzle: true, AddTID: true, ElemSize: 4, IndexStride: 64}, memtest.Fields{isa.OFFSET: 8}},
		{"halves", "buffer_load_short_d16", gcn.Buffer{Stride: stride}, memtest.Fields{isa.IDXEN: 1}},
		{"dword, in the high half", "buffer_load_format_d16_x", gcn.Buffer{Stride: stride, DataFormat: 4, NumFormat: gcn.NumFLOAT, DstSel: [4]gcn.Sel{gcn.SelR}}, memtest.Fields{isa.IDXEN: 1}},
	} {
		k := newBench(gcn.GCN14, 1<<12)
		of.buffer.Base, of.buffer.NumRecords = k.span.Base, 1<<10
		copy(k.w.S[8:], of.buffer.Words())
		for lane := range k.w.V[0] {
			k.w.V[0][lane] = uint32(lane*5) % 64
		}
		of.fields[isa.SOFFSET], of.fields[isa.SRSRC], of.fields[isa.VDATA] = isa.ConstZero, 2, 1
		exec, in := memtest.Bind(b, k.w.Target, of.row, of.fields)
		k.p.Unseen = true
		memtest.EveryMask(b, of.name, exec, k.w, k.p, in, &k.a)
		b.Run(of.name+"/plain Go", func(b *testing.B) {
			index, dst, words := &k.w.V[0], &k.w.V[1], k.span.Words
			for b.Loop() {
				for i, n := range index {
					dst[i] = words[n*stride/4]
				}
			}
		})
	}
}
