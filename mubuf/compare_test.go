package mubuf_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
)

// Where the rule sets disagree, the access record says so and names the subject (rule K10), whichever rule set is
// active. Where they agree, it names none.
func TestRulesDiffer(t *testing.T) {
	offen, idxen := memtest.Fields{isa.OFFEN: 1}, memtest.Fields{isa.IDXEN: 1}
	for _, tt := range []struct {
		subject string
		g       gcn.Gen
		b       gcn.Buffer
		fields  memtest.Fields
		vaddr   state.Lanes
		lanes   uint64
	}{
		{"rule K4", gcn.GCN12, gcn.Buffer{Stride: 16, NumRecords: 20}, idxen, times(1), 0x3ffff << 2},
		{"", gcn.GCN12, gcn.Buffer{Stride: 16, NumRecords: 2}, idxen, state.Lanes{}, 0},
		{"", gcn.GCN11, gcn.Buffer{Stride: 16, NumRecords: 20}, idxen, times(1), 0},
		{"K3", gcn.GCN14, gcn.Buffer{Stride: 16, NumRecords: 64, Swizzle: true, ElemSize: 4, IndexStride: 8}, idxen, state.Lanes{1: 1}, 2},
		// out of range under both
		{"", gcn.GCN14, gcn.Buffer{Stride: 16, NumRecords: 4, Swizzle: true, ElemSize: 4, IndexStride: 8}, idxen,
			state.Lanes{1: 9}, 0},
		{"K2", gcn.GCN14, gcn.Buffer{Stride: 16, NumRecords: 64, Swizzle: true, AddTID: true, ElemSize: 2, IndexStride: 64}, nil, times(0), from(1)},
		{"", gcn.GCN14, gcn.Buffer{Stride: 16, NumRecords: 64, Swizzle: true, AddTID: true, ElemSize: 4, IndexStride: 64}, nil, times(0), 0},
		{"C7", gcn.GCN14, gcn.Buffer{NumRecords: 64}, offen, state.Lanes{5: 60, 6: 61, 7: 64}, 1 << 6},
		{"ADD_TID of a linear", gcn.GCN14, gcn.Buffer{Stride: 4, NumRecords: 64, AddTID: true}, idxen, times(0), from(1)},
		{"bytes of an element", gcn.GCN14, gcn.Buffer{NumRecords: 0xffffffff, Swizzle: true, AddTID: true, ElemSize: 4, IndexStride: 64}, memtest.Fields{isa.OFFSET: 2}, state.Lanes{}, state.FullExec},
		{"bytes of an element", gcn.GCN141, gcn.Buffer{NumRecords: 0xffffffff, Swizzle: true, AddTID: true, ElemSize: 4, IndexStride: 64}, offen, state.Lanes{1: 4, 2: 1, 3: 2}, 12},
		{"32 or 64 bits", gcn.GCN141, gcn.Buffer{Stride: 0x3000, NumRecords: 0xffffffff}, idxen, state.Lanes{9: 0x100000}, 1 << 9},
	} {
		for _, rules := range []state.Rules{state.SeedRules, state.DriverRules, state.RDNARules} {
			k := newBench(tt.g, 0)
			tt.b.Base = base
			k.w.SetSGPRs(0, tt.b.Words()...)
			k.w.SetVGPR(0, tt.vaddr)
			k.p.Rules, k.p.Align = rules, state.AlignNone
			fields := memtest.Fields{isa.VDATA: 1}
			maps.Copy(fields, tt.fields)
			_ = k.run(t, "buffer_load_dword", fields)
			require.Zero(t, k.a.Differs, "off: %s", tt.subject)
			k.p.Compare = new(state.Access)
			_ = k.run(t, "buffer_load_dword", fields)
			if rules == state.RDNARules {
				require.Zero(t, k.a.Differs)
				continue
			}
			require.Equal(t, tt.lanes, k.a.Differs, "%s %v", tt.subject, rules)
			if tt.lanes != 0 {
				require.Contains(t, k.a.Subject, tt.subject)
			}
		}
	}
}

// A format element is in range or out of range as a whole. The seed rules decide by its first byte, the driver rules
// by its last byte.
func TestRulesDifferInFormats(t *testing.T) {
	k := newBench(gcn.GCN14, 0)
	k.p.Compare = new(state.Access)
	k.w.SetBuffer(0, gcn.Buffer{Base: base, NumRecords: 64, DataFormat: 14, NumFormat: 7}) // 32_32_32_32 float
	k.w.SetVGPR(0, state.Lanes{0: 48, 1: 52, 2: 64})
	require.Nil(t, k.run(t, "buffer_load_format_xyzw", memtest.Fields{isa.OFFEN: 1, isa.VDATA: 1}))
	require.Equal(t, uint64(2), k.a.Differs)
}

// Loads to LDS on GCN 1.4: under the driver rules OFFSET is added to the LDS address (rule DP5).
func TestRulesDifferInLDS(t *testing.T) {
	k := newBench(gcn.GCN14, 1<<16)
	k.p.Compare = new(state.Access)
	require.Nil(t, k.run(t, "buffer_load_dword", memtest.Fields{isa.OFFEN: 1, isa.LDS: 1}))
	require.Zero(t, k.a.Differs)
	require.Nil(t, k.run(t, "buffer_load_dword", memtest.Fields{isa.OFFEN: 1, isa.LDS: 1, isa.OFFSET: 4}))
	require.Equal(t, state.FullExec, k.a.Differs)
}

func TestComparingAllocatesNothing(t *testing.T) {
	k := newBench(gcn.GCN12, 0)
	k.w.SetBuffer(0, gcn.Buffer{Base: base, Stride: 16, NumRecords: 20})
	k.p.Compare = new(state.Access)
	in := memtest.Inst(k.w.Target, "buffer_load_dword",
		memtest.Fields{isa.IDXEN: 1, isa.VDATA: 1, isa.SOFFSET: isa.ConstZero})
	exec := executor.Find(&in).Exec
	require.Zero(t, testing.AllocsPerRun(5, func() { _ = exec(k.w, k.p, &in, &k.a) }))
	require.NotZero(t, k.a.Differs)
}

// Every lane whose data differ under the two rule sets is in Differs.
func TestRulesDifferMissesNothing(t *testing.T) {
	seen := map[gcn.Gen]int{}
	var worlds [2]*memtest.World
	for _, target := range memtest.Targets {
		g := target.Gen()
		for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
			row := isa.RowOf(op)
			if row.Enc != isa.MUBUF || !row.On(g.Target()) || row.Mem.Op != gcn.Load && row.Mem.Op != gcn.Store {
				continue
			}
			for n := range uint64(memtest.States(150)) {
				var records [2]state.Access
				faults := 0
				for i, rules := range []state.Rules{state.SeedRules, state.DriverRules} {
					r := rand.New(rand.NewPCG(uint64(op), n))
					w := worlds[i].Renew(r, target, rules)
					worlds[i] = w
					in := w.BufferInst(op)
					w.Port.Align, w.Port.Compare = state.Alignment(r.IntN(5)), new(state.Access)
					impl := executor.Find(&in)
					require.NotNil(t, impl.Exec, impl.Why)
					if impl.Exec(w.Wave, &w.Port, &in, &records[i]) != nil {
						faults++
					}
				}
				if faults > 0 {
					continue
				}
				what := fmt.Sprintf("%s on %v, state %d: V# %08x", row.Name, target, n, worlds[0].Wave.S[8:12])
				var lanes uint64
				for i := range worlds[0].Wave.V {
					for lane, v := range worlds[0].Wave.V[i] {
						if worlds[1].Wave.V[i][lane] != v {
							lanes |= 1 << lane
						}
					}
				}
				same := bytes.Equal(worlds[0].Port.LDS.Bytes, worlds[1].Port.LDS.Bytes)
				for j, s := range worlds[0].Mem {
					same = same && bytes.Equal(s.Bytes, worlds[1].Mem[j].Bytes)
				}
				for i := range records {
					require.Zero(t, lanes&^records[i].Differs, "%s, as %v sees it", what, state.Rules(i))
					require.True(t, same || records[i].Differs != 0, "%s: stores", what)
				}
				if records[0].Differs != 0 {
					seen[g]++
				}
			}
		}
	}
	for _, g := range []gcn.Gen{gcn.GCN12, gcn.GCN14, gcn.GCN141} {
		require.Greater(t, seen[g], effort.Rounds(100), "%v", g)
	}
	require.Zero(t, seen[gcn.GCN10]+seen[gcn.GCN11])
}
