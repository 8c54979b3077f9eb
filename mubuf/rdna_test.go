package mubuf_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
)

// volcanic returns a wave under the rules of RDNA with v in s[0:3] and 0x55 in the registers from v1 on.
func volcanic(v *gcn.VSharp) *bench {
	b := newBench(gcn.GCN12, 0)
	b.p.Rules = state.RDNARules
	b.w.SetSGPRs(0, v[:]...)
	for i := range b.w.V[1:] {
		b.w.V[1+i] = constant(0x55)
	}
	return b
}

// Rule RD6: with an all-zero V# loads return 0 and stores are ignored, because it has data format 0 and no ADD_TID.
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
			v[3] |= 3 << 28 // OOB_SELECT: raw
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
