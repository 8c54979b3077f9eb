package mimg

import (
	"math"
	"math/bits"
	"sync"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/format"
	"github.com/gcnsim/gcnsim/state"
)

// sampling is one execution of an instruction that reads a sampler.
type sampling struct {
	o *op
	w *state.Wave
	p *state.Ports
	a *state.Access
	s *sampler

	exec              uint64
	gathers, compares bool
	dims              int
	coord             [3][state.NumLanes]float64 // as they are in the address; those of cubes from 0 to 1
	slice             state.Lanes                // of the view
	offset            *state.Lanes               // nil: none
	ref               [state.NumLanes]float64    // of a comparison

	base    [state.NumLanes]int32 // LOD of the footprint
	lod     [state.NumLanes]int32 // with biases
	choice  [state.NumLanes]choice
	frac    [state.NumLanes]uint8 // weight of the next level
	uniform bool                  // all lanes of EXEC have the choice common
	common  choice
	probes  [state.NumLanes]uint8 // places that an anisotropic filter takes
	major   [2][state.NumLanes]float64
	deriv   [2][3][state.NumLanes]float64
	warned  uint64 // lanes below MIN_LOD_WARN

	axes    [3]axis
	turned  [3]state.Lanes // coordinates on other faces of a cube
	blends  [3]bool        // axes whose weights count
	alone   bool           // all lanes of EXEC sample the same level
	decoded bool           // components that were read last are texels in all lanes
	fresh   bool           // there are no sums yet, and the first tap is one of all lanes of EXEC
	moved   [3][state.NumLanes]float64
	shares  [2][state.NumLanes]float64
	weight  [state.NumLanes]float64
	tmp     [state.NumLanes]float64
	texel   [format.MaxComponents]state.Lanes
	dst     [format.MaxComponents][]uint32 // into texel: components that are needed
	sum     [format.MaxComponents][state.NumLanes]float64
	bytes   byteSums
	final   [format.MaxComponents][]uint32 // results
	done    bool                           // they are there

	addr    [state.NumLanes]uint64
	fetched uint64 // lanes whose first texel's address is recorded
	lost    uint64 // lanes with a texel that is not mapped
	taps    int    // texels fetched a lane of the group of lanes at hand
}

var samplings = sync.Pool{New: func() any { return new(sampling) }}

// beginSampling returns an execution with coordinates and LOD, nil if the instruction ends here.
func (o *op) beginSampling(w *state.Wave, p *state.Ports, a *state.Access) (*sampling, *state.Fault) {
	v, ok, fault := o.begin(w, p, a)
	if !ok {
		return nil, fault
	}
	fault = v.formatFault
	var s *sampler
	if fault == nil {
		s = o.sampler(w, v)
		fault = s.fault
	}
	if fault != nil {
		f := *fault // the run loop fills in the rest
		return nil, &f
	}
	x := samplings.Get().(*sampling)
	x.o, x.w, x.p, x.a, x.s = o, w, p, a, s
	x.exec, x.gathers, x.compares, x.dims = a.Exec, o.row.Has(gcn.Gathers), o.row.Addr&gcn.AddrCompare != 0, v.Type.Dims()
	x.offset, x.fetched, x.lost, x.warned, x.taps = nil, 0, 0, 0, 0
	if x.exec != 0 && v.levels > 0 && v.layers > 0 {
		x.address()
	}
	return x, nil
}

// end gives x back.
func (x *sampling) end() {
	x.o, x.w, x.p, x.a, x.s, x.offset = nil, nil, nil, nil, nil, nil
	x.dst, x.final = [format.MaxComponents][]uint32{}, [format.MaxComponents][]uint32{}
	samplings.Put(x)
}

// address reads the address and finds the LOD. Source: rule IM3.
func (x *sampling) address() {
	v := x.s.view
	l := x.o.layoutOf(v)
	for d, part := range [...]gcn.AddrPart{l.X, l.Y, l.Z} {
		if part.Present() {
			x.o.floats(x.w, part, &x.coord[d])
		}
	}
	if v.Type.Layered() {
		x.slices(l.Slice)
	}
	if v.Type == gcn.ImageCube { // faces span 1 to 2
		for i := range state.NumLanes {
			x.coord[0][i]--
			x.coord[1][i]--
		}
	}
	if l.Offset.Present() {
		x.offset = &x.w.V[x.o.vaddr+int(l.Offset.VGPR)]
	}
	if l.Compare.Present() {
		x.reference(&x.w.V[x.o.vaddr+int(l.Compare.VGPR)])
	}
	s := &x.s.levels
	if !s.matters && !s.warns && x.o.mem.Format && x.w.Mode.LODClamped() {
		x.frac, x.common, x.uniform = [state.NumLanes]uint8{}, 0, true
		return
	}
	x.detail(l)
}

// reference reads what texels are compared with; that for UNORM texels is clamped to their
// range (rule FI5).
func (x *sampling) reference(v *state.Lanes) {
	for i, r := range v {
		x.ref[i] = float64(math.Float32frombits(r))
	}
	if x.s.clamped {
		for i, r := range &x.ref {
			x.ref[i] = min(max(r, 0), 1)
		}
	}
}

// sample is IMAGE_SAMPLE and IMAGE_GATHER4.
func (o *op) sample(w *state.Wave, p *state.Ports, _ *gcn.Inst, a *state.Access) *state.Fault {
	x, fault := o.beginSampling(w, p, a)
	if x == nil {
		return fault
	}
	defer x.end()
	f := x.s.view.format
	if o.dmask == 0 { // nothing is fetched (rule IM5)
		a.Op = gcn.NoMem
		o.zero(w, x.exec)
		o.report(w, x.warned)
		return nil
	}
	a.Doubts[1] = x.s.doubts
	o.halfDoubt(x.s.view, a)
	sel := x.selected()
	regs := o.results(w, x.exec)
	dst := sel.targets(&regs)
	switch {
	case x.exec == 0:
	case x.s.view.levels <= 0 || x.s.view.layers <= 0: // there is no texel
		for _, r := range regs[:o.count] {
			clear(r[:])
		}
	case !x.gathers:
		fault = x.filters(&dst)
	default:
		fault = x.gathersAll(&regs, sel.from[0])
	}
	if fault != nil {
		return fault
	}
	if !x.gathers || sel.from[0] == format.Absent {
		sel.complete(&regs, &dst)
	}
	for i, r := range regs[:o.count] {
		if x.compares && sel.from[i] == format.Absent { // a constant is compared too
			x.compare(r[:])
		}
		if x.lost != 0 { // nothing is returned (rule IM7)
			clearLanes(r[:], x.lost)
		}
	}
	o.deliver(w, &regs, f, x.exec)
	o.report(w, x.lost|x.warned)
	if a.Exec = x.fetched; a.Exec == 0 { // all texels are in the border
		a.Op = gcn.NoMem
	}
	record(a, x.fetched&^x.lost)
	return nil
}

// selected is [op.selected]; the border can have components that the format lacks (rule
// CO5).
func (x *sampling) selected() selection {
	sel, v := x.o.selected(x.s.view), x.s.view
	for i := range sel.count {
		if c := v.sel[x.o.channel[i]]; x.s.wider && c >= gcn.SelR {
			sel.from[i] = int(c - gcn.SelR)
		}
	}
	return sel
}

// group returns the lanes of mask that sample as the lowest one does: what and which.
func (x *sampling) group(mask uint64) (level, filter int, lanes uint64) {
	if c := x.common; x.uniform {
		return int(c & levelMask), int(c / minifies), mask
	}
	c := x.choice[bits.TrailingZeros64(mask)&63]
	for m := mask; m != 0; m &= m - 1 {
		if i := bits.TrailingZeros64(m) & 63; x.choice[i] == c {
			lanes |= 1 << i
		}
	}
	return int(c & levelMask), int(c / minifies), lanes
}

// gathersAll is GATHER4 and GATHER4H of all lanes.
func (x *sampling) gathersAll(regs *[format.MaxComponents]*state.Lanes, c int) *state.Fault {
	for rest := x.exec; rest != 0; {
		level, _, lanes := x.group(rest)
		rest &^= lanes
		if l := &x.s.levels; l.fixed && int32(level)*steps < l.least { // rule IM9
			x.outside(regs, c)
			continue
		}
		var f *state.Fault
		if x.o.row.Has(gcn.RowOfTexels) {
			f = x.gatherRow(regs, c, level, lanes)
		} else {
			f = x.gather(regs, c, level, lanes)
		}
		if f != nil {
			return f
		}
		x.count(level)
	}
	return nil
}

// outside sets the results of a gather of component c, if it is no constant, of all lanes
// to texels out of range.
func (x *sampling) outside(regs *[format.MaxComponents]*state.Lanes, c int) {
	for _, r := range regs {
		clear(r[:])
		if x.compares && c != format.Absent {
			x.compare(r[:])
		}
	}
}

// count notes how many texels the lanes of a group took at most, and of which level.
func (x *sampling) count(level int) {
	x.a.Level = max(x.a.Level, uint8(level))
	x.a.Taps = max(x.a.Taps, uint8(min(x.taps, math.MaxUint8)))
	x.taps = 0
}

// filters samples all lanes; dst[i] becomes component i of the format.
func (x *sampling) filters(dst *[format.MaxComponents][]uint32) *state.Fault {
	s := x.s
	level, filter, lanes := x.group(x.exec)
	x.alone = lanes == x.exec
	if x.alone && !s.linear[filter] && !s.linearZ[filter] && s.mip != mipLinear && !s.aniso[filter] { // one texel
		x.lay(&x.coord, level, filter)
		p := x.tap(0, level, lanes, true)
		fault := x.texels(&p, level, dst)
		for _, d := range dst {
			if d != nil && !s.finite {
				canonical(d)
			}
		}
		x.count(level)
		return fault
	}
	x.final, x.done = *dst, false
	for c, d := range dst {
		if d != nil {
			x.dst[c] = x.texel[c][:]
		}
	}
	if x.fresh = x.alone && s.FilterMode == blend && s.view.format.Kind == format.Float; !x.fresh {
		x.start(dst)
	}
	for rest := x.exec; ; {
		if f := x.levels(level, filter, lanes); f != nil {
			return f
		}
		x.count(level)
		if rest &^= lanes; rest == 0 {
			break
		}
		level, filter, lanes = x.group(rest)
	}
	for c, d := range dst {
		if d != nil && !x.done {
			x.result(c, d)
		}
	}
	return nil
}

// start sets the sums of the components of dst to what they begin with.
func (x *sampling) start(dst *[format.MaxComponents][]uint32) {
	v := math.Copysign(0, -1)
	if x.s.FilterMode != blend {
		v = math.NaN()
	}
	for c, d := range dst {
		if d == nil {
			continue
		}
		for i := range x.sum[c] {
			x.sum[c][i] = v
		}
	}
}

// levels samples the lanes of a group at the places of an anisotropic filter, usually one,
// and of each in one or two levels.
func (x *sampling) levels(level, filter int, lanes uint64) *state.Fault {
	n := uint8(1)
	if x.s.aniso[filter] {
		for m := lanes; m != 0; m &= m - 1 {
			n = max(n, x.probes[bits.TrailingZeros64(m)&63])
		}
	}
	var next uint64 // lanes that sample two levels
	if x.s.mip == mipLinear {
		for i, f := range &x.frac {
			next |= uint64((uint32(f)+steps-1)>>stepBits) << i
		}
		next &= lanes
	}
	if n == 1 && next == 0 {
		return x.filter(&x.coord, level, filter, lanes, nil)
	}
	for k := range n {
		mask, at := lanes, &x.coord
		if n > 1 {
			mask, at = x.probe(k, lanes), &x.moved
		}
		x.share(n > 1, k)
		if f := x.filter(at, level, filter, mask, &x.shares[0]); f != nil {
			return f
		}
		if mask &= next; mask == 0 {
			continue
		}
		if f := x.filter(at, level+1, filter, mask, &x.shares[1]); f != nil {
			return f
		}
		x.a.Level = max(x.a.Level, uint8(level+1))
	}
	return nil
}

// share sets the shares of the two levels of place k, one of several if many is set, in
// what lanes sample. Places have equal shares (rule LO3).
func (x *sampling) share(many bool, k uint8) {
	for i, f := range &x.frac {
		part := 1.0
		if n := max(x.probes[i], 1); many && n > k {
			part /= float64(n)
		} else if many {
			part = 0
		}
		x.shares[0][i] = part * float64(steps-int(f)) / steps
		x.shares[1][i] = part * float64(f) / steps
	}
}

// probe sets x.moved to place k of an anisotropic filter and returns the lanes of mask
// that have one: places are evenly spaced along the major axis (rule LO3).
func (x *sampling) probe(k uint8, mask uint64) (lanes uint64) {
	for i := range state.NumLanes {
		n := max(x.probes[i], 1)
		if k >= n {
			continue
		}
		lanes |= 1 << i
		off := 0.0
		if n > 1 {
			off = (float64(k)+0.5)/float64(n) - 0.5
		}
		for d := range x.major {
			x.moved[d][i] = finite(x.coord[d][i])
			if off != 0 {
				x.moved[d][i] += float64(off * x.major[d][i])
			}
		}
	}
	return lanes & mask
}

// queryLOD is IMAGE_GET_LOD: the level that a sample would take, after BASE_LEVEL and with
// its fraction, and the LOD before it is clamped. Source: rule IM10.
func (o *op) queryLOD(w *state.Wave, p *state.Ports, _ *gcn.Inst, a *state.Access) *state.Fault {
	x, fault := o.beginSampling(w, p, a)
	a.Op = gcn.NoMem
	if x == nil {
		return fault
	}
	defer x.end()
	if o.count == 0 || x.s.view.levels <= 0 || x.s.view.layers <= 0 {
		o.zero(w, x.exec)
		return nil
	}
	for m := x.exec; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m) & 63
		first := lane &^ 3 // of the quad
		lod := [format.MaxComponents]float32{float32(x.choice[lane]&levelMask) + float32(x.frac[lane])/steps}
		if x.probes[first] != 0 { // not of a footprint of 0
			lod[1] = float32(x.lod[first]) / steps
		}
		for i := range o.count {
			w.V[o.vdata+i][lane] = math.Float32bits(lod[o.channel[i]])
		}
	}
	return nil
}
