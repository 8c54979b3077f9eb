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

// sampling is one execution of a lookup: what its steps hand on, each set by one step, and
// room for them to work in.
type sampling struct {
	*lookup
	reader
	coords                                   // of [sampling.address]
	lod    detail                            // of [sampling.detail]
	axes   [3]axis                           // of [sampling.lay]
	shares [2][state.NumLanes]float64        // of [sampling.share]
	texel  [format.MaxComponents]state.Lanes // of [sampling.texels], where they go to no register
	sums   sums                              // of [sampling.filter]
	bytes  byteSums                          // of [sampling.square]

	deriv  [2][3][state.NumLanes]float64
	moved  [3][state.NumLanes]float64 // coordinates of a place of an anisotropic filter
	turned [3]state.Lanes             // coordinates on other faces of a cube
	weight [state.NumLanes]float64
	tmp    [state.NumLanes]float64
}

// coords holds the coordinates that an address gives.
type coords struct {
	coord  [3][state.NumLanes]float64 // as they are in the address; those of cubes from 0 to 1
	slice  state.Lanes                // of the view
	offset *state.Lanes               // nil: none
	ref    [state.NumLanes]float64    // of a comparison
}

// components are where components of the format go, or come from; nil: nowhere.
type components = [format.MaxComponents][]uint32

var samplings = sync.Pool{New: func() any { return new(sampling) }}

// plan returns the lookup of the T# and S# that the wave holds, nil if the instruction ends
// here.
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
		f := *fault // the run loop fills in the rest
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

// end gives x back.
func (x *sampling) end() {
	x.lookup, x.offset = nil, nil
	x.w, x.p, x.a = nil, nil, nil
	samplings.Put(x)
}

// empty reports whether there is no texel.
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
	if x.asked.Type == gcn.ImageCube { // faces span 1 to 2
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

// reference reads what texels are compared with; that for UNORM texels is clamped to
// their range (rule FI5).
func (x *sampling) reference(v *state.Lanes) {
	simd.Widen(&x.ref, v)
	if x.value.clamped {
		for i, r := range &x.ref {
			x.ref[i] = min(max(r, 0), 1)
		}
	}
}

// sample is IMAGE_SAMPLE and IMAGE_GATHER4.
func (o *op) sample(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	l, fault := o.plan(w, p, a)
	if l == nil {
		return fault
	}
	x := l.begin(w, p, a)
	defer x.end()
	if o.dmask == 0 { // nothing is fetched (rule IM5)
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
		if l.value.compares && l.sel.from[i] == format.Absent { // a constant is compared too
			x.compare(r[:])
		}
		if x.lost != 0 { // nothing is returned (rule IM7)
			clearLanes(r[:], x.lost)
		}
	}
	o.deliver(w, &regs, l.view.format, x.exec)
	o.report(w, x.lost|x.lod.warned)
	if a.Exec = x.fetched; a.Exec == 0 { // all texels are in the border
		a.Op = gcn.NoMem
	}
	record(a, x.fetched&^x.lost)
	return nil
}

// filterAll samples all lanes; dst[i] becomes component i of the format.
func (x *sampling) filterAll(dst *components) *state.Fault {
	g := x.lod.group(x.lookup, x.exec, x.exec)
	places, next := x.lod.places(&g), x.lod.next(x.lookup, g.lanes)
	if g.whole && places == 1 && next == 0 { // one place of one level
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

// pointAll is filterAll of a group of all lanes that take one texel.
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

// bytesAll is filterAll of a group of all lanes that take a square of texels of bytes.
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

// filterGroup adds what the lanes of a group sample, in so many places each and those of
// next in two levels.
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

// share sets the shares of the two levels of place k, one of several if many is set, in
// what lanes sample. Places have equal shares (rule LO3).
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

// probe sets x.moved to place k of an anisotropic filter and returns the lanes of mask
// that have one: places are evenly spaced along the major axis (rule LO3).
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

// queryLOD is IMAGE_GET_LOD: the level that a sample would take, after BASE_LEVEL and with
// its fraction, and the LOD before it is clamped. Source: rule IM10.
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
		first := lane &^ 3 // of the quad
		lod := [format.MaxComponents]float32{float32(d.choice[lane]&levelMask) + float32(d.frac[lane])/steps}
		if d.probes[first] != 0 { // not of a footprint of 0
			lod[1] = float32(d.lod[first]) / steps
		}
		for i := range o.count {
			w.V[o.vdata+i][lane] = math.Float32bits(lod[o.channel[i]])
		}
	}
	return nil
}
