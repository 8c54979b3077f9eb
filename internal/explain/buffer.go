package explain

import (
	"fmt"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
	"github.com/gcnsim/gcnsim/mubuf"
	"github.com/gcnsim/gcnsim/state"
)

// Buffer is the explanation of a V#.
type Buffer struct {
	VSharp gcn.VSharp
	Buffer gcn.Buffer // the decoded fields
	Gen    gcn.Gen
	Fields []Field
	Access []Access // the buffer as each form of access addresses it
	Notes  []string // mistakes and surprising properties
}

// VSharp explains the V# v on generation g.
func VSharp(g gcn.Gen, v gcn.VSharp) *Buffer {
	x := &Buffer{VSharp: v, Buffer: v.Fields(), Gen: g}
	x.lay()
	for _, f := range isa.VSharpFields {
		x.Fields = append(x.Fields, Field{Name: f.Name, Shift: f.Shift, Width: f.Width, Value: f.Get(v[:]),
			Meaning: bufferMeanings[f.Name](&x.Buffer, g)})
	}
	x.Notes = x.notes()
	return x
}

// String returns the fields, the addressing and the notes as text.
func (x *Buffer) String() string {
	uses := table{{"access", "rules", "stride", "addressing", "in range", "size"}}
	for i := range x.Access {
		u := &x.Access[i]
		uses.add(u.Form, u.Rules, fmt.Sprint(u.Stride), u.addressing(), u.inRange(), u.size())
	}
	return fmt.Sprintf("%s on %s\n\n%v\n%v", x.title(), generations[x.Gen], fieldTable(x.Fields, 14),
		uses) + noteText(x.Notes)
}

// Access describes the addressing of a buffer by one form of access, under one rule set or both.
type Access struct {
	Form    string // "offen", "idxen", "addr64", "format, idxen" or "s_buffer_load"
	Rules   string // "seed", "driver" or "both"; see rule K10
	Scalar  bool   // a scalar load, which addresses bytes linearly
	Indexed bool   // the index is in a VGPR
	mubuf.Layout
}

// forms are the forms of access that are addressed differently.
var forms = []struct {
	name string
	form mubuf.Form
}{
	{"offen", mubuf.Form{OffEn: true, Elem: 4, Count: 1}},
	{"idxen", mubuf.Form{IdxEn: true, OffEn: true, Elem: 4, Count: 1}},
	{"addr64", mubuf.Form{Addr64: true, Elem: 4, Count: 1}},
	{"format, idxen", mubuf.Form{IdxEn: true, OffEn: true, Elem: 4, Count: 1, Format: true}},
}

// ruleSets are the rule sets that are compared (rule K10).
var ruleSets = [2]state.Rules{state.SeedRules, state.DriverRules}

// lay sets Access: one for each form, or one for each rule set if they differ.
func (x *Buffer) lay() {
	for _, f := range forms {
		if f.form.Addr64 && !x.addr64() {
			continue
		}
		var both [2]Access
		for i, rules := range ruleSets {
			l := mubuf.LayoutOf(rules, x.Gen, &f.form, x.VSharp)
			both[i] = Access{Form: f.name, Rules: rules.String(), Indexed: f.form.IdxEn, Layout: l}
		}
		if both[0].Layout == both[1].Layout {
			both[0].Rules = "both"
			x.Access = append(x.Access, both[0])
			continue
		}
		x.Access = append(x.Access, both[0], both[1])
	}
	// Scalar loads use BASE, STRIDE and NUM_RECORDS only (rule SM4).
	size := uint64(max(x.Buffer.Stride, 1)) * uint64(x.Buffer.NumRecords)
	x.Access = append(x.Access, Access{Form: "s_buffer_load", Rules: "both", Scalar: true, Layout: mubuf.Layout{
		Stride: x.Buffer.Stride, Bytes: size, Offset: mubuf.Unchecked, Records: mubuf.Unchecked}})
}

// addr64 reports whether the generation has instructions with ADDR64.
func (x *Buffer) addr64() bool {
	_, width := isa.FieldBits(x.Gen, isa.MUBUF, isa.ADDR64)
	return width > 0
}

// Size returns the bytes from BASE on that the records in range occupy, [mubuf.Unchecked] if there is no limit. It
// ignores SOFFSET, and offsets beyond their record.
func (u *Access) Size() uint64 {
	switch {
	case u.Bytes != mubuf.Unchecked:
		return u.Bytes
	case u.Records == mubuf.Unchecked, !u.Indexed && !u.AddsLane:
		return mubuf.Unchecked
	}
	records := u.Records
	if !u.Indexed { // the index is the lane number
		records = min(records, 64)
	}
	if u.Swizzled { // round up to whole groups of records
		group := uint64(u.IndexStride)
		records = (records + group - 1) / group * group
	}
	return records * uint64(u.Stride)
}

// bufferMeanings maps the name of a V# field to a function that describes its value.
var bufferMeanings = map[string]func(b *gcn.Buffer, g gcn.Gen) string{
	"BASE":   func(b *gcn.Buffer, _ gcn.Gen) string { return "byte address" },
	"STRIDE": func(b *gcn.Buffer, _ gcn.Gen) string { return plural.Of(int(b.Stride), "byte") },
	"CACHE_SWIZZLE": func(b *gcn.Buffer, _ gcn.Gen) string {
		return either(b.CacheSwizzle, "the banks of the L1 cache are swizzled: no function", "off")
	},
	"SWIZZLE_ENABLE": func(b *gcn.Buffer, _ gcn.Gen) string { return either(b.Swizzle, "swizzled", "linear") },
	"NUM_RECORDS": func(b *gcn.Buffer, _ gcn.Gen) string {
		return fmt.Sprintf("%d records or bytes: see below", b.NumRecords)
	},
	"DST_SEL_X":   selMeaning(0),
	"DST_SEL_Y":   selMeaning(1),
	"DST_SEL_Z":   selMeaning(2),
	"DST_SEL_W":   selMeaning(3),
	"NUM_FORMAT":  func(b *gcn.Buffer, g gcn.Gen) string { return numFormat(g, uint32(b.NumFormat)) },
	"DATA_FORMAT": func(b *gcn.Buffer, _ gcn.Gen) string { return dataFormat(uint32(b.DataFormat)) },
	"ELEMSIZE": func(b *gcn.Buffer, _ gcn.Gen) string {
		return plural.Of(int(b.ElemSize), "byte") + either(b.Swizzle, "", ": for swizzled buffers only")
	},
	"INDEX_STRIDE": func(b *gcn.Buffer, _ gcn.Gen) string {
		return plural.Of(int(b.IndexStride), "record") + either(b.Swizzle, "", ": for swizzled buffers only")
	},
	"ADD_TID": func(b *gcn.Buffer, _ gcn.Gen) string {
		return either(b.AddTID, "the lane number is added to the index", "off")
	},
	"HASH": func(b *gcn.Buffer, _ gcn.Gen) string { return either(b.Hash, "address hashing: no function", "off") },
	"HEAP": func(b *gcn.Buffer, _ gcn.Gen) string {
		return either(b.Heap, "the buffer is a heap: no function", "off")
	},
	"TYPE": func(b *gcn.Buffer, _ gcn.Gen) string { return either(b.Type == 0, "a buffer", "no buffer") },
}

func selMeaning(i int) func(*gcn.Buffer, gcn.Gen) string {
	return func(b *gcn.Buffer, _ gcn.Gen) string { return selText(b.DstSel[i]) }
}

func (u *Access) addressing() string {
	text := "linear"
	if u.Swizzled {
		text = fmt.Sprintf("swizzled, %d bytes of %d records", u.ElemSize, u.IndexStride)
	}
	return text + either(u.AddsLane, ", index + lane", "")
}

// inRange describes when a lane is in range. Source: rules C1, C2, C5 to C7 and SM4.
func (u *Access) inRange() string {
	var all []string
	hasIndex := u.Indexed || u.AddsLane
	switch {
	case u.Records == 0:
		return "never"
	case u.Records != mubuf.Unchecked && hasIndex:
		all = append(all, fmt.Sprintf("index < %d", u.Records))
	}
	if u.Offset != mubuf.Unchecked {
		all = append(all, fmt.Sprintf("offset < %d", u.Offset))
	}
	switch {
	case u.Bytes == mubuf.Unchecked:
	case u.Bytes == 0:
		return "never"
	case u.Scalar:
		all = append(all, fmt.Sprintf("offset < %d", u.Bytes))
	case u.Payload:
		all = append(all, fmt.Sprintf("offset + SOFFSET + size <= %d", u.Bytes))
	case u.Product && u.Swizzled:
		all = append(all, fmt.Sprintf("swizzled offset + SOFFSET < %d", u.Bytes))
	default:
		all = append(all, either(hasIndex && u.Stride != 0, "index*stride + ", "")+fmt.Sprintf("offset + SOFFSET < %d",
			u.Bytes))
	}
	if all == nil {
		return "always"
	}
	return strings.Join(all, ", ")
}

func (u *Access) size() string {
	if u.Size() == mubuf.Unchecked {
		return "no limit"
	}
	return plural.Of(int(u.Size()), "byte")
}
