package main

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/asm"
	"github.com/gcnsim/gcnsim/mubuf"
)

func explainVSharp(out *bufio.Writer, g gcn.Gen, words []uint32) error {
	if len(words) != len(gcn.VSharp{}) {
		return &wordCountError{len(words), len(gcn.VSharp{}), "a V#"}
	}
	x := vsharp{v: gcn.VSharp(words), gen: g}
	x.lay()
	fmt.Fprintf(out, "%s on %s\n\n", x.v, generations[g])
	x.fields().write(out)
	fmt.Fprintln(out)
	x.uses().write(out)
	writeNotes(out, x.notes())
	return nil
}

// vsharp is a V# with what its addressing is for each form of access.
type vsharp struct {
	v    gcn.VSharp
	gen  gcn.Gen
	rows []use
}

// use is how one form of access sees the buffer under one rule set, or under both.
type use struct {
	form    string
	rules   string
	scalar  bool
	indexed bool // a VGPR gives an index
	mubuf.Layout
}

// forms are the accesses that are told apart.
var forms = []struct {
	name string
	form mubuf.Form
}{
	{"offen", mubuf.Form{OffEn: true, Elem: 4, Count: 1}},
	{"idxen", mubuf.Form{IdxEn: true, OffEn: true, Elem: 4, Count: 1}},
	{"format, idxen", mubuf.Form{IdxEn: true, OffEn: true, Elem: 4, Count: 1, Format: true}},
}

// ruleSets names the rule sets of [gcn.Gen.BufferRules]. Source: rule K10.
var ruleSets = [2]string{"seed", "driver"}

// lay fills rows: one for each form, or one for each rule set where they differ.
func (x *vsharp) lay() {
	for _, f := range forms {
		var both [2]use
		for i, rules := range ruleSets {
			l := mubuf.LayoutOf(x.gen.BufferRules(i == 1), &f.form, x.v)
			both[i] = use{form: f.name, rules: rules, indexed: f.form.IdxEn, Layout: l}
		}
		if both[0].Layout == both[1].Layout {
			both[0].rules = "both"
			x.rows = append(x.rows, both[0])
			continue
		}
		x.rows = append(x.rows, both[0], both[1])
	}
	// Scalar loads know BASE, STRIDE and NUM_RECORDS only (rule SM4).
	size := uint64(max(x.v.Stride(), 1)) * uint64(x.v.NumRecords())
	x.rows = append(x.rows, use{form: "s_buffer_load", rules: "both", scalar: true, Layout: mubuf.Layout{
		Stride: x.v.Stride(), Bytes: size, Offset: mubuf.Unchecked, Records: mubuf.Unchecked}})
}

// reach returns the bytes from BASE on that the records in range take, Unchecked if
// nothing limits them. SOFFSET apart, and offsets beyond their record.
func (u *use) reach() uint64 {
	switch {
	case u.Bytes != mubuf.Unchecked:
		return u.Bytes
	case u.Records == mubuf.Unchecked, !u.indexed && !u.AddsLane:
		return mubuf.Unchecked
	}
	records := u.Records
	if !u.indexed { // the index is the lane
		records = min(records, 64)
	}
	if u.Swizzled { // whole groups of records
		group := uint64(u.IndexStride)
		records = (records + group - 1) / group * group
	}
	return records * uint64(u.Stride)
}

// meanings says what the fields of the V# mean, by name.
var meanings = map[string]func(v *gcn.VSharp, g gcn.Gen) string{
	"BASE":   func(v *gcn.VSharp, _ gcn.Gen) string { return "byte address" },
	"STRIDE": func(v *gcn.VSharp, _ gcn.Gen) string { return count(int(v.Stride()), "byte") },
	"CACHE_SWIZZLE": func(v *gcn.VSharp, _ gcn.Gen) string {
		return either(v.CacheSwizzle(), "the banks of the L1 cache are swizzled: no function", "off")
	},
	"SWIZZLE_ENABLE": func(v *gcn.VSharp, _ gcn.Gen) string { return either(v.Swizzle(), "swizzled", "linear") },
	"NUM_RECORDS": func(v *gcn.VSharp, _ gcn.Gen) string {
		return fmt.Sprintf("%d records or bytes: see below", v.NumRecords())
	},
	"DST_SEL_X":   selMeaning(0),
	"DST_SEL_Y":   selMeaning(1),
	"DST_SEL_Z":   selMeaning(2),
	"DST_SEL_W":   selMeaning(3),
	"NUM_FORMAT":  func(v *gcn.VSharp, g gcn.Gen) string { return asm.NumFormat(g, uint32(v.NumFormat())) },
	"DATA_FORMAT": func(v *gcn.VSharp, _ gcn.Gen) string { return dataFormat(uint32(v.DataFormat())) },
	"ELEMSIZE": func(v *gcn.VSharp, _ gcn.Gen) string {
		return count(int(v.ElemSize()), "byte") + either(v.Swizzle(), "", ": for swizzled buffers only")
	},
	"INDEX_STRIDE": func(v *gcn.VSharp, _ gcn.Gen) string {
		return count(int(v.IndexStride()), "record") + either(v.Swizzle(), "", ": for swizzled buffers only")
	},
	"ADD_TID": func(v *gcn.VSharp, _ gcn.Gen) string {
		return either(v.AddTID(), "the lane number is added to the index", "off")
	},
	"HASH": func(v *gcn.VSharp, _ gcn.Gen) string { return either(v.Hash(), "address hashing: no function", "off") },
	"HEAP": func(v *gcn.VSharp, _ gcn.Gen) string {
		return either(v.Heap(), "the buffer is a heap: no function", "off")
	},
	"TYPE": func(v *gcn.VSharp, _ gcn.Gen) string { return either(v.Type() == 0, "a buffer", "no buffer") },
}

func either(cond bool, yes, no string) string {
	if cond {
		return yes
	}
	return no
}

func selMeaning(i int) func(*gcn.VSharp, gcn.Gen) string {
	return func(v *gcn.VSharp, _ gcn.Gen) string { return selText(v.DstSel(i)) }
}

// selText says what a DST_SEL code selects.
func selText(s gcn.Sel) string {
	switch {
	case s == gcn.Sel0 || s == gcn.Sel1:
		return "constant " + s.String()
	case s < gcn.SelR:
		return "not defined"
	}
	return "component " + s.String()
}

func (x *vsharp) fields() table {
	t := table{{"bits", "field", "value", "meaning"}}
	for _, f := range gcn.VSharpFields {
		bits := f.Get(&x.v)
		value := fmt.Sprint(bits)
		if f.Width > 14 {
			value = fmt.Sprintf("0x%x", bits)
		}
		t.add(bitRange(f.Shift, f.Width), f.Name, value, meanings[f.Name](&x.v, x.gen))
	}
	return t
}

func (x *vsharp) uses() table {
	t := table{{"access", "rules", "stride", "addressing", "in range", "size"}}
	for i := range x.rows {
		u := &x.rows[i]
		t.add(u.form, u.rules, fmt.Sprint(u.Stride), u.addressing(), u.inRange(), u.size())
	}
	return t
}

func (u *use) addressing() string {
	text := "linear"
	if u.Swizzled {
		text = fmt.Sprintf("swizzled, %d bytes of %d records", u.ElemSize, u.IndexStride)
	}
	return text + either(u.AddsLane, ", index + lane", "")
}

// inRange says when a lane is in range. Source: rules C1, C2, C5 to C7 and SM4.
func (u *use) inRange() string {
	var all []string
	hasIndex := u.indexed || u.AddsLane
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
	case u.scalar:
		all = append(all, fmt.Sprintf("offset < %d", u.Bytes))
	case u.Payload:
		all = append(all, fmt.Sprintf("offset + SOFFSET + size <= %d", u.Bytes))
	case u.Product && u.Swizzled:
		all = append(all, fmt.Sprintf("swizzled offset + SOFFSET < %d", u.Bytes))
	default:
		all = append(all, either(hasIndex && u.Stride != 0, "index*stride + ", "")+fmt.Sprintf("offset + SOFFSET < %d", u.Bytes))
	}
	if all == nil {
		return "always"
	}
	return strings.Join(all, ", ")
}

func (u *use) size() string {
	if u.reach() == mubuf.Unchecked {
		return "no limit"
	}
	return count(int(u.reach()), "byte")
}
