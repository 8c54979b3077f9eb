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
	b.w.SetBuffer(0, gcn.Buffer{Base: base, NumRecords: size})
	b.w.SetVGPR(0, times(4))
	return b
}

// run executes an instruction with SRSRC s[0:3], SOFFSET 0 and the given fields.
func (b *bench) run(t testing.TB, name string, fields memtest.Fields) *state.Fault {
	all := memtest.Fields{isa.SOFFSET: isa.ConstZero}
	maps.Copy(all, fields)
	exec, in := memtest.Bind(t, b.w.Target, name, all)
	return exec(b.w, b.p, in, &b.a)
}

// Rule C9: reads out of range return zero, writes are ignored. Inactive lanes keep their register.
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

// Illegal and unknown forms are refused.
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

// An access to an unmapped address faults; the fault has lane and address.
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

// BenchmarkRecords measures loads from records of 16 bytes, swizzled or not, and from scratch in a buffer. A dword
// load in plain Go is the reference.
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
