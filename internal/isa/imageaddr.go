package isa

import mathbits "math/bits"

// AddrPart is the position of one part of an image address: the number of a VGPR relative to VADDR, and with A16 a
// half of it.
type AddrPart struct {
	VGPR  int8  // -1 if the instruction has no such part
	Shift uint8 // 16 for the upper half, else 0
}

// ImageAddr is the layout of the address VGPRs of an image instruction. Source: rules IM3 and IM4.
type ImageAddr struct {
	Offset, Bias, Compare AddrPart
	Deriv                 [2][3]AddrPart // derivatives by h and v, each of x, y and z
	X, Y, Z               AddrPart
	Slice, Sample, Field  AddrPart
	Clamp, LOD            AddrPart
	Half                  bool // A16: all parts except Offset and Compare have 16 bits
	VGPRs                 int  // number of address VGPRs
}

// addrWriter places the parts of an address one after the other.
type addrWriter struct {
	next int8
	half bool // A16
	odd  bool // the lower half of VGPR next is in use
}

// place returns the position of the next coordinate.
func (w *addrWriter) place() AddrPart {
	p := AddrPart{VGPR: w.next}
	if w.odd {
		p.Shift = 16
	}
	if w.odd || !w.half {
		w.next++
	}
	w.odd = w.half && !w.odd
	return p
}

// whole returns the next VGPR.
func (w *addrWriter) whole() AddrPart {
	if w.odd {
		w.next, w.odd = w.next+1, false
	}
	w.next++
	return AddrPart{VGPR: w.next - 1}
}

// pad skips the rest of a VGPR.
func (w *addrWriter) pad() {
	if w.odd {
		w.next, w.odd = w.next+1, false
	}
}

// ImageAddr returns the layout of the address of an image instruction if its T# is of type t. For types that are not
// arrays DA adds a slice that is ignored (rule IM2).
func (i Inst) ImageAddr(t ImageType, interlaced bool) ImageAddr {
	none := AddrPart{VGPR: -1}
	a := ImageAddr{
		Offset: none, Bias: none, Compare: none, X: none, Y: none, Z: none, Slice: none, Sample: none, Field: none,
		Clamp: none, LOD: none,
		Deriv: [2][3]AddrPart{{none, none, none}, {none, none, none}}, Half: i.Bool(A16),
	}
	w := addrWriter{half: a.Half}
	parts, dims := i.Row().Addr, ShapeOf(t).Dims
	if parts&AddrOffset != 0 {
		a.Offset = w.whole()
	}
	if parts&AddrBias != 0 {
		a.Bias = w.whole()
	}
	if parts&AddrCompare != 0 {
		a.Compare = w.whole()
	}
	if parts&AddrDeriv != 0 {
		for dir := range a.Deriv {
			for d := range dims {
				a.Deriv[dir][d] = w.place()
			}
			w.pad()
		}
	}
	if parts&NoBody == 0 {
		for d, at := range [...]*AddrPart{&a.X, &a.Y, &a.Z} {
			if d < dims {
				*at = w.place()
			}
		}
		if i.Bool(DA) && dims < 3 {
			a.Slice = w.place()
		}
		switch {
		case ShapeOf(t).MSAA:
			a.Sample = w.place()
		case interlaced && t == Image2D:
			a.Field = w.place()
		}
	}
	if parts&AddrClamp != 0 {
		a.Clamp = w.place()
	}
	if parts&AddrLOD != 0 {
		a.LOD = w.place()
	}
	w.pad()
	a.VGPRs = int(w.next)
	return a
}

// imageData returns the number of data VGPRs of an image instruction: one for each bit of DMASK, or four for a
// gather. D16 data are packed in pairs on generations that do so (rules IM5 and IM6).
func (i Inst) imageData() int {
	n := i.components()
	if i.Bool(D16) && TraitsOf(i.Target).PackedD16 {
		n = (n + 1) / 2
	}
	return n
}

// components returns the number of components in the data of an instruction that converts formats.
func (i Inst) components() int {
	switch {
	case i.Row().Has(Gathers):
		return 4
	case i.Enc == MIMG:
		return max(mathbits.OnesCount32(i.Get(DMASK)), 1)
	}
	return int(i.Row().Mem.Count)
}

// AddrRange returns the smallest and the largest number of address VGPRs of an image instruction; the T# determines
// the number.
func (i Inst) AddrRange() (least, most int) {
	n := func(t ImageType) int { return i.ImageAddr(t, false).VGPRs }
	return n(Image1D), max(n(Image3D), n(Image2DMSAA))
}

func (i Inst) imageOperands(buf []Operand, r *Row) []Operand {
	o := vector(VDATA, i.Get(VDATA), i.DataDwords(), r.Mem.Op != Store)
	status := i.Bool(TFE) || i.Bool(LWE)
	switch {
	case r.Mem.Op == Special: // queries have no status register
		o.Dwords, status = uint8(i.imageData()), false
	case status && !i.Bool(TFE):
		o.Dwords++ // TFE and LWE share one register (rule IM7)
	}
	if r.Mem.Op == Atomic {
		o.Read, o.Write = true, i.Bool(GLC)
	}
	least := i.ImageAddr(Image1D, false).VGPRs
	words := 8
	if i.Bool(R128) {
		words = 4
	}
	buf = append(buf, o, vector(ADDR, i.Get(ADDR), least, false), scalar(SRSRC, i.Get(SRSRC)*4, words, false))
	if r.Has(Sampler) {
		buf = append(buf, scalar(SSAMP, i.Get(SSAMP)*4, 4, false))
	}
	if status && !o.Write { // the status register is written, though the data are not
		buf = append(buf, vector(TFE, i.Get(VDATA)+uint32(o.Dwords)-1, 1, true))
	}
	return buf
}
