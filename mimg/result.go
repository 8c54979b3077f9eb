package mimg

import (
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa/format"
	"github.com/gcnsim/gcnsim/state"
)

// Temporaries of a wave (see [state.Wave.Temp]) in this package.
const (
	tempWords   = 0 // 4 temporaries for the dwords of elements
	tempResults = 4 // 4 temporaries for result components that are not written to registers directly
	tempTexel   = 8 // first temporary of [view.locate]
	tempFree    = 9 // 3 temporaries that instructions may use freely
)

// selection has the source of each register component of a result: component from[i] of the format or, if that is
// [format.Absent], the constant fill[i].
type selection struct {
	count int
	from  [format.MaxComponents]int
	fill  [format.MaxComponents]uint32
}

// selected returns the selection by DST_SEL and DMASK for texels of v (rules IM5 and IF5).
func (o *op) selected(v *view) (s selection) {
	s.count = o.count
	for i := range o.count {
		s.from[i], s.fill[i] = v.sel.Load(v.format, o.channel[i])
	}
	return s
}

// results returns the storage for result components before [op.deliver]: their registers, if a wave with the mask
// exec needs no merging, else temporaries.
func (o *op) results(w *state.Wave, exec uint64) (regs [format.MaxComponents]*state.Lanes) {
	direct := exec == state.FullExec && !o.d16
	for i := range o.count {
		if direct {
			regs[i] = &w.V[o.vdata+i]
		} else {
			regs[i] = &w.Temp()[tempResults+i]
		}
	}
	return regs
}

// targets returns the register component to which each component of the format is decoded, nil if none selects it.
// Then [selection.complete] sets the others.
func (s *selection) targets(regs *[format.MaxComponents]*state.Lanes) (dst [format.MaxComponents][]uint32) {
	for i := range s.count {
		if c := s.from[i]; c != format.Absent && dst[c] == nil {
			dst[c] = regs[i][:]
		}
	}
	return dst
}

// distinct reports whether each register component selects a different component of the format.
func (s *selection) distinct() bool {
	taken := 0
	for _, c := range s.from[:s.count] {
		if c == format.Absent || taken>>c&1 != 0 {
			return false
		}
		taken |= 1 << c
	}
	return true
}

// complete sets the register components that are constants or copies of another one.
func (s *selection) complete(regs *[format.MaxComponents]*state.Lanes, dst *[format.MaxComponents][]uint32) {
	for i := range s.count {
		switch c, r := s.from[i], regs[i]; {
		case c == format.Absent:
			simd.Fill(r, s.fill[i])
		case &dst[c][0] != &r[0]:
			copy(r[:], dst[c])
		}
	}
}

// deliver writes register components, of 32 bits and of kind f.Kind, to the data registers in the lanes of mask.
// Those that [op.results] placed in their registers are there already. D16 components are converted in place, and
// packed if the generation does so; with an odd number the upper half of the last register is unchanged (rule IM6).
// If DMASK is 0, one component that is 0 is written (rule IM5).
func (o *op) deliver(w *state.Wave, regs *[format.MaxComponents]*state.Lanes, f *format.Format, mask uint64) {
	reg, half := o.vdata, uint32(0) // half: mask of the half that is kept with an odd number
	if o.d16 && o.packed {
		half = 0xffff0000
	}
	if o.count == 0 {
		executor.Merge(&w.V[reg], &zeros, half, mask)
		return
	}
	for i := 0; i < o.count; i++ {
		r, keep := regs[i], uint32(0)
		if o.d16 {
			executor.Narrow(f, r[:])
		}
		switch {
		case !o.d16 || !o.packed:
		case i+1 < o.count:
			i++
			executor.Narrow(f, regs[i][:])
			simd.Insert(r, regs[i], r, 16, 0xffff0000, 0xffff)
		default:
			keep = half
		}
		executor.Merge(&w.V[reg], r, keep, mask)
		reg++
	}
}

// zero writes 0 to all result registers in the lanes of mask, except for an unused upper half of D16.
func (o *op) zero(w *state.Wave, mask uint64) {
	for i := range o.returns() {
		keep := uint32(0)
		if o.d16 && o.packed && 2*i+1 >= o.count {
			keep = 0xffff0000
		}
		executor.Merge(&w.V[o.vdata+i], &zeros, keep, mask)
	}
}

// record records in a the lanes of EXEC that moved no data.
func record(a *state.Access, in uint64) {
	out := a.Exec &^ in
	for i := range min(int(a.Count), len(a.Out)) {
		a.Out[i] = out
	}
}
