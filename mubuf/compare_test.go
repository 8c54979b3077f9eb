package mubuf_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/memtest"
	"github.com/gcnsim/gcnsim/mubuf"
	"github.com/gcnsim/gcnsim/state"
)

// Where the rule sets disagree the access record says so, and about what (spec/memory.md
// 0), from whichever side; elsewhere it does not.
func TestRulesDiffer(t *testing.T) {
	offen, idxen := memtest.Fields{gcn.OFFEN: 1}, memtest.Fields{gcn.IDXEN: 1}
	for _, tt := range []struct {
		subject string
		g       gcn.Gen
		b       gcn.Buffer
		fields  memtest.Fields
		vaddr   state.Lanes
		lanes   uint64
	}{
		{"K4", gcn.GCN12, gcn.Buffer{Stride: 16, NumRecords: 20}, idxen, times(1), 0x3ffff << 2},
		{"", gcn.GCN12, gcn.Buffer{Stride: 16, NumRecords: 2}, idxen, state.Lanes{}, 0},
		{"", gcn.GCN11, gcn.Buffer{Stride: 16, NumRecords: 20}, idxen, times(1), 0},
		{"K3", gcn.GCN14, gcn.Buffer{Stride: 16, NumRecords: 64, Swizzle: true, ElemSize: 4, IndexStride: 8}, idxen, state.Lanes{1: 1}, 2},
		{"", gcn.GCN14, gcn.Buffer{Stride: 16, NumRecords: 4, Swizzle: true, ElemSize: 4, IndexStride: 8}, idxen, state.Lanes{1: 9}, 0}, // out of range by both
		{"K2", gcn.GCN14, gcn.Buffer{Stride: 16, NumRecords: 64, Swizzle: true, AddTID: true, ElemSize: 2, IndexStride: 64}, nil, times(0), from(1)},
		{"", gcn.GCN14, gcn.Buffer{Stride: 16, NumRecords: 64, Swizzle: true, AddTID: true, ElemSize: 4, IndexStride: 64}, nil, times(0), 0},
		{"range check", gcn.GCN14, gcn.Buffer{NumRecords: 64}, offen, state.Lanes{5: 60, 6: 61, 7: 64}, 1 << 6},
		{"ADD_TID of a linear", gcn.GCN14, gcn.Buffer{Stride: 4, NumRecords: 64, AddTID: true}, idxen, times(0), from(1)},
		{"32 or 64 bits", gcn.GCN141, gcn.Buffer{Stride: 0x3000, NumRecords: 0xffffffff}, idxen, state.Lanes{9: 0x100000}, 1 << 9},
	} {
		for _, rules := range []state.Rules{state.SeedRules, state.DriverRules, state.RDNARules} {
			k := newBench(tt.g, 0)
			tt.b.Base = base
			k.w.SetSGPRs(0, tt.b.Words()...)
			k.w.SetVGPR(0, tt.vaddr)
			k.p.Rules, k.p.Align = rules, state.AlignNone
			fields := memtest.Fields{gcn.VDATA: 1}
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

// A format element is in range or not as a whole: under the seed rules by its first byte,
// under those of drivers by its last one.
func TestRulesDifferInFormats(t *testing.T) {
	k := newBench(gcn.GCN14, 0)
	k.p.Compare = new(state.Access)
	k.w.SetSGPRs(0, gcn.Buffer{Base: base, NumRecords: 64, DataFormat: 14, NumFormat: 7}.Words()...) // 32_32_32_32 float
	k.w.SetVGPR(0, state.Lanes{0: 48, 1: 52, 2: 64})
	require.Nil(t, k.run(t, "buffer_load_format_xyzw", memtest.Fields{gcn.OFFEN: 1, gcn.VDATA: 1}))
	require.Equal(t, uint64(2), k.a.Differs)
}

// Loads to LDS: drivers add OFFSET to the LDS address on GCN 1.4 (spec/memory.md 5.5).
func TestRulesDifferInLDS(t *testing.T) {
	k := newBench(gcn.GCN14, 1<<16)
	k.p.Compare = new(state.Access)
	require.Nil(t, k.run(t, "buffer_load_dword", memtest.Fields{gcn.OFFEN: 1, gcn.LDS: 1}))
	require.Zero(t, k.a.Differs)
	require.Nil(t, k.run(t, "buffer_load_dword", memtest.Fields{gcn.OFFEN: 1, gcn.LDS: 1, gcn.OFFSET: 4}))
	require.Equal(t, state.FullExec, k.a.Differs)
}

func TestComparingAllocatesNothing(t *testing.T) {
	k := newBench(gcn.GCN12, 0)
	k.w.SetSGPRs(0, gcn.Buffer{Base: base, Stride: 16, NumRecords: 20}.Words()...)
	k.p.Compare = new(state.Access)
	in := memtest.Inst(k.w.Gen, "buffer_load_dword", memtest.Fields{gcn.IDXEN: 1, gcn.VDATA: 1, gcn.SOFFSET: gcn.ConstZero})
	exec := mubuf.Bind(&in).Exec
	require.Zero(t, testing.AllocsPerRun(5, func() { _ = exec(k.w, k.p, &in, &k.a) }))
	require.NotZero(t, k.a.Differs)
}
