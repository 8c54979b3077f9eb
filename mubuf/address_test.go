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

// from returns the mask of the lanes numbered n and higher.
func from(n int) uint64 { return state.FullExec &^ (1<<n - 1) }

// Rules A1 to A8 and C1 to C7 on numbers worked out by hand. A case has the address of the last lane and whether it
// is out of range. TestAgainstReference tests the same rules on random numbers.
func TestAddressesByHand(t *testing.T) {
	records := gcn.Buffer{Base: 0x10000, Stride: 16, NumRecords: 20}
	counted := gcn.Buffer{Base: 0x1000, Stride: 4, NumRecords: 1000, AddTID: true}
	// Records of 32 bytes in groups of 8, elements of 4 bytes. Record 11 is number 3 of group 1, offset 22 is byte 2 of
	// element 5: 2 + 4*3 + 8*(1*32 + 5*4) = 430.
	swizzled := gcn.Buffer{Base: 0x1000, Stride: 32, NumRecords: 100, Swizzle: true, ElemSize: 4, IndexStride: 8}
	private := gcn.Buffer{Base: 0x1000, NumRecords: 0xffffffff, AddTID: true, Swizzle: true, ElemSize: 4, IndexStride: 64}
	scratch := swizzled
	scratch.AddTID, scratch.ElemSize = true, 16
	idxen, offen, both := mubuf.Form{IdxEn: true}, mubuf.Form{OffEn: true}, mubuf.Form{IdxEn: true, OffEn: true}
	byte1 := mubuf.Form{IdxEn: true, OffEn: true, Elem: 1, Count: 1}
	const old, later = gcn.GCN12, gcn.GCN14 // the rules changed between these two generations
	for _, tt := range []struct {
		rule    string
		rules   state.Rules
		g       gcn.Gen
		b       gcn.Buffer
		form    mubuf.Form
		soffset uint32
		vaddr   [2]uint32
		out     bool
		addr    uint64
	}{
		{"A1", state.SeedRules, old, records, mubuf.Form{Offset: 2}, 0, [2]uint32{3, 5}, false, 0x10000 + 2},
		{"A1", state.SeedRules, old, records, idxen, 0, [2]uint32{3, 5}, false, 0x10000 + 3*16},
		{"A1", state.SeedRules, old, records, offen, 0, [2]uint32{3, 5}, false, 0x10000 + 3},
		{"A1", state.SeedRules, old, records, both, 0, [2]uint32{3, 5}, false, 0x10000 + 3*16 + 5},
		{"A2", state.SeedRules, old, gcn.Buffer{Base: 0x1000, NumRecords: 64},
			mubuf.Form{OffEn: true, Offset: 8}, 0, [2]uint32{0xfffffffc}, false, 0x1004},
		{"A3", state.SeedRules, later, counted, idxen, 0, [2]uint32{10}, false, 0x1000 + 73*4},
		{"R2", state.DriverRules, later, counted, idxen, 0, [2]uint32{10}, false, 0x1000 + 10*4},
		{"A4", state.DriverRules, old, gcn.Buffer{Stride: 0x3000, NumRecords: 0xffffffff},
			idxen, 0, [2]uint32{0x100000}, false, 0},
		{"A4", state.DriverRules, later, gcn.Buffer{Stride: 0x3000, NumRecords: 0xffffffff},
			idxen, 0, [2]uint32{0x100000}, false, 0x3_0000_0000},
		{"A5", state.SeedRules, later, swizzled, byte1, 0, [2]uint32{11, 22}, false, 0x1000 + 430},
		{"A6", state.SeedRules, old, swizzled, byte1, 7, [2]uint32{11, 22}, false, 0x1000 + 430 + 7},
		{"K3", state.DriverRules, later, swizzled, byte1, 0, [2]uint32{11, 22}, false, 0x1000 + 11*32 + 22},
		{"K2", state.DriverRules, later, scratch, byte1, 0, [2]uint32{0xffffffcc, 22}, true, 0x1000 + 430},
		{"A8", state.SeedRules, gcn.GCN11, counted,
			mubuf.Form{Addr64: true, Offset: 0x100}, 0x2000, [2]uint32{20, 0x12}, false, 0x12_0000_3114},
		{"C1", state.SeedRules, old, gcn.Buffer{NumRecords: 64}, offen, 0, [2]uint32{63}, false, 63},
		{"C1", state.SeedRules, old, gcn.Buffer{NumRecords: 64}, offen, 65, [2]uint32{0}, true, 65},
		{"C2", state.SeedRules, old, records, idxen, 0, [2]uint32{20}, true, 0x10000 + 20*16},
		{"C2", state.SeedRules, old, records, both, 0, [2]uint32{1, 16}, true, 0x10000 + 32},
		{"C2", state.SeedRules, old, records, offen, 0, [2]uint32{16}, false, 0x10000 + 16},
		{"C3", state.DriverRules, old, private, offen, 64, [2]uint32{0xfffffffc}, true, 0x40_0000_103c},
		{"K4", state.DriverRules, old, records, idxen, 0, [2]uint32{2}, true, 0x10000 + 32},
		{"K4", state.DriverRules, gcn.GCN11, records, idxen, 0, [2]uint32{2}, false, 0x10000 + 32},
		{"C5", state.DriverRules, later, gcn.Buffer{Stride: 4, AddTID: true},
			offen, 0, [2]uint32{100}, false, 63*4 + 100},
		{"C6", state.DriverRules, later, gcn.Buffer{Stride: 4, NumRecords: 64},
			both, 0, [2]uint32{63, 1000}, false, 63*4 + 1000},
		{"C7", state.DriverRules, later, gcn.Buffer{NumRecords: 64}, offen, 0, [2]uint32{60}, false, 60},
		{"C7", state.DriverRules, later, gcn.Buffer{NumRecords: 64}, offen, 0, [2]uint32{61}, true, 61},
	} {
		v, first, second := gcn.VSharp(tt.b.Words()), constant(tt.vaddr[0]), constant(tt.vaddr[1])
		if tt.form.Elem == 0 {
			tt.form.Elem, tt.form.Count = 4, 1
		}
		o := mubuf.Operands{V: &v, SOffset: tt.soffset, VAddr: [2]*state.Lanes{&first, &second}}
		a := &state.Access{Exec: state.FullExec, Elem: tt.form.Elem, Count: tt.form.Count}
		mubuf.Addresses(tt.rules, tt.g, &tt.form, &o, a)
		require.Equal(t, tt.out, a.Out[0]>>63 == 1, "%s: %+v", tt.rule, tt)
		require.Equal(t, tt.addr, a.Addr[63], "%s: %+v", tt.rule, tt)
	}
}

// The scratch V# of compiled code: lane L finds its dword at offset o at base + (o/4)*256 + L*4 (rule A11). The words
// are those in prologues that clang generates.
func TestScratchLayout(t *testing.T) {
	word3 := [gcn.NumGens]uint32{0xe8f000, 0xe8f000, 0xe80000, 0xe00000, 0xe00000}
	memtest.EveryGen(t, func(t *testing.T, g gcn.Gen) {
		v := gcn.VSharp{0x10000, 0x80000000, 0xffffffff, word3[g]}
		w := state.NewWave(g.Target(), 8)
		copy(w.S[:], v[:])
		w.S[6] = 0x400 // the wave's scratch offset, for SOFFSET
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
