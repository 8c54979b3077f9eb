package mimg

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// Tap is one texel that a lane samples.
type Tap struct {
	Level   int // level of the surface, including BASE_LEVEL
	X, Y, Z int // position in texels; Z is the depth of a 3D image, else the slice of the surface
	// Weight is the share of the texel in the result; the weights of a filter add up to 1. It is 1 for each texel of
	// GATHER4 and of filters that return the smallest or largest one. The three texels around a corner of a cube share
	// the weight of the nonexistent one (rule CO6).
	Weight float64
	Border bool // the texel is the border colour instead of a texel of the image; X, Y and Z are 0
}

// Taps returns the texels that each lane samples when w executes in with the T#, the S# and the address in its
// registers, on a chip with the tiling registers regs. For GATHER4 they are in the order of the results. Without a
// sampler it is the one texel that the lane addresses, with weight 1; Border means that the image has no such texel.
// A lane has none if it is inactive, if nothing is read, or if in is not an image instruction or its resource not an
// image. Registers of w do not change and memory is not read. The error is the *[state.Fault] of the execution.
// Source: rules CO2 to CO6, LO1 to LO3, FI1 and IM9.
func Taps(in *gcn.Inst, w *state.Wave, regs *tile.Registers) (taps [state.NumLanes][]Tap, err error) {
	decoded := (*isa.Inst)(in)
	if !decoded.Row().Has(isa.Sampler) {
		return laneTexels(decoded, w, portsOf(regs)), nil
	}
	err = eachTaps(decoded, w, regs, func(lane int, list []Tap) { taps[lane] = list })
	return taps, err
}

// portsOf returns ports with the tiling registers regs and without memory, which suffice to find texels.
func portsOf(regs *tile.Registers) *executor.Ports {
	return &executor.Ports{Images: &executor.Images{Regs: regs}}
}

// eachTaps calls do with the texels of each lane that has some.
func eachTaps(in *isa.Inst, w *state.Wave, regs *tile.Registers, do func(lane int, taps []Tap)) error {
	if f := executor.Check(in, w.NumVGPRs, nil); f != nil {
		return f
	}
	defer func(m state.Mode) { w.Mode = m }(w.Mode) // computing the LOD sets LOD_CLAMPED
	o := decode(in)
	var a state.Access
	l, fault := o.plan(w, portsOf(regs), &a)
	if fault != nil {
		return fault
	}
	if l == nil || l.empty() || o.dmask == 0 {
		return nil
	}
	x := l.begin(w, nil, &a)
	defer x.end()
	for m := a.Exec; m != 0; m &= m - 1 {
		t := tapList{sampling: x, lane: bits.TrailingZeros64(m) & 63}
		g := x.lod.group(l, 1<<t.lane, a.Exec)
		if l.gathers {
			t.gather(&g)
		} else {
			t.filter(&g)
		}
		do(t.lane, t.all)
	}
	return nil
}

// tapList collects the texels of a lane.
type tapList struct {
	*sampling
	lane int
	all  []Tap
}

// gather adds the texels of [sampling.gatherAll].
func (t *tapList) gather(g *group) {
	if t.levels.fixed && int32(g.level)*steps < t.levels.least {
		return
	}
	grid := &t.filters[0].grids[g.level]
	t.lay(&t.coord, grid)
	if !t.o.row.Has(isa.RowOfTexels) {
		for _, n := range gathered {
			t.add(n, g.level, 1)
		}
		return
	}
	for range gathered {
		t.add(0, g.level, 1)
		t.axes[0].pos[t.lane] += steps
		t.axes[0].wrap(&grid[0])
	}
}

// filter adds the texels of [sampling.filterAll] for the lane's group.
func (t *tapList) filter(g *group) {
	mask := uint64(1) << t.lane
	places, next := t.lod.places(g), t.lod.next(t.lookup, mask)
	for k := range places {
		at := &t.coord
		if places > 1 {
			if t.probe(k, mask) == 0 {
				break
			}
			at = &t.moved
		}
		t.share(places > 1, k)
		t.look(at, g, g.level, t.shares[0][t.lane])
		if next != 0 {
			t.look(at, g, g.level+1, t.shares[1][t.lane])
		}
	}
}

// look adds the texels of [sampling.filter] for one level, which has the given share in the result.
func (t *tapList) look(at *[3][state.NumLanes]float64, g *group, level int, share float64) {
	t.lay(at, &g.grids[level])
	for n := range uint8(1) << t.dims {
		weight := share
		for d := range t.dims {
			fraction := float64(uint32(t.axes[d].pos[t.lane])%steps) / steps
			switch second := n>>d&1 != 0; {
			case !g.linear[d]:
			case second:
				weight *= fraction
			default:
				weight *= 1 - fraction
			}
		}
		if !t.blends() {
			weight = 1
		}
		t.add(n, level, weight)
	}
}

// add adds tap n of a level of the view, if the lane uses it.
func (t *tapList) add(n uint8, level int, weight float64) {
	mask := uint64(1) << t.lane
	p := t.tap(n, mask)
	switch size := int64(t.view.size[level].x); {
	case p.lanes == 0:
	case p.corner != 0:
		for k, share := range cornerShares {
			at := t.turn(p.at, size, mask, cornerSides(k))
			t.put(&at, level, weight*share)
		}
	case p.border != 0 && t.fold:
		at := t.turn(p.at, size, mask, [2]bool{})
		t.put(&at, level, weight)
	case p.border != 0:
		t.all = append(t.all, Tap{Level: t.view.firstLevel() + level, Weight: weight, Border: true})
	default:
		t.put(&p.at, level, weight)
	}
}

// put adds a texel of the image.
func (t *tapList) put(at *texels, level int, weight float64) {
	var c [3]int
	for d, v := range [...]*[state.NumLanes]uint32{at.X, at.Y, at.Z} {
		if v != nil {
			c[d] = int(v[t.lane])
		}
	}
	t.all = append(t.all, Tap{Level: t.view.firstLevel() + level, X: c[0], Y: c[1], Z: c[2] + t.view.firstSlice(),
		Weight: weight})
}
