package mubuf_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
)

// volcanic is a wave under the rules of RDNA with v in s[0:3]; registers from v1 on hold
// 0x55.
func volcanic(v *gcn.VSharp) *bench {
	b := newBench(gcn.GCN12, 0)
	b.p.Rules = state.RDNARules
	b.w.SetSGPRs(0, v[:]...)
	for i := range b.w.V[1:] {
		b.w.V[1+i] = constant(0x55)
	}
	return b
}

// Rule RD6: with an all-zero V# loads return 0 and stores are ignored, because of data
// format 0 without ADD_TID.
func TestRDNAUnbound(t *testing.T) {
	bound := gcn.Buffer{Base: base, NumRecords: 1 << 16, DataFormat: 4, NumFormat: 4}
	for _, tt := range []struct {
		name string
		edit func(*gcn.Buffer)
		zero bool
	}{
		{"bound", func(*gcn.Buffer) {}, false},
		{"all zero", func(b *gcn.Buffer) { *b = gcn.Buffer{} }, true},
		{"format 0", func(b *gcn.Buffer) { b.DataFormat, b.NumFormat = 0, 0 }, true},
		{"format 0 with ADD_TID", func(b *gcn.Buffer) { b.DataFormat, b.NumFormat, b.AddTID = 0, 0, true }, false},
	} {
		d := bound
		tt.edit(&d)
		v := gcn.VSharp(d.Words())
		if d != (gcn.Buffer{}) {
			v[3] |= 3 << 28 // raw
		}
		b := volcanic(&v)
		before := b.span.Words[5]
		require.Nil(t, b.run(t, "buffer_load_dword", memtest.Fields{isa.OFFEN: 1, isa.VDATA: 1}))
		want := before
		if tt.zero {
			want = 0
		}
		require.Equal(t, want, b.w.V[1][5], tt.name)
		require.Nil(t, b.run(t, "buffer_store_dword", memtest.Fields{isa.OFFEN: 1, isa.VDATA: 2}))
		require.Equal(t, tt.zero, b.span.Words[5] == before, tt.name)
		require.Nil(t, b.run(t, "buffer_load_format_x", memtest.Fields{isa.OFFEN: 1, isa.VDATA: 3}))
		if tt.zero {
			require.Zero(t, b.w.V[3][5], tt.name)
		}
	}
}

// Rule R7: the instruction is ignored if the resource is no buffer: loads return nothing,
// stores change nothing.
func TestRDNAMismatch(t *testing.T) {
	d := gcn.Buffer{Base: base, NumRecords: 1 << 16, DataFormat: 4, NumFormat: 4, Type: 2}
	v := gcn.VSharp(d.Words())
	b := volcanic(&v)
	before := b.span.Words[5]
	require.Nil(t, b.run(t, "buffer_load_dword", memtest.Fields{isa.OFFEN: 1, isa.VDATA: 1}))
	require.Nil(t, b.run(t, "buffer_store_dword", memtest.Fields{isa.OFFEN: 1, isa.VDATA: 1}))
	require.Equal(t, constant(0x55), b.w.V[1])
	require.Equal(t, before, b.span.Words[5])
}

// Rule RD4: loads and stores of several dwords are checked dword by dword, format ones and
// atomics are all or nothing.
func TestRDNAAllOrNothing(t *testing.T) {
	d := gcn.Buffer{Base: base, NumRecords: 24, DataFormat: 14, NumFormat: 4,
		DstSel: [4]gcn.Sel{gcn.SelR, gcn.SelG, gcn.SelB, gcn.SelA}}
	v := gcn.VSharp(d.Words())
	v[3] |= 3 << 28 // raw: lane l begins at byte 16*l of 24
	load := func(name string, fields memtest.Fields) *bench {
		b := volcanic(&v)
		b.w.SetVGPR(0, times(16))
		fields[isa.OFFEN], fields[isa.VDATA] = 1, 1
		require.Nil(t, b.run(t, name, fields))
		return b
	}
	b := load("buffer_load_dwordx4", memtest.Fields{})
	require.Equal(t, []uint32{b.span.Words[4], b.span.Words[5], 0, 0},
		[]uint32{b.w.V[1][1], b.w.V[2][1], b.w.V[3][1], b.w.V[4][1]})
	b = load("buffer_load_format_xyzw", memtest.Fields{})
	require.Equal(t, []uint32{b.span.Words[0], b.span.Words[3]}, []uint32{b.w.V[1][0], b.w.V[4][0]})
	require.Equal(t, []uint32{0, 0, 0, 0}, []uint32{b.w.V[1][1], b.w.V[2][1], b.w.V[3][1], b.w.V[4][1]})
	b = load("buffer_store_format_xyzw", memtest.Fields{})
	require.Equal(t, uint32(0x55), b.span.Words[3])
	require.NotEqual(t, uint32(0x55), b.span.Words[4])
	// An atomic of 8 bytes at byte 20.
	b = volcanic(&v)
	b.w.SetVGPR(0, constant(20))
	b.p.Align = state.AlignNone
	b.w.SetExec(1)
	before := b.span.Words[5]
	require.Nil(t, b.run(t, "buffer_atomic_add_x2", memtest.Fields{isa.OFFEN: 1, isa.VDATA: 1, isa.GLC: 1}))
	require.Equal(t, []uint32{before, 0, 0}, []uint32{b.span.Words[5], b.w.V[1][0], b.w.V[2][0]})
}

// Rule RD5: an out-of-range load returns 0, but 1 in components whose DST_SEL is SEL_1.
func TestRDNAOne(t *testing.T) {
	d := gcn.Buffer{Base: base, DataFormat: 4, NumFormat: 7, DstSel: [4]gcn.Sel{gcn.SelR, gcn.Sel1, gcn.Sel0, gcn.Sel1}}
	v := gcn.VSharp(d.Words())
	b := volcanic(&v)
	require.Nil(t, b.run(t, "buffer_load_format_xyzw", memtest.Fields{isa.OFFEN: 1, isa.VDATA: 1}))
	const one = 0x3f800000
	require.Equal(t, []uint32{0, one, 0, one}, []uint32{b.w.V[1][9], b.w.V[2][9], b.w.V[3][9], b.w.V[4][9]})
}

// Rule RD4: of MTBUF any component out of range puts the whole lane out of range. The
// format is the format of the instruction: the V# may have none.
func TestRDNATyped(t *testing.T) {
	d := gcn.Buffer{Base: base, NumRecords: 24}
	v := gcn.VSharp(d.Words())
	v[3] |= 3 << 28
	b := volcanic(&v)
	b.w.SetVGPR(0, times(16))
	in := memtest.Inst(gcn.GFX803, "tbuffer_load_format_xyzw",
		memtest.Fields{isa.DFMT: 14, isa.NFMT: 4, isa.OFFEN: 1, isa.VDATA: 1, isa.SOFFSET: isa.ConstZero})
	require.Nil(t, executor.Find(&in).Exec(b.w, b.p, &in, &b.a))
	require.Equal(t, []uint32{b.span.Words[0], b.span.Words[3]}, []uint32{b.w.V[1][0], b.w.V[4][0]})
	require.Equal(t, []uint32{0, 0}, []uint32{b.w.V[1][1], b.w.V[2][1]})
	require.Equal(t, from(1), b.a.Out[0])
}

// Rule RD7: an unswizzled scratch buffer has the high part of the thread id, TID/64, in
// its base; thread_id[5:0] is the index. Mode 2 checks nothing.
func TestRDNAUnswizzledScratch(t *testing.T) {
	const perThread = 32
	d := gcn.Buffer{Base: base, Stride: perThread, NumRecords: 1, AddTID: true, DataFormat: 4}
	v := gcn.VSharp(d.Words())
	v[3] |= 2 << 28
	b := volcanic(&v)
	wave := uint32(3)
	b.w.S[6] = wave * 64 * perThread // TID/64, folded into SOFFSET
	require.Nil(t, b.run(t, "buffer_load_dword", memtest.Fields{isa.SOFFSET: 6, isa.OFFSET: 8, isa.VDATA: 1}))
	for lane, got := range b.w.V[1] {
		tid := int(wave)*64 + lane
		require.Equal(t, uint64(base+tid*perThread+8), b.a.Addr[lane])
		require.Equal(t, b.span.Words[(tid*perThread+8)/4], got)
	}
}

// Rules A6 and L4: SGPR_OFFSET is part of the base, not of the offset that is swizzled; an
// atomic must be aligned to its size.
func TestRDNABaseAndAtomics(t *testing.T) {
	d := gcn.Buffer{Base: base, Stride: 32, NumRecords: 64, IndexStride: 8, DataFormat: 4}
	v := gcn.VSharp(d.Words())
	v[1] |= 1 << 30 // SWIZZLE 1: elements of 4 bytes
	b := volcanic(&v)
	b.w.S[6] = 20
	b.w.SetVGPR(0, constant(11))
	require.Nil(t, b.run(t, "buffer_load_dword",
		memtest.Fields{isa.IDXEN: 1, isa.SOFFSET: 6, isa.OFFSET: 12, isa.VDATA: 1}))
	require.Equal(t, uint64(base+20+4*3+8*(1*32+3*4)), b.a.Addr[0])

	b.p.Align = state.AlignNone
	require.Nil(t, b.run(t, "buffer_atomic_add", memtest.Fields{isa.IDXEN: 1, isa.OFFSET: 2, isa.VDATA: 1}))
	require.NotZero(t, b.w.TrapSts&state.TrapMemViol)
}
