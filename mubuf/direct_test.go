package mubuf_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
)

// TestUnseen executes loads and stores with and without a record of their addresses, which must
// make no difference to anything else.
func TestUnseen(t *testing.T) {
	for _, target := range memtest.Targets {
		for _, rules := range []state.Rules{state.SeedRules, state.DriverRules, state.RDNARules} {
			t.Run(fmt.Sprintf("%v/%v", target, rules), func(t *testing.T) {
				r := rand.New(rand.NewPCG(3, uint64(target)))
				w := memtest.NewTwin(r, target)
				for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
					row := isa.RowOf(op)
					if row.Enc != isa.MUBUF || !row.On(target) || row.Mem.Format || row.Mem.Op != gcn.Load && row.Mem.Op != gcn.Store {
						continue
					}
					for range w.States(60) {
						w.Renew(rules)
						runUnseen(t, w, op)
					}
				}
				if rules != state.RDNARules {
					require.Greater(t, w.Direct(), 0.05, "many need no record")
				}
			})
		}
	}
}

// runUnseen executes op on a buffer around a boundary: the end of a mapping or of the buffer.
func runUnseen(t *testing.T, w *memtest.Twin, op gcn.Op) {
	r := w.Rand
	f := memtest.Fields{isa.VDATA: int64(r.IntN(8)), isa.ADDR: int64(r.IntN(8)),
		isa.OFFSET: int64(r.IntN(4096) * r.IntN(2) * r.IntN(2)), isa.SOFFSET: isa.ConstZero, isa.SRSRC: 2}
	if r.IntN(8) != 0 {
		f[isa.OFFEN] = 1
	}
	if r.IntN(16) == 0 {
		f[isa.IDXEN] = 1
	}
	if w.Wave.Target.Gen() < gcn.GCN12 && r.IntN(4) == 0 {
		f = memtest.Fields{isa.VDATA: f[isa.VDATA], isa.ADDR: f[isa.ADDR], isa.OFFSET: f[isa.OFFSET],
			isa.SOFFSET: isa.ConstZero, isa.SRSRC: 2, isa.ADDR64: 1}
	}
	if r.IntN(8) == 0 {
		f[isa.TFE] = 1
	}
	at, offset, soffset, from := w.Address(), uint64(f[isa.OFFSET]), uint64(0), uint32(0)
	if r.IntN(4) == 0 {
		soffset, f[isa.SOFFSET] = uint64(r.IntN(0x200)&^3), 20
		w.Wave.S[20] = uint32(soffset)
	}
	v, high := &w.Wave.V[f[isa.ADDR]], &w.Wave.V[f[isa.ADDR]+1]
	switch r.IntN(8) {
	case 0: // base and offset are far from one another
		from = r.Uint32()
	case 1:
		from = uint32(-offset) + uint32(r.IntN(8)*4)
	}
	w.Spread(v, from)
	records := uint64(from) + offset + soffset + uint64(r.IntN(0x400))
	switch r.IntN(6) {
	case 0:
		records = uint64(r.IntN(0x200))
	case 1, 2, 3:
		records = 0xffffffff
	}
	b := gcn.Buffer{Base: (at - offset - soffset - uint64(from)) & (1<<48 - 1), NumRecords: uint32(records),
		DataFormat: uint8(r.IntN(2) * 4)}
	if f[isa.ADDR64] == 1 {
		hi := uint32(r.IntN(2))
		for lane := range high {
			high[lane] = hi
		}
		b.Base = (b.Base - uint64(hi)<<32) & (1<<48 - 1)
		if r.IntN(4) == 0 {
			high[r.IntN(64)]++
		}
	}
	if f[isa.ADDR64] == 0 && r.IntN(3) == 0 {
		ofRecords(w, f, &b)
	}
	if r.IntN(24) == 0 {
		b.Type = 1
	}
	copy(w.Wave.S[8:], b.Words())
	in := memtest.Inst(w.Wave.Target, isa.RowOf(op).Name, f)
	impl := executor.Find(&in)
	require.NotNil(t, impl.Exec, impl.Why)
	w.Run(t, in, impl.Exec)
}

// ofRecords gives b a stride and the lanes of w record indexes, which are mostly consecutive.
func ofRecords(w *memtest.Twin, f memtest.Fields, b *gcn.Buffer) {
	r := w.Rand
	b.Stride, b.Swizzle, b.AddTID = uint32([]int{0, 4, 8, 12, 16, 64, 1 << 13}[r.IntN(7)]), r.IntN(2) == 0, r.IntN(3) == 0
	b.ElemSize, b.IndexStride = uint32(2<<r.IntN(4)), uint32(8<<r.IntN(4))
	index, offset := &w.Wave.V[f[isa.ADDR]], &w.Wave.V[f[isa.ADDR]+1]
	f[isa.IDXEN], f[isa.OFFEN], f[isa.OFFSET] = int64(min(r.IntN(4), 1)), int64(r.IntN(2)), int64(r.IntN(4)*4*r.IntN(2))
	if f[isa.IDXEN] == 0 {
		index, offset = offset, index
	}
	many := 1 + r.Uint32N(64)
	for lane := range index {
		index[lane], offset[lane] = uint32(lane)%many+b.NumRecords>>30, r.Uint32N(max(b.Stride/4, 2))*4
	}
	for range r.IntN(3) {
		index[r.IntN(64)] = r.Uint32() >> r.IntN(32)
		offset[r.IntN(64)] = r.Uint32() >> r.IntN(32)
	}
	b.Base = w.Address() & (1<<48 - 1)
	if r.IntN(2) == 0 {
		b.NumRecords = r.Uint32N(2 * many * max(b.Stride, 1))
	}
}
