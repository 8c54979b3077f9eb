package mimg

import (
	"math"
	"math/bits"
	"sync"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/format"
	"github.com/gcnsim/gcnsim/state"
)

// sampling is one execution of a lookup: the results of its steps, and storage for them.
type sampling struct {
	*lookup
	reader
	coords                                   // set by [sampling.address]
	lod    detail                            // set by [sampling.detail]
	axes   [3]axis                           // set by [sampling.lay]
	shares [2][state.NumLanes]float64        // set by [sampling.share]
	texel  [format.MaxComponents]state.Lanes // set by [sampling.texels], for components without a register
	sums   sums                              // set by [sampling.filter]
	bytes  byteSums                          // set by [sampling.square]

	deriv  [2][3][state.NumLanes]float64
	moved  [3][state.NumLanes]float64 // coordinates of a sample of an anisotropic filter
	turned [3]state.Lanes             // coordinates on other faces of a cube
	weight [state.NumLanes]float64
	tmp    [state.NumLanes]float64
}

// coords holds the coordinates in an address.
type coords struct {
	coord  [3][state.NumLanes]float64 // coordinates of the address; for cubes from 0 to 1
	slice  state.Lanes                // slice of the view
	offset *state.Lanes               // nil if there is none
	ref    [state.NumLanes]float64    // reference of a comparison
}

// components are storage for components of the format; nil for unused ones.
type components = [format.MaxComponents][]uint32

var samplings = sync.Pool{New: func() any { return new(sampling) }}

// plan returns the lookup for the T# and S# in the registers of the wave, nil if the instruction ends here.
func (o *op) plan(w *state.Wave, p *executor.Ports, a *state.Access) (*lookup, *state.Fault) {
	v, ok, fault := o.begin(w, p, a)
	if !ok {
		return nil, fault
	}
	fault = v.formatFault
	var l *lookup
	if fault == nil {
		l = o.lookup(w, p, v)
		fault = l.fault
	}
	if fault != nil {
		f := *fault // the run loop sets the other fields
		return nil, &f
	}
	return l, nil
}

// begin returns an execution of l with coordinates and LOD.
func (l *lookup) begin(w *state.Wave, p *executor.Ports, a *state.Access) *sampling {
	x := samplings.Get().(*sampling)
	x.lookup, x.offset = l, nil
	x.reader.begin(w, p, a)
	x.lod.first()
	if x.exec != 0 {
		x.address()
		if s := &l.levels; !l.empty() && (s.matters || s.warns || !l.o.mem.Format || w.Mode&state.ModeLODClamped == 0) {
			x.detail()
		}
	}
	return x
}

// end returns x to its pool.
func (x *sampling) end() {
	x.lookup, x.offset = nil, nil
	x.w, x.p, x.a = nil, nil, nil
	samplings.Put(x)
}

// empty reports whether the view has no texels.
func (l *lookup) empty() bool { return l.asked.levels <= 0 || l.asked.layers <= 0 }

// address reads the address. Source: rule IM3.
func (x *sampling) address() {
	for d, part := range [...]isa.AddrPart{x.addr.X, x.addr.Y, x.addr.Z} {
		if part.VGPR >= 0 {
			x.o.floats(x.w, part, &x.coord[d])
		}
	}
	if isa.ShapeOf(x.asked.Type).Layered {
		x.slices(x.addr.Slice)
	}
	if x.asked.Type == gcn.ImageCube { // face coordinates range from 1 to 2
		for i := range state.NumLanes {
			x.coord[0][i]--
			x.coord[1][i]--
		}
	}
	if x.addr.Offset.VGPR >= 0 {
		x.offset = &x.w.V[x.o.vaddr+int(x.addr.Offset.VGPR)]
	}
	if x.addr.Compare.VGPR >= 0 {
		x.reference(&x.w.V[x.o.vaddr+int(x.addr.Compare.VGPR)])
	}
}

// reference reads the references of the comparison. For UNORM texels they are clamped to the range of UNORM (rule
// FI5).
func (x *sampling) reference(v *state.Lanes) {
	simd.Widen(&x.ref, v)
	if x.value.clamped {
		for i, r := range &x.ref {
			x.ref[i] = min(max(r, 0), 1)
		}
	}
}

// sample executes IMAGE_SAMPLE and IMAGE_GATHER4.
func (o *op) sample(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	l, fault := o.plan(w, p, a)
	if l == nil {
		return fault
	}
	x := l.begin(w, p, a)
	defer x.end()
	if o.dmask == 0 { // no texel is read (rule IM5)
		a.Op = gcn.NoMem
		o.zero(w, x.exec)
		o.report(w, x.lod.warned)
		return nil
	}
	executor.Doubt(a, l.doubts)
	o.halfDoubt(l.view, a)
	regs := o.results(w, x.exec)
	dst := l.sel.targets(&regs)
	switch {
	case x.exec == 0:
	case l.empty():
		x.outside(&regs)
	case l.gathers:
		fault = x.gatherAll(&regs)
	default:
		fault = x.filterAll(&dst)
	}
	if fault != nil {
		return fault
	}
	if l.inTexels && a.Level > 0 {
		executor.Doubt(a, texelLevelDoubts)
	}
	if !l.gathers || l.sel.from[0] == format.Absent {
		l.sel.complete(&regs, &dst)
	}
	for i, r := range regs[:o.count] {
		if l.value.compares && l.sel.from[i] == format.Absent { // a constant is compared as well
			x.compare(r[:])
		}
		if x.lost != 0 { // these lanes have no result (rule IM7)
			clearLanes(r[:], x.lost)
		}
	}
	o.deliver(w, &regs, l.view.format, x.exec)
	o.report(w, x.lost|x.lod.warned)
	if a.Exec = x.fetched; a.Exec == 0 { // no lane has read a texel outside of the border
		a.Op = gcn.NoMem
	}
	record(a, x.fetched&^x.lost)
	return nil
}

// filterAll samples all lanes. dst[i] becomes component i of the format.
func (x *sampling) filterAll(dst *components) *state.Fault {
	g := x.lod.group(x.lookup, x.exec, x.exec)
	places, next := x.lod.places(&g), x.lod.next(x.lookup, g.lanes)
	if g.whole && places == 1 && next == 0 { // a single sample of a single level
		switch {
		case g.point():
			return x.pointAll(dst, &g)
		case g.bytes:
			return x.bytesAll(dst, &g)
		}
	}
	var need components
	for c, d := range dst {
		if d != nil {
			need[c] = x.texel[c][:]
		}
	}
	x.sums.clear(&need, x.blends())
	for rest := x.exec; ; {
		if f := x.filterGroup(&need, &g, places, next); f != nil {
			return f
		}
		x.count(g.level)
		if rest &^= g.lanes; rest == 0 {
			break
		}
		g = x.lod.group(x.lookup, rest, x.exec)
		places, next = x.lod.places(&g), x.lod.next(x.lookup, g.lanes)
	}
	for c, d := range dst {
		if d == nil {
			continue
		}
		x.sums.result(c, x.value.kind, (*state.Lanes)(d))
		if !x.value.finite {
			simd.Canonical((*state.Lanes)(d))
		}
	}
	return nil
}

// pointAll does what filterAll does, for a group of all lanes that use one texel.
func (x *sampling) pointAll(dst *components, g *group) *state.Fault {
	x.lay(&x.coord, &g.grids[g.level])
	p := x.tap(0, g.lanes)
	fault := x.texels(&p, g.level, dst)
	for _, d := range dst {
		if d != nil && !x.value.finite {
			simd.Canonical((*state.Lanes)(d))
		}
	}
	x.count(g.level)
	return fault
}

// bytesAll does what filterAll does, for a group of all lanes that use a square of texels of bytes.
func (x *sampling) bytesAll(dst *components, g *group) *state.Fault {
	x.lay(&x.coord, &g.grids[g.level])
	if f := x.square(g.level, g.lanes); f != nil {
		return f
	}
	simd.Bilinear(&x.bytes.sums, &x.bytes.words, &x.axes[0].pos, &x.axes[1].pos)
	for c, d := range dst {
		if d != nil {
			simd.Linear((*state.Lanes)(d), &x.bytes.sums[c], 0, 0, true, 0, byteScale, math.Inf(-1))
		}
	}
	x.count(g.level)
	return nil
}

// filterGroup adds the samples of a group's lanes: places samples each, in two levels for the lanes of next.
func (x *sampling) filterGroup(need *components, g *group, places uint8, next uint64) *state.Fault {
	if places == 1 && next == 0 {
		return x.filter(need, &x.coord, g, tapsOf{level: g.level, lanes: g.lanes})
	}
	for k := range places {
		lanes, at := g.lanes, &x.coord
		if places > 1 {
			lanes, at = x.probe(k, g.lanes), &x.moved
		}
		x.share(places > 1, k)
		if f := x.filter(need, at, g, tapsOf{level: g.level, lanes: lanes, share: &x.shares[0]}); f != nil {
			return f
		}
		if lanes &= next; lanes == 0 {
			continue
		}
		x.a.Level = max(x.a.Level, uint8(g.level+1))
		if f := x.filter(need, at, g, tapsOf{level: g.level + 1, lanes: lanes, share: &x.shares[1]}); f != nil {
			return f
		}
	}
	return nil
}

// share sets the shares of the two levels of sample k in the result. many tells whether there are several samples,
// which have equal shares (rule LO3).
func (x *sampling) share(many bool, k uint8) {
	if !many {
		simd.Weights(&x.shares[0], &x.shares[1], &x.lod.frac)
		return
	}
	for i, f := range &x.lod.frac {
		part := 0.0
		if n := max(x.lod.probes[i], 1); n > k {
			part = 1 / float64(n)
		}
		x.shares[0][i] = part * float64(steps-f) / steps
		x.shares[1][i] = part * float64(f) / steps
	}
}

// probe sets x.moved to the coordinates of sample k of an anisotropic filter and returns the lanes of mask that have
// such a sample. Samples are evenly spaced along the major axis (rule LO3).
func (x *sampling) probe(k uint8, mask uint64) (lanes uint64) {
	for i := range state.NumLanes {
		n := max(x.lod.probes[i], 1)
		if k >= n {
			continue
		}
		lanes |= 1 << i
		off := 0.0
		if n > 1 {
			off = (float64(k)+0.5)/float64(n) - 0.5
		}
		for d := range x.lod.major {
			x.moved[d][i] = finite(x.coord[d][i])
			if off != 0 {
				x.moved[d][i] += float64(off * x.lod.major[d][i])
			}
		}
	}
	return lanes & mask
}

// queryLOD executes IMAGE_GET_LOD: it returns the level that a sample would use, relative to BASE_LEVEL and with a
// fraction, and the LOD before clamping. Source: rule IM10.
func (o *op) queryLOD(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	l, fault := o.plan(w, p, a)
	a.Op = gcn.NoMem
	if l == nil {
		return fault
	}
	x := l.begin(w, p, a)
	defer x.end()
	if o.count == 0 || l.empty() {
		o.zero(w, x.exec)
		return nil
	}
	d := &x.lod
	for m := x.exec; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m) & 63
		first := lane &^ 3 // first lane of the quad
		lod := [format.MaxComponents]float32{float32(d.choice[lane]&levelMask) + float32(d.frac[lane])/steps}
		if d.probes[first] != 0 { // the footprint is not 0
			lod[1] = float32(d.lod[first]) / steps
		}
		for i := range o.count {
			w.V[o.vdata+i][lane] = math.Float32bits(lod[o.channel[i]])
		}
	}
	return nil
}
