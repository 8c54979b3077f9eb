package explain

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
)

// Part is a value in one register of an image instruction, in several registers, or in half of one.
type Part struct {
	VGPR   int // the first register
	Dwords int
	Shift  int // 16 for the upper half of the register
	Bits   int // 16, or 32 in each register
	Holds  string
}

// String returns the registers and their value, for example "v3[15:0] x".
func (p Part) String() string {
	switch {
	case p.Dwords > 1:
		return fmt.Sprintf("v[%d:%d] %s", p.VGPR, p.VGPR+p.Dwords-1, p.Holds)
	case p.Bits == 32:
		return fmt.Sprintf("v%d %s", p.VGPR, p.Holds)
	}
	return fmt.Sprintf("v%d[%d:%d] %s", p.VGPR, p.Shift+p.Bits-1, p.Shift, p.Holds)
}

// onePart returns a VGPR or, if half is set, the half of it that starts at bit shift.
func onePart(vgpr int, half bool, shift int, holds string) Part {
	if half {
		return Part{VGPR: vgpr, Dwords: 1, Shift: shift, Bits: 16, Holds: holds}
	}
	return Part{VGPR: vgpr, Dwords: 1, Bits: 32, Holds: holds}
}

// Address is the address of an image instruction for one type of image.
type Address struct {
	Type  gcn.ImageType
	Parts []Part
}

// channels are the components of a texel, in the order of DMASK's bits.
var channels = [4]string{"R", "G", "B", "A"}

// The results of queries, in the place of components. Source: rule IM10.
var (
	sizeAnswers = [4]string{"width", "height (1D array: layers)", "depth or layers", "levels"}
	lodAnswers  = [4]string{"LOD after clamping", "LOD before clamping", "nothing", "nothing"}
)

// answers returns the results of a query; ok is false if the instruction is not a query.
func (x *Inst) answers() (names [4]string, ok bool) {
	switch r := x.row(); {
	case r.Mem.Op != gcn.Special:
		return names, false
	case r.Has(isa.Sampler):
		return lodAnswers, true
	}
	return sizeAnswers, true
}

// corners are the texels of a gather, in the order of its results. Source: rule IM9.
var corners = [4]string{"lower left", "lower right", "upper right", "upper left"}

// imageText describes the registers of an image instruction: data, and the address for each type of image that the T#
// can have.
func (x *Inst) imageText() string {
	in := x.Inst
	if in.Enc != isa.MIMG {
		return ""
	}
	var data table
	data.add("data", either(len(x.Data) == 0, "none: DMASK does not fit", list(x.Data)))
	if m := &x.row().Mem; m.Op == gcn.Store && m.Format && in.Get(isa.DMASK) != 15 {
		data.add("", "the other components are written as 0")
	}
	if (in.Bool(isa.TFE) || in.Bool(isa.LWE)) && x.row().Mem.Op != gcn.Special { // queries have no such operand
		status := in.Get(isa.VDATA) + uint32(in.DataDwords()) - in.Get(isa.TFE)
		data.add("", fmt.Sprintf("v%d residency status, written only if a texel fails", status))
	}
	addresses := table{{"T#", "address: " + x.coordinates()}}
	var last string
	for _, a := range x.Addresses {
		name, text := a.Type.String(), list(a.Parts)
		switch {
		case x.row().Addr&isa.NoBody != 0:
			name = "any"
		case in.Bool(isa.DA) && !isa.ShapeOf(a.Type).Layered && isa.ShapeOf(a.Type).Dims < 3:
			name += ", slice ignored"
		}
		if name+text != last {
			addresses.add(name, text)
		}
		last = name + text
	}
	return fmt.Sprintf("\n%v\n%v", data, addresses) + x.legend()
}

// list returns parts as a list in text.
func list(parts []Part) string {
	var all []string
	for _, p := range parts {
		all = append(all, p.String())
	}
	return strings.Join(all, ", ")
}

// imageAddresses returns the address registers for each type of image.
func (x *Inst) imageAddresses() (all []Address) {
	for _, t := range x.imageTypes() {
		all = append(all, Address{t, x.imageAddress(t)})
	}
	return all
}

// imageTypes returns the types of images that the instruction can access: arrays with DA, no MSAA images with a
// sampler (rule IM3), no 3D images with GATHER4 (rule IM9), and three types for a T# of 128 bits.
func (x *Inst) imageTypes() (all []gcn.ImageType) {
	for t := gcn.Image1D; isa.ShapeOf(t).Valid; t++ {
		switch {
		case isa.ShapeOf(t).MSAA && x.row().Has(isa.Sampler), t == gcn.Image3D && x.row().Has(isa.Gathers),
			x.Inst.Bool(isa.R128) && !isa.ShapeOf(t).Short:
		case isa.ShapeOf(t).Layered == x.Inst.Bool(isa.DA), t == gcn.Image3D, x.Inst.Bool(isa.R128):
			all = append(all, t)
		}
	}
	return all
}

// coordinates describes the number format of the address.
func (x *Inst) coordinates() string {
	kind := either(x.row().Has(isa.Sampler), "floats, 0 to 1 across the image", "unsigned integers, in texels")
	switch {
	case x.row().Addr&isa.NoBody != 0:
		kind = "an unsigned integer"
	case x.row().Has(isa.Sampler) && x.Inst.Bool(isa.UNRM):
		kind = "floats, in texels"
	}
	if x.Inst.Bool(isa.A16) {
		kind += ", of 16 bits"
	}
	return kind
}

// imageAddress returns the parts of the address for images of type t.
func (x *Inst) imageAddress(t gcn.ImageType) (all []Part) {
	a, first := x.Inst.ImageAddr(t, false), int(x.Inst.Get(isa.ADDR))
	add := func(p isa.AddrPart, half bool, what string) {
		if p.VGPR >= 0 {
			all = append(all, onePart(first+int(p.VGPR), half, int(p.Shift), what))
		}
	}
	slice := "slice"
	if t == gcn.ImageCube {
		slice = either(x.row().Has(isa.Sampler), "8*layer + face", "6*layer + face")
	}
	add(a.Offset, false, "offsets")
	add(a.Bias, a.Half, "LOD bias")
	add(a.Compare, false, "reference")
	for dir, name := range [2]string{"h", "v"} {
		for d, p := range a.Deriv[dir] {
			add(p, a.Half, "d"+"xyz"[d:d+1]+"/d"+name)
		}
	}
	add(a.X, a.Half, "x")
	add(a.Y, a.Half, "y")
	add(a.Z, a.Half, "z")
	add(a.Slice, a.Half, slice)
	add(a.Sample, a.Half, "fragment")
	add(a.Clamp, a.Half, "least LOD")
	add(a.LOD, a.Half, "LOD")
	return all
}

// legend explains parts of the address that are not plain coordinates. Source: rule IM3.
func (x *Inst) legend() (text string) {
	add := func(when bool, line string) {
		if when {
			text += line + "\n"
		}
	}
	in, parts := x.Inst, x.row().Addr
	add(parts&isa.AddrOffset != 0, "offsets: texels, signed: x in bits 5:0, y in 13:8, z in 21:16")
	add(parts&isa.AddrDeriv != 0, "dx/dh: change of x from pixel to pixel in a row, dx/dv: in a column")
	add(parts&isa.AddrCompare != 0, "reference: compared with the texels; the result is 0 or 1")
	add(x.row().Has(isa.Sampler) && in.Bool(isa.DA), "cube: x and y go from 1 to 2 across a face")
	add(!in.Bool(isa.DA) && parts&isa.NoBody == 0 && !in.Bool(isa.R128), "arrays and cubes: as without layers, in slice 0")
	return text
}

// imageData returns the data VGPRs and their contents. Source: rules IM5, IM6, IM8, IM9 and IM11.
func (x *Inst) imageData() (all []Part) {
	first := int(x.Inst.Get(isa.VDATA))
	if x.row().Mem.Op == gcn.Atomic {
		return x.atomicData(first)
	}
	for i, what := range x.imageComponents() {
		reg, shift := first+i, 0
		if x.Inst.Bool(isa.D16) && isa.TraitsOf(x.Inst.Target).PackedD16 {
			reg, shift = first+i/2, i%2*16
		}
		all = append(all, onePart(reg, x.Inst.Bool(isa.D16), shift, what))
	}
	return all
}

// imageComponents returns the components that an image instruction moves, in the order of the registers.
func (x *Inst) imageComponents() (all []string) {
	mask := x.Inst.Get(isa.DMASK)
	names := channels
	if a, ok := x.answers(); ok {
		names = a
	}
	switch {
	case x.row().Has(isa.RowOfTexels):
		return []string{"texel 0", "texel 1", "texel 2", "texel 3"}
	case x.row().Has(isa.Gathers):
		return corners[:]
	case mask == 0:
		return []string{"0, because DMASK names nothing"}
	case !x.row().Mem.Format && x.row().Mem.Op != gcn.Special:
		names = [4]string{"dword 0 of the texel", "dword 1", "dword 2", "dword 3"}
	}
	for i, name := range names {
		if mask>>i&1 != 0 {
			all = append(all, name)
		}
	}
	return all
}

// atomicData does what [Inst.imageData] does, for an atomic: the operand and, for a compare and swap, the compare
// value. It is empty if DMASK is invalid.
func (x *Inst) atomicData(first int) []Part {
	values := int(x.row().Mem.Dwords)
	dwords := bits.OnesCount32(x.Inst.Get(isa.DMASK)) / values
	if dwords == 0 {
		return nil
	}
	all := []Part{{VGPR: first, Dwords: dwords, Bits: 32,
		Holds: "operand" + when(x.Inst.Bool(isa.GLC), " (then the old value)")}}
	if values > 1 {
		all = append(all, Part{VGPR: first + dwords, Dwords: dwords, Bits: 32, Holds: "compared"})
	}
	return all
}

// unnormalized describes UNRM (rule IM2).
func (x *Inst) unnormalized(v uint32) string {
	if !x.row().Has(isa.Sampler) {
		return "no effect: coordinates are integers"
	}
	return [2]string{"coordinates are normalized", "coordinates are in texels"}[v&1]
}

// dmask describes DMASK of an image instruction.
func (x *Inst) dmask(v uint32) string {
	answers, query := x.answers()
	switch {
	case x.row().Mem.Op == gcn.Atomic:
		return plural.Of(bits.OnesCount32(v), "dword") + " of data"
	case x.row().Has(isa.Gathers):
		return picked(v&-v, "component ", channels[:]...)
	case query:
		return picked(v, "", answers[:]...)
	case !x.row().Mem.Format:
		return picked(v, "dwords ", "0", "1", "2", "3")
	}
	return picked(v, "components ", channels[:]...)
}
