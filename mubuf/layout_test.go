package mubuf_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/mubuf"
	"github.com/gcnsim/gcnsim/state"
)

func TestLayoutOf(t *testing.T) {
	const none = mubuf.Unchecked
	raw := gcn.VSharp(gcn.Buffer{NumRecords: 256, ElemSize: 4, IndexStride: 64}.Words())
	structured := gcn.VSharp(gcn.Buffer{NumRecords: 256, Stride: 16, ElemSize: 4, IndexStride: 64}.Words())
	swizzled := gcn.VSharp(gcn.Buffer{NumRecords: 256, Stride: 16, Swizzle: true, ElemSize: 2, IndexStride: 8}.Words())
	scratch := gcn.VSharp(gcn.Buffer{NumRecords: 0xffffffff, AddTID: true, Swizzle: true, ElemSize: 4, IndexStride: 64,
		DataFormat: 1}.Words())
	for name, c := range map[string]struct {
		gen   gcn.Gen
		rules state.Rules
		form  mubuf.Form
		v     gcn.VSharp
		want  mubuf.Layout
	}{
		"C1": {gcn.GCN10, state.SeedRules, mubuf.Form{OffEn: true, Elem: 4, Count: 1}, raw,
			mubuf.Layout{ElemSize: 4, IndexStride: 64, Bytes: 256, Product: true, Offset: none, Records: none}},
		"C2 without index": {gcn.GCN10, state.SeedRules, mubuf.Form{OffEn: true, Elem: 4, Count: 1}, structured,
			mubuf.Layout{Stride: 16, ElemSize: 4, IndexStride: 64, Bytes: none, Offset: none, Records: 256}},
		"C2": {gcn.GCN10, state.SeedRules, mubuf.Form{IdxEn: true, Elem: 4, Count: 1}, structured,
			mubuf.Layout{Stride: 16, ElemSize: 4, IndexStride: 64, Bytes: none, Offset: 16, Records: 256}},
		"K4": {gcn.GCN12, state.DriverRules, mubuf.Form{IdxEn: true, Elem: 4, Count: 1}, structured,
			mubuf.Layout{Stride: 16, ElemSize: 4, IndexStride: 64, Bytes: 256, Product: true, Offset: none, Records: none}},
		"K2, K3 seed": {gcn.GCN14, state.SeedRules, mubuf.Form{IdxEn: true, Elem: 4, Count: 1}, swizzled,
			mubuf.Layout{Stride: 16, Swizzled: true, ElemSize: 2, IndexStride: 8, Bytes: none, Offset: 16, Records: 256}},
		"K2, K3 driver": {gcn.GCN14, state.DriverRules, mubuf.Form{IdxEn: true, Elem: 4, Count: 1}, swizzled,
			mubuf.Layout{Stride: 16, ElemSize: 4, IndexStride: 8, Bytes: none, Offset: none, Records: 256}},
		"C5": {gcn.GCN14, state.DriverRules, mubuf.Form{OffEn: true, Elem: 4, Count: 1}, scratch,
			mubuf.Layout{Stride: 1 << 14, Swizzled: true, ElemSize: 4, IndexStride: 64, AddsLane: true, Bytes: none,
				Offset: none, Records: none}},
		"C7": {gcn.GCN14, state.DriverRules, mubuf.Form{OffEn: true, Elem: 4, Count: 1}, raw,
			mubuf.Layout{ElemSize: 4, IndexStride: 64, Bytes: 256, Payload: true, Offset: none, Records: none}},
		"A8": {gcn.GCN10, state.SeedRules, mubuf.Form{Addr64: true, Elem: 4, Count: 1}, raw,
			mubuf.Layout{Bytes: none, Offset: none, Records: none}},
	} {
		assert.Equal(t, c.want, mubuf.LayoutOf(c.rules, c.gen, &c.form, c.v), name)
	}
}
