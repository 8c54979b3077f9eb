package mubuf_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/mubuf"
	"github.com/gcnsim/gcnsim/state"
)

func constant(v uint32) (l state.Lanes) {
	for i := range l {
		l[i] = v
	}
	return l
}

func times(k uint32) (l state.Lanes) {
	for i := range l {
		l[i] = uint32(i) * k
	}
	return l
}

// from returns the mask of the lanes from n on.
func from(n int) uint64 { return state.FullExec &^ (1<<n - 1) }

// resolve runs Addresses with all lanes on.
func resolve(g gcn.Gen, driver bool, b gcn.Buffer, f mubuf.Form, soffset uint32, vaddr ...state.Lanes) *state.Access {
	v := gcn.VSharp(b.Words())
	o := mubuf.Operands{V: &v, SOffset: soffset}
	for i := range vaddr {
		o.VAddr[i] = &vaddr[i]
	}
	if f.Elem == 0 {
		f.Elem, f.Count = 4, 1
	}
	a := &state.Access{Exec: state.FullExec, Elem: f.Elem, Count: f.Count}
	mubuf.Addresses(ruleSet(driver), g, &f, &o, a)
	return a
}

// Rule A1: where index and offset come from.
func TestAddressRegisters(t *testing.T) {
	memtest.EveryGen(t, func(t *testing.T, g gcn.Gen) {
		b := gcn.Buffer{Base: 0x10000, Stride: 16, NumRecords: 1000}
		first, second := constant(3), constant(5)
		for _, tt := range []struct {
			form mubuf.Form
			want uint64
		}{
			{mubuf.Form{Offset: 2}, 0x10000 + 2},
			{mubuf.Form{Offset: 2, IdxEn: true}, 0x10000 + 3*16 + 2},
			{mubuf.Form{Offset: 2, OffEn: true}, 0x10000 + 3 + 2},
			{mubuf.Form{Offset: 2, IdxEn: true, OffEn: true}, 0x10000 + 3*16 + 5 + 2},
		} {
			a := resolve(g, false, b, tt.form, 0, first, second)
			require.Equal(t, tt.want, a.Addr[9], "%+v", tt.form)
			require.Zero(t, a.Out)
		}
	})
}

// Rule A4: BUFOFFSET = (UINT32)(AINDEX*STRIDE) + AOFFSET wraps the product at 32 bits; GCN
// 1.4 does not under driver rules.
func TestProductWraps(t *testing.T) {
	memtest.EveryGen(t, func(t *testing.T, g gcn.Gen) {
		b := gcn.Buffer{Stride: 0x3000, NumRecords: 0xffffffff}
		f := mubuf.Form{IdxEn: true}
		a := resolve(g, false, b, f, 0, constant(0x100000))
		require.Equal(t, uint64(0), a.Addr[0])
		a = resolve(g, true, b, f, 0, constant(0x100000))
		want := uint64(0)
		if g >= gcn.GCN14 {
			want = 0x3_0000_0000
		}
		require.Equal(t, want, a.Addr[0])
	})
}

// Rule A2: UINT32 AOFFSET = OFFSET + VGPR_OFFSET wraps at 32 bits.
func TestOffsetWraps(t *testing.T) {
	memtest.EveryGen(t, func(t *testing.T, g gcn.Gen) {
		a := resolve(g, false, gcn.Buffer{Base: 0x1000, NumRecords: 64}, mubuf.Form{OffEn: true, Offset: 8}, 0,
			constant(0xfffffffc))
		require.Equal(t, uint64(0x1004), a.Addr[0])
		require.Zero(t, a.Out[0])
	})
}

// Rule A3: AINDEX = VGPR_INDEX + LANEID with TID_ENABLE. GCN 1.4 drops the lane of a
// linear buffer with IDXEN under driver rules (rule R2).
func TestAddTID(t *testing.T) {
	memtest.EveryGen(t, func(t *testing.T, g gcn.Gen) {
		b := gcn.Buffer{Base: 0x1000, Stride: 4, NumRecords: 1000, AddTID: true}
		a := resolve(g, false, b, mubuf.Form{}, 0)
		require.Equal(t, uint64(0x1000+63*4), a.Addr[63])
		a = resolve(g, false, b, mubuf.Form{IdxEn: true}, 0, constant(10))
		require.Equal(t, uint64(0x1000+73*4), a.Addr[63])
		a = resolve(g, true, b, mubuf.Form{IdxEn: true}, 0, constant(10))
		want := uint64(0x1000 + 73*4)
		if g >= gcn.GCN14 {
			want = 0x1000 + 10*4
		}
		require.Equal(t, want, a.Addr[63])
	})
}

// Rule A5: the swizzle expression, on numbers worked out by hand.
func TestSwizzle(t *testing.T) {
	// Records of 32 bytes in groups of 8, elements of 4 bytes. Record 11 is number 3 of
	// group 1, offset 22 is byte 2 of element 5: 2 + 4*3 + 8*(1*32 + 5*4) = 430.
	b := gcn.Buffer{Base: 0x1000, Stride: 32, NumRecords: 100, Swizzle: true, ElemSize: 4, IndexStride: 8}
	f := mubuf.Form{IdxEn: true, OffEn: true, Elem: 1, Count: 1}
	memtest.EveryGen(t, func(t *testing.T, g gcn.Gen) {
		a := resolve(g, false, b, f, 0, constant(11), constant(22))
		require.Equal(t, uint64(0x1000+430), a.Addr[0])

		// The SGPR offset joins the base and takes no part in the swizzle.
		a = resolve(g, false, b, f, 7, constant(11), constant(22))
		require.Equal(t, uint64(0x1000+430+7), a.Addr[0])
	})
	// GCN 1.4 swizzles only with ADD_TID under driver rules (rule K3), with elements of 4
	// bytes whatever the V# says (rule K2).
	a := resolve(gcn.GCN14, true, b, f, 0, constant(11), constant(22))
	require.Equal(t, uint64(0x1000+11*32+22), a.Addr[0])
	b.AddTID, b.ElemSize = true, 16
	a = resolve(gcn.GCN14, true, b, f, 0, constant(11), constant(22))
	require.Equal(t, uint64(0x1000+430), a.Addr[0])
}

// Each element of a swizzled access has an address of its own (rule A7).
func TestSwizzledElements(t *testing.T) {
	b := gcn.Buffer{Base: 0x1000, Stride: 64, NumRecords: 100, Swizzle: true, ElemSize: 8, IndexStride: 16}
	a := resolve(gcn.GCN12, false, b, mubuf.Form{IdxEn: true, Offset: 4, Elem: 4, Count: 4}, 0, constant(2))
	require.True(t, a.Split)
	want := []uint64{
		0x1000 + 4 + 2*8,       // byte 4 of element 0
		0x1000 + 0 + 2*8 + 128, // byte 0 of element 1
		0x1000 + 4 + 2*8 + 128,
		0x1000 + 0 + 2*8 + 256,
	}
	for i := range want {
		require.Equal(t, want[i], a.At(i, 0), "element %d", i)
	}
}

// Rule C1: with STRIDE=0 an address is out of range if BUFOFFSET >=
// NUMRECORDS-SGPR_OFFSET.
func TestRangeRaw(t *testing.T) {
	memtest.EveryGen(t, func(t *testing.T, g gcn.Gen) {
		b := gcn.Buffer{Base: 0x1000, NumRecords: 64}
		a := resolve(g, false, b, mubuf.Form{OffEn: true}, 0, times(4))
		require.Equal(t, from(16), a.Out[0])
		a = resolve(g, false, b, mubuf.Form{OffEn: true}, 32, times(4))
		require.Equal(t, from(8), a.Out[0])
		// The first byte decides: a dword that begins in range is in range.
		a = resolve(g, false, b, mubuf.Form{OffEn: true}, 0, constant(63))
		require.Zero(t, a.Out[0])
		// SGPR_OFFSET above NUMRECORDS must not wrap to "everything in range".
		a = resolve(g, false, b, mubuf.Form{OffEn: true}, 65, constant(0))
		require.Equal(t, from(0), a.Out[0])
	})
	// GCN 1.4 sees the last byte under driver rules (rule C7).
	a := resolve(gcn.GCN14, true, gcn.Buffer{NumRecords: 64}, mubuf.Form{OffEn: true}, 0, constant(61))
	require.Equal(t, from(0), a.Out[0])
	a = resolve(gcn.GCN14, true, gcn.Buffer{NumRecords: 64}, mubuf.Form{OffEn: true}, 0, constant(60))
	require.Zero(t, a.Out[0])
}

// Rule C2: with STRIDE!=0 an address is out of range if AINDEX >= NUMRECORDS, or OFFSET >=
// STRIDE when IDXEN or TID_ENABLE is set.
func TestRangeStructured(t *testing.T) {
	memtest.EveryGen(t, func(t *testing.T, g gcn.Gen) {
		b := gcn.Buffer{Base: 0x1000, Stride: 16, NumRecords: 20}
		a := resolve(g, false, b, mubuf.Form{IdxEn: true}, 0, times(1))
		require.Equal(t, from(20), a.Out[0])
		a = resolve(g, false, b, mubuf.Form{IdxEn: true, OffEn: true}, 0, constant(1), times(4))
		require.Equal(t, from(4), a.Out[0])
		a = resolve(g, false, b, mubuf.Form{OffEn: true}, 0, times(4))
		require.Zero(t, a.Out[0], "offset and stride are compared only with IDXEN or TID_ENABLE")
		b.AddTID = true
		a = resolve(g, false, b, mubuf.Form{OffEn: true}, 0, constant(16))
		require.Equal(t, from(0), a.Out[0])
	})
}

// A multi-dword access is judged dword by dword (rules C4 and C8).
func TestRangePerDword(t *testing.T) {
	memtest.EveryGen(t, func(t *testing.T, g gcn.Gen) {
		for _, driver := range []bool{false, true} {
			b := gcn.Buffer{Base: 0x1000, NumRecords: 40}
			a := resolve(g, driver, b, mubuf.Form{OffEn: true, Elem: 4, Count: 4}, 0, times(16))
			require.Equal(t, [4]uint64{from(3), from(3), from(2), from(2)}, a.Out)
		}
	})
}

// Under driver rules NUM_RECORDS of GCN 1.2 counts bytes unless the buffer is swizzled,
// elsewhere records (rule K4): 20 bytes hold one record of 16 bytes and a bit.
func TestRecordsOrBytes(t *testing.T) {
	b := gcn.Buffer{Stride: 16, NumRecords: 20}
	f := mubuf.Form{IdxEn: true}
	for g := range gcn.Gen(gcn.NumGens) {
		want := from(20)
		if g == gcn.GCN12 {
			want = from(2)
		}
		require.Equal(t, want, resolve(g, true, b, f, 0, times(1)).Out[0], g)
	}
	b.Swizzle = true
	require.Equal(t, from(20), resolve(gcn.GCN12, true, b, f, 0, times(1)).Out[0])
}

// On GCN 1.4 drivers rely on: no check with ADD_TID and without IDXEN (rule C5), the index
// alone with IDXEN and a stride (rule C6).
func TestVegaRange(t *testing.T) {
	for _, g := range []gcn.Gen{gcn.GCN14, gcn.GCN141} {
		a := resolve(g, true, gcn.Buffer{Stride: 4, AddTID: true}, mubuf.Form{OffEn: true}, 0, times(100))
		require.Zero(t, a.Out[0])
		a = resolve(g, true, gcn.Buffer{Stride: 4, NumRecords: 64}, mubuf.Form{IdxEn: true, OffEn: true}, 0, times(1),
			constant(1000))
		require.Zero(t, a.Out[0])
	}
}

// Rule A8: ADDRESS = BASE + VGPR_ADDRESS + OFFSET + SGPR_OFFSET, and no range checking.
func TestAddr64(t *testing.T) {
	b := gcn.Buffer{Base: 0x10, Stride: 64, AddTID: true, Swizzle: true}
	for _, g := range []gcn.Gen{gcn.GCN10, gcn.GCN11} {
		a := resolve(g, false, b, mubuf.Form{Addr64: true, Offset: 0x100}, 0x2000, times(4), constant(0x12))
		require.Equal(t, uint64(0x12_0000_0000+0x10+0x100+0x2000+5*4), a.Addr[5])
		require.Zero(t, a.Out)
	}
}

// A private buffer is range-checked before GCN 1.4: a negative VADDR fails although
// SOFFSET would bring it back (rule C3).
func TestNegativeScratchOffset(t *testing.T) {
	b := gcn.Buffer{Base: 0x1000, NumRecords: 0xffffffff, AddTID: true, Swizzle: true, ElemSize: 4, IndexStride: 64}
	for g := range gcn.Gen(gcn.NumGens) {
		a := resolve(g, true, b, mubuf.Form{OffEn: true}, 64, constant(0xfffffffc))
		require.Equal(t, g < gcn.GCN14, a.Out[0] != 0, g)
	}
}

// rdna is a V# with OOB_SELECT and SWIZZLE as RDNA reads them, and a valid format.
func rdna(b gcn.Buffer, oob, swizzle uint32) *gcn.VSharp {
	v := gcn.VSharp(b.Words())
	v[1], v[3] = v[1]|swizzle<<30, v[3]|oob<<28|4<<15
	return &v
}

// Rule RD2: the V# chooses the range check, which includes the payload and is per dword.
func TestRDNARange(t *testing.T) {
	structured := gcn.Buffer{Stride: 16, NumRecords: 3}
	raw := gcn.Buffer{Stride: 16, NumRecords: 3 * 16}
	index, offset := times(1), constant(8)
	both := mubuf.Form{IdxEn: true, OffEn: true, Elem: 4, Count: 4}
	for _, tt := range []struct {
		name string
		v    *gcn.VSharp
		form mubuf.Form
		want [4]uint64
	}{
		{"structured", rdna(structured, 0, 0), both, [4]uint64{from(3), from(3), from(0), from(0)}},
		{"index", rdna(structured, 1, 0), both, [4]uint64{from(3), from(3), from(3), from(3)}},
		{"empty", rdna(structured, 2, 0), both, [4]uint64{}},
		{"no records", rdna(gcn.Buffer{Stride: 16}, 2, 0), both, [4]uint64{from(0), from(0), from(0), from(0)}},
		// With OFFEN alone lane l begins at byte l.
		{"raw", rdna(raw, 3, 0), mubuf.Form{OffEn: true, Elem: 4, Count: 4}, [4]uint64{from(45), from(41), from(37), from(33)}},
		{"raw swizzled", rdna(structured, 3, 1), both, [4]uint64{from(3), from(3), from(0), from(0)}},
	} {
		o := mubuf.Operands{V: tt.v, VAddr: [2]*state.Lanes{&index, &offset}}
		a := &state.Access{Exec: state.FullExec, Elem: 4, Count: 4}
		mubuf.Addresses(state.RDNARules, gcn.GCN12, &tt.form, &o, a)
		require.Equal(t, tt.want, a.Out, tt.name)
	}
}

// RDNA swizzles elements of 4 or 16 bytes, and only with an index (rule RD3).
func TestRDNASwizzle(t *testing.T) {
	b := gcn.Buffer{Base: 0x1000, Stride: 32, NumRecords: 100, IndexStride: 8}
	index, offset := constant(11), constant(22)
	at := func(swizzle uint32, f mubuf.Form) uint64 {
		o := mubuf.Operands{V: rdna(b, 0, swizzle), VAddr: [2]*state.Lanes{&index, &offset}}
		f.Elem, f.Count = 1, 1
		a := &state.Access{Exec: state.FullExec}
		mubuf.Addresses(state.RDNARules, gcn.GCN12, &f, &o, a)
		return a.Addr[0] - 0x1000
	}
	both := mubuf.Form{IdxEn: true, OffEn: true}
	require.Equal(t, uint64(11*32+22), at(0, both))
	require.Equal(t, uint64(2+4*3+8*(1*32+5*4)), at(1, both))
	require.Equal(t, uint64(6+16*3+8*(1*32+1*16)), at(3, both))
	require.Equal(t, uint64(11), at(1, mubuf.Form{OffEn: true}))
}

// The scratch V# of compiled code: lane L finds its dword at offset o at base + (o/4)*256
// + L*4 (rule A11). The words are the words of clang's prologues.
func TestScratchLayout(t *testing.T) {
	word3 := [gcn.NumGens]uint32{0xe8f000, 0xe8f000, 0xe80000, 0xe00000, 0xe00000}
	memtest.EveryGen(t, func(t *testing.T, g gcn.Gen) {
		v := gcn.VSharp{0x10000, 0x80000000, 0xffffffff, word3[g]}
		w := state.NewWave(g.Target(), 8)
		copy(w.S[:], v[:])
		w.S[6] = 0x400 // wave offset in SOFFSET
		mem := memtest.Memory{memtest.NewSpan(0x10000, 0x8000)}
		p := &executor.Ports{Mem: mem, Rules: state.DriverRules}
		w.V[1] = times(1)
		var a state.Access
		in := memtest.Inst(g.Target(), "buffer_store_dword", memtest.Fields{isa.VDATA: 1, isa.SOFFSET: 6, isa.OFFSET: 8})
		require.Nil(t, executor.Find(&in).Exec(w, p, &in, &a))
		in = memtest.Inst(g.Target(), "buffer_load_dword",
			memtest.Fields{isa.VDATA: 2, isa.SOFFSET: 6, isa.OFFSET: 4, isa.OFFEN: 1, isa.ADDR: 3})
		w.V[3] = constant(4)
		require.Nil(t, executor.Find(&in).Exec(w, p, &in, &a))
		require.Equal(t, w.V[1], w.V[2])
		for lane := range uint32(64) {
			require.Equal(t, lane, mem[0].Words[(0x400+2*256)/4+lane])
		}
	})
}

func TestAddressesAllocateNothing(t *testing.T) {
	v, b := times(4), gcn.VSharp(gcn.Buffer{NumRecords: 100, Stride: 4, Swizzle: true}.Words())
	o := mubuf.Operands{V: &b, VAddr: [2]*state.Lanes{&v, &v}}
	f := mubuf.Form{IdxEn: true, OffEn: true, Elem: 4, Count: 4}
	a := &state.Access{Exec: state.FullExec}
	require.Zero(t, testing.AllocsPerRun(10, func() { mubuf.Addresses(state.SeedRules, gcn.GCN12, &f, &o, a) }))
}

func ruleSet(driver bool) state.Rules {
	if driver {
		return state.DriverRules
	}
	return state.SeedRules
}
