package check

import (
	"fmt"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/sim"
)

// imageIssues returns the fields of a T# that have no effect on an image instruction, or that disable it.
func imageIssues(e *sim.Event, words []uint32) (list issues) {
	var t gcn.TSharp
	copy(t[:], words)
	in, g := (*isa.Inst)(e.Inst), e.Wave.Target.Gen()
	img := t.Fields(g)
	switch {
	case t == gcn.TSharp{}:
		list.is(true, Warning, "T#", "IM10", "all words are 0, an unbound resource: results are 0, stores and atomics "+
			"do nothing")
		return list
	case !isa.ShapeOf(img.Type).Valid:
		list.is(true, Warning, "T# TYPE", "TD2", fmt.Sprintf("%d is no image: results are 0, stores and atomics do "+
			"nothing", uint8(img.Type)))
		return list
	}
	list.reserved("T#", "TD1", isa.Reserved(words, isa.TSharpFields[g]), &isa.TSharpFields)
	f := isa.ImageFormatOf(g, img.DataFormat, img.NumFormat)
	if f.Name == "" {
		list.is(true, Warning, "T# DATA_FORMAT", "IF1",
			fmt.Sprintf("%d is no data format: results are 0, stores and atomics do nothing", img.DataFormat))
		return list
	}
	if in.Row().Mem.Format && (in.Row().Mem.Op == gcn.Load || in.Row().Mem.Op == gcn.Store) {
		list.selects("T#", "IF5", img.DstSel)
	}
	list.is(isa.ShapeOf(img.Type).Linear1D && img.Height > 1, Note, "T# HEIGHT", "TD2",
		fmt.Sprintf("a %v image has one row", img.Type))
	list.is(!isa.ShapeOf(img.Type).MSAA && img.BaseLevel > img.LastLevel, Warning, "T# BASE_LEVEL", "TD1",
		fmt.Sprintf("%d is beyond LAST_LEVEL, %d: the image has no level", img.BaseLevel, img.LastLevel))
	list.is(isa.ShapeOf(img.Type).Layered && isa.ExtentOf(img, g).ViewLayers == 0, Warning, "T# BASE_ARRAY", "TD1",
		fmt.Sprintf("%d is beyond the last layer: the image has none", img.BaseArray))
	list.is(!img.Compression && img.Meta != 0, Note, "T# META_ADDRESS", "MC1", "COMPRESSION_EN is 0: no metadata is read")
	return list
}

// samplerIssues returns the fields of an S# that have no effect. Fields that no source explains are in the fidelity
// report.
func samplerIssues(e *sim.Event, words []uint32) (list issues) {
	s, g := gcn.SSharp(words), e.Wave.Target.Gen()
	f := s.Fields(g)
	list.reserved("S#", "SD1", isa.Reserved(words, isa.SSharpFields[g]), &isa.SSharpFields)
	list.is(f.BorderColorType != borderTable && f.BorderColorPtr != 0, Note, "S# BORDER_COLOR_PTR", "CO5",
		"BORDER_COLOR_TYPE is not 3: the table is not read")
	list.is(f.MaxAniso > maxAniso, Note, "S# MAX_ANISO_RATIO", "LO3",
		fmt.Sprintf("code %d is not defined: it is taken as %d, a ratio of %d", f.MaxAniso, maxAniso, 1<<maxAniso))
	return list
}

const (
	borderTable = 3 // BORDER_COLOR_TYPE that reads the table (rule CO5)
	maxAniso    = 4 // the greatest valid MAX_ANISO_RATIO (rule LO3)
)

// levelIssue reports coordinates in texels with a level of detail other than the first.
func levelIssue(x *step) {
	if x.Access.Level == 0 || x.Access.Op == gcn.NoMem {
		return
	}
	words := (*gcn.SSharp)(x.sampler.words[:len(gcn.SSharp{})])
	if f := words.Fields(x.Wave.Target.Gen()); !(*isa.Inst)(x.Inst).Bool(isa.UNRM) && !f.Unnormalized {
		return
	}
	if f := x.first(defect{kind: Ignored, field: "UNRM", rule: "CO2"}); f != nil {
		f.Severity = Warning
		f.message = say("coordinates are texels, but level %d is sampled: mipmaps need normalized coordinates; they are "+
			"texels of that level here", x.Access.Level)
	}
}

// reserved appends the reserved bits of a resource that are set. See [isa.ReservedBits].
func (list *issues) reserved(resource, rule string, words []uint32, fields *[gcn.NumGens][]isa.BitField) {
	bits := isa.ReservedBits(words, fields)
	switch len(bits) {
	case 0:
	case 1:
		list.is(true, Note, resource+" reserved bits", rule, "bit "+bits[0]+" has no meaning")
	default:
		list.is(true, Note, resource+" reserved bits", rule, "bits "+strings.Join(bits, ", ")+" have no meaning")
	}
}
