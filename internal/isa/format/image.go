package format

import (
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// LookupImage returns the format that the codes of a T# select on generation g. GCN 1.4 changed some codes of
// [Lookup] and removed others. The error is an *[Error].
func LookupImage(g gcn.Gen, data, num uint8) (*Format, error) {
	var name string
	mismatch := false
	if int(g) < len(images) && data < numData && num < numNum {
		if f := images[g][data][num]; f != nil {
			return f, nil
		}
		name = isa.ImageFormatOf(g, data, num).Name
		mismatch = name != "" && slices.ContainsFunc(images[g][data][:], func(f *Format) bool { return f != nil })
	}
	return nil, &Error{Data: data, Num: num, Null: name == "", Mismatch: mismatch, Name: name}
}

// images has the formats of images by generation and codes. Data and Num of a format are its codes on GCN 1.0.
var images = func() (t [gcn.NumGens][numData][numNum]*Format) {
	fmask, codes := map[string]*Format{}, map[string]uint8{}
	for d := range uint8(numData) { // GCN 1.0 has a code for each FMASK
		if name := isa.ImageFormatOf(gcn.GCN10, d, gcn.NumUINT).Name; name != "" {
			codes[name] = d
			fmask[name] = newFMASK(name, d)
		}
	}
	for g := range t {
		for d := range uint8(numData) {
			for n := range uint8(numNum) {
				name := isa.ImageFormatOf(gcn.Gen(g), d, n).Name
				code, named := codes[name]
				switch f := fmask[name]; {
				case f != nil && (n == f.Num || isa.ImageFormatOf(gcn.Gen(g), d, n+1).Name != name):
					t[g][d][n] = f // the number format is UINT or part of the code
				case named:
					t[g][d][n] = table[code][n].format
				}
			}
		}
	}
	return t
}()
