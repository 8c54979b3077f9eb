package mimg

import (
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa/format"
	"github.com/gcnsim/gcnsim/state"
)

// Temporaries of a wave (see [state.Wave.Temp]) by their use here.
const (
	tempWords   = 0 // dwords of elements: 4
	tempResults = 4 // components of results that do not go to their registers at once: 4
	tempTexel   = 8 // see [view.locate]
	tempFree    = 9 // not used by what all instructions share: 3
)

// selection is which components of the format the registers of a result take: register
// component i takes from[i], or if that is [format.Absent] the constant fill[i].
type selection struct {
	count int
	from  [format.MaxComponents]int
	fill  [format.MaxComponents]uint32
}

// selected returns what DST_SEL and DMASK select of the texels of v (rules IM5 and IF5).
func (o *op) selected(v *view) (s selection) {
	s.count = o.count
	for i := range o.count {
		s.from[i], s.fill[i] = v.sel.Load(v.format, o.channel[i])
	}
	return s
}

// results returns where the register components of a result are to be put before
// [op.deliver]: their registers, where a wave with the mask exec needs no merging.
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

// targets returns which register component each component of the format is to be decoded
// to, nil if none takes it. [selection.complete] does the others.
func (s *selection) targets(regs *[format.MaxComponents]*state.Lanes) (dst [format.MaxComponents][]uint32) {
	for i := range s.count {
		if c := s.from[i]; c != format.Absent && dst[c] == nil {
			dst[c] = regs[i][:]
		}
	}
	return dst
}

// distinct reports whether each register component takes a component of the format of its own.
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

// complete sets the register components that are constant, or another one's copy.
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

// deliver writes register components, of 32 bits and of the kind of f, to the data
// registers in the lanes of mask; those that [op.results] put into their register are
// there already. D16 components are converted, in place, and packed where the generation
// does so; the half that is left over remains (rule IM6). Without components (DMASK is 0)
// one that is 0 is written (rule IM5).
func (o *op) deliver(w *state.Wave, regs *[format.MaxComponents]*state.Lanes, f *format.Format, mask uint64) {
	reg, half := o.vdata, uint32(0) // half: bits of the one that is left over
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

// zero writes 0 to all that a result takes in the lanes of mask: the half of D16 that is
// left over remains.
func (o *op) zero(w *state.Wave, mask uint64) {
	for i := range o.returns() {
		keep := uint32(0)
		if o.d16 && o.packed && 2*i+1 >= o.count {
			keep = 0xffff0000
		}
		executor.Merge(&w.V[o.vdata+i], &zeros, keep, mask)
	}
}

// record says in a which lanes of EXEC moved no data.
func record(a *state.Access, in uint64) {
	out := a.Exec &^ in
	for i := range min(int(a.Count), len(a.Out)) {
		a.Out[i] = out
	}
}
