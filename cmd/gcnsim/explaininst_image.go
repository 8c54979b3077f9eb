package main

import (
	"bufio"
	"fmt"
	"math/bits"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
)

// channels are the components of a texel; DMASK names them.
var channels = [4]string{"R", "G", "B", "A"}

// answers are what IMAGE_GET_RESINFO and IMAGE_GET_LOD return in place of components.
// Source: rule IM10.
var answers = map[string][4]string{
	"image_get_resinfo": {"width", "height (1D array: layers)", "depth or layers", "levels"},
	"image_get_lod":     {"LOD after clamping", "LOD before clamping", "nothing", "nothing"},
}

// corners are the texels of a gather in the order in which it returns them. Source: rule
// IM9.
var corners = [4]string{"lower left", "lower right", "upper right", "upper left"}

// writeImage says what the registers of an image instruction hold: data, and the address
// for each type of image that the T# can describe.
func (x *inst) writeImage(out *bufio.Writer) {
	var data table
	data.add("data", strings.Join(x.imageData(), ", "))
	if m := &x.row.Mem; m.Op == gcn.Store && m.Format && x.Get(gcn.DMASK) != 15 {
		data.add("", "the other components are written as 0")
	}
	if x.Bool(gcn.TFE) || x.Bool(gcn.LWE) {
		status := x.Get(gcn.VDATA) + uint32(x.DataDwords()) - x.Get(gcn.TFE)
		data.add("", fmt.Sprintf("v%d residency status, written only if a texel fails", status))
	}
	fmt.Fprintln(out)
	data.write(out)

	addresses := table{{"T#", "address: " + x.coordinates()}}
	var last string
	for _, t := range x.imageTypes() {
		name, text := t.String(), strings.Join(x.imageAddress(t), ", ")
		switch {
		case x.row.Addr&gcn.NoBody != 0:
			name = "any"
		case x.Bool(gcn.DA) && !t.Layered() && t.Dims() < 3:
			name += ", slice ignored"
		}
		if name+text != last {
			addresses.add(name, text)
		}
		last = name + text
	}
	fmt.Fprintln(out)
	addresses.write(out)
	for _, line := range x.legend() {
		fmt.Fprintln(out, line)
	}
}

// imageTypes lists the types of images that the address can be for: arrays are those with
// DA. Samplers read no MSAA images (rule IM3), GATHER4 no 3D ones (rule IM9), a T# of 128
// bits describes three.
func (x *inst) imageTypes() (all []gcn.ImageType) {
	for t := gcn.Image1D; t.Valid(); t++ {
		switch {
		case t.MSAA() && x.row.Has(gcn.Sampler), t == gcn.Image3D && x.row.Has(gcn.Gathers), x.Bool(gcn.R128) && !t.Short():
		case t.Layered() == x.Bool(gcn.DA), t == gcn.Image3D, x.Bool(gcn.R128):
			all = append(all, t)
		}
	}
	return all
}

// coordinates says what numbers the address holds.
func (x *inst) coordinates() string {
	kind := [2]string{"unsigned integers, in texels", "floats, 0 to 1 across the image"}[b2i(x.row.Has(gcn.Sampler))]
	switch {
	case x.row.Addr&gcn.NoBody != 0:
		kind = "an unsigned integer"
	case x.row.Has(gcn.Sampler) && x.Bool(gcn.UNRM):
		kind = "floats, in texels"
	}
	if x.Bool(gcn.A16) {
		kind += ", of 16 bits"
	}
	return kind
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// imageAddress lists the parts of the address for images of type t, each with its VGPR.
func (x *inst) imageAddress(t gcn.ImageType) (all []string) {
	a, first := x.ImageAddr(t, false), int(x.Get(gcn.ADDR))
	add := func(p gcn.AddrPart, half bool, what string) {
		if p.Present() {
			all = append(all, vgprBits(first+int(p.VGPR), half, p.Shift != 0)+" "+what)
		}
	}
	slice := "slice"
	if t == gcn.ImageCube {
		slice = [2]string{"6*layer + face", "8*layer + face"}[b2i(x.row.Has(gcn.Sampler))]
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

// vgprBits names a VGPR or a half of it.
func vgprBits(reg int, half, high bool) string {
	switch {
	case !half:
		return fmt.Sprint("v", reg)
	case high:
		return fmt.Sprintf("v%d[31:16]", reg)
	}
	return fmt.Sprintf("v%d[15:0]", reg)
}

// legend explains parts of the address that are no plain coordinates. Source: rule IM3.
func (x *inst) legend() (lines []string) {
	add := func(when bool, line string) {
		if when {
			lines = append(lines, line)
		}
	}
	parts := x.row.Addr
	add(parts&gcn.AddrOffset != 0, "offsets: texels, signed: x in bits 5:0, y in 13:8, z in 21:16")
	add(parts&gcn.AddrDeriv != 0, "dx/dh: change of x from pixel to pixel in a row, dx/dv: in a column")
	add(parts&gcn.AddrCompare != 0, "reference: compared with the texels; the result is 0 or 1")
	add(x.row.Has(gcn.Sampler) && x.Bool(gcn.DA), "cube: x and y go from 1 to 2 across a face")
	add(!x.Bool(gcn.DA) && parts&gcn.NoBody == 0 && !x.Bool(gcn.R128), "arrays and cubes: as without layers, in slice 0")
	return lines
}

// imageData lists the data VGPRs and what each holds. Source: rules IM5, IM6, IM8, IM9 and
// IM11.
func (x *inst) imageData() (all []string) {
	first := int(x.Get(gcn.VDATA))
	if x.row.Mem.Op == gcn.Atomic {
		return x.atomicData(first)
	}
	for i, what := range x.imageComponents() {
		reg, high := first+i, false
		if x.Bool(gcn.D16) && x.Target.Traits().PackedD16 {
			reg, high = first+i/2, i%2 != 0
		}
		all = append(all, vgprBits(reg, x.Bool(gcn.D16), high)+" "+what)
	}
	return all
}

// imageComponents lists what an image instruction moves, in the order of the registers.
func (x *inst) imageComponents() (all []string) {
	mask := x.Get(gcn.DMASK)
	names := channels
	if a, ok := answers[x.row.Name]; ok {
		names = a
	}
	switch {
	case x.row.Has(gcn.RowOfTexels):
		return []string{"texel 0", "texel 1", "texel 2", "texel 3"}
	case x.row.Has(gcn.Gathers):
		return corners[:]
	case mask == 0:
		return []string{"0, because DMASK names nothing"}
	case !x.row.Mem.Format && x.row.Mem.Op != gcn.Special:
		names = [4]string{"dword 0 of the texel", "dword 1", "dword 2", "dword 3"}
	}
	for i, name := range names {
		if mask>>i&1 != 0 {
			all = append(all, name)
		}
	}
	return all
}

// atomicData is [inst.imageData] of an atomic: the operand, of a compare and swap also
// what is compared.
func (x *inst) atomicData(first int) []string {
	values := x.row.Mem.DataDwords()
	dwords := bits.OnesCount32(x.Get(gcn.DMASK)) / values
	if dwords == 0 {
		return []string{"none: DMASK does not fit"}
	}
	value := func(n int, what string) string {
		if reg := first + n*dwords; dwords > 1 {
			return fmt.Sprintf("v[%d:%d] %s", reg, reg+dwords-1, what)
		}
		return fmt.Sprintf("v%d %s", first+n, what)
	}
	operand := "operand"
	if x.Bool(gcn.GLC) {
		operand += " (then the old value)"
	}
	if values == 1 {
		return []string{value(0, operand)}
	}
	return []string{value(0, operand), value(1, "compared")}
}

// unnormalized says what UNRM means (rule IM2).
func (x *inst) unnormalized(v uint32) string {
	if !x.row.Has(gcn.Sampler) {
		return "no effect: coordinates are integers"
	}
	return [2]string{"coordinates are normalized", "coordinates are in texels"}[v&1]
}

// dmask says what DMASK of an image instruction means.
func (x *inst) dmask(v uint32) string {
	switch {
	case x.row.Mem.Op == gcn.Atomic:
		return count(bits.OnesCount32(v), "dword") + " of data"
	case x.row.Has(gcn.Gathers):
		return picked(v&-v, "component ", channels[:]...)
	case answers[x.row.Name] != [4]string{}:
		names := answers[x.row.Name]
		return picked(v, "", names[:]...)
	case !x.row.Mem.Format:
		return picked(v, "dwords ", "0", "1", "2", "3")
	}
	return picked(v, "components ", channels[:]...)
}
