package mimg

import (
	"math"
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// levels holds the fields of a sampler and a view that determine the level of detail (LOD), in units of 1/256 and
// relative to BASE_LEVEL.
type levels struct {
	mip      uint8 // MIP_FILTER as the format and the instruction support it
	bias     int32
	min, max int32
	least    int32 // MIN_LOD of the T#
	fixed    bool  // MIN_LOD is ignored (GATHER4_LZ)
	warn     int32 // MIN_LOD_WARN
	warns    bool
	last     int32 // level of the view
	scale    [3]float64
	matters  bool // the level or the filter depends on the LOD
}

// perfScales are the factors of LOD_BIAS_SEC by PERF_MOD, in units of 1/16 (rule LO2).
var perfScales = [8]int32{0, 2, 5, 7, 9, 11, 14, 16}

// newLevels returns the limits of the LOD. Source: rule LO2; the larger MIN_LOD of T# and S# applies.
func (l *lookup) newLevels(mip uint8) levels {
	v, row := l.asked, l.o.row
	base := int32(v.firstLevel()) * steps
	s := levels{
		mip: mip, bias: int32(l.LODBias*steps) + int32(l.LODBiasSec*16)*perfScales[v.PerfMod&7]>>4*(steps/16),
		min: int32(l.MinLOD * steps), max: int32(l.MaxLOD * steps), warn: int32(v.MinLODWarn*steps) - base,
		warns: l.o.lwe && v.MinLODWarn > 0,
		last:  int32(v.levels - 1), scale: [3]float64{1, 1, 1},
	}
	s.fixed, s.least = l.gathers && row.Addr&isa.LevelZero != 0, int32(v.MinLOD*steps)-base
	if !s.fixed {
		s.min = max(s.min, s.least)
	}
	if !l.inTexels {
		s.scale = [3]float64{float64(v.size[0].x), float64(v.size[0].y), float64(v.size[0].z)}
	}
	magnify, minify := &l.filters[0], &l.filters[1]
	s.matters = mip != gcn.MipNone && s.last > 0 || magnify.linear != minify.linear || magnify.aniso || minify.aniso
	return s
}

// gradient is the change of coordinates along h and v: unscaled, or in texels of level BASE_LEVEL.
type gradient [2][3]float64

// finite returns v, 0 for NaN, and the largest number for infinities (rule CO2).
func finite(v float64) float64 {
	if math.Abs(v) <= math.MaxFloat64 {
		return v
	}
	return infinite(v)
}

func infinite(v float64) float64 {
	if v != v {
		return 0
	}
	return math.Copysign(math.MaxFloat32, v)
}

// square returns the squared length of vector d.
func (g *gradient) square(d int) float64 {
	v := &g[d]
	return float64(v[0]*v[0]) + float64(v[1]*v[1]) + float64(v[2]*v[2])
}

// zeroLOD is the LOD of a gradient of 0 (rule LO1).
const zeroLOD = -32 * steps

// log2 returns the LOD of a footprint with squared length v: half of its binary logarithm, rounded to nearest.
func log2(v float64) int32 {
	if v <= 1./(1<<64) {
		return zeroLOD
	}
	const mantissa = 52
	b := math.Float64bits(v)
	m := b & (1<<mantissa - 1)
	n := int32(logGuess[m>>(mantissa-8)&255])
	for m >= logSteps[n&255] {
		n++
	}
	return (int32(b>>mantissa)-1023)*(steps/2) + n
}

// logSteps has the smallest mantissas whose logarithm rounds to at least n+1 steps of 1/128. logGuess has a lower
// bound of the steps, by the upper 8 bits of the mantissa.
var logSteps, logGuess = func() (at [256]uint64, guess [256]uint8) {
	for n := range at {
		at[n] = math.MaxUint64
		if n < steps/2 {
			at[n] = math.Float64bits(math.Exp2((float64(n)+0.5)/(steps/2))) & (1<<52 - 1)
		}
	}
	for i, n := 0, uint8(0); i < len(guess); i++ {
		for at[n] <= uint64(i)<<(52-8) {
			n++
		}
		guess[i] = n
	}
	return at, guess
}()

// fixed rounds v to nearest even. NaN becomes 0.
func fixed(v float64) int32 {
	const limit = 1 << 20 // beyond the range of all clamps
	if v != v {
		return 0
	}
	return int32(math.RoundToEven(min(max(v, -limit), limit)))
}

// footprint returns the LOD of a gradient and, for anisotropic filters, the number of samples and the vector of the
// gradient along which they lie; 0 samples for a gradient of 0. It uses the ideal model: the major axis is the longer
// vector, the minor axis the area divided by it. Source: rules LO1 and LO3.
func (l *lookup) footprint(g *gradient) (lod int32, probes uint8, along int) {
	h, v := g.square(0), g.square(1)
	long := max(h, v)
	switch {
	case long == 0:
		return zeroLOD, 0, 0
	case l.longest == 1:
		return log2(long), 1, 0
	case v > h:
		along = 1
	}
	ratio := l.longest
	if area := math.Abs(float64(g[0][0]*g[1][1]) - float64(g[0][1]*g[1][0])); long < ratio*area {
		ratio = long / area
	}
	lod = log2(long / (ratio * ratio))
	if short := math.Sqrt(long) / ratio; short < 1 { // the footprint is at most ratio texels long
		ratio = max(1, ratio*short)
	}
	const slack = 1e-9 // tolerance of the quotients above
	return lod, uint8(math.Ceil(ratio - slack)), along
}

// detail has the levels and filters of the lanes.
type detail struct {
	base   [state.NumLanes]int32 // LOD of the footprint
	lod    [state.NumLanes]int32 // LOD with biases
	probes [state.NumLanes]uint8 // number of samples of an anisotropic filter; 0 for a footprint of 0
	major  [2][state.NumLanes]float64
	choice [state.NumLanes]choice
	frac   [state.NumLanes]int32 // weight of the next level in units of 1/256
	warned uint64                // lanes below MIN_LOD_WARN

	uniform bool // all lanes of EXEC have the choice common
	common  choice
}

// choice is the level and the filter of a lane.
type choice uint8

const (
	levelMask choice = 15
	minifies  choice = 16 // the minification filter is used
)

// group is a set of lanes with the same level and filter.
type group struct {
	lanes uint64
	level int
	*filter
	whole bool // the group contains all lanes of EXEC
}

// group returns the lanes of mask with the same choice as the lowest one.
func (d *detail) group(l *lookup, mask, exec uint64) group {
	c, lanes := d.common, mask
	if !d.uniform {
		c, lanes = d.choice[bits.TrailingZeros64(mask)&63], 0
		for m := mask; m != 0; m &= m - 1 {
			if i := bits.TrailingZeros64(m) & 63; d.choice[i] == c {
				lanes |= 1 << i
			}
		}
	}
	return group{lanes, int(c & levelMask), &l.filters[c/minifies], lanes == exec}
}

// next returns the lanes of a group that blend two levels.
func (d *detail) next(l *lookup, lanes uint64) uint64 {
	if l.levels.mip != gcn.MipLinear {
		return 0
	}
	return simd.Fractions(&d.frac) & lanes
}

// places returns the largest number of samples of a lane in the group.
func (d *detail) places(g *group) uint8 {
	n := uint8(1)
	if g.aniso {
		for m := g.lanes; m != 0; m &= m - 1 {
			n = max(n, d.probes[bits.TrailingZeros64(m)&63])
		}
	}
	return n
}

// first sets all lanes to level 0 of the view and magnification.
func (d *detail) first() { d.frac, d.warned, d.uniform, d.common = [state.NumLanes]int32{}, 0, true, 0 }

// detail computes the LOD, level and filter of the lanes of EXEC. Source: rule LO2; rules IM3, IM12 and LO1 determine
// the LOD of each instruction.
func (x *sampling) detail() {
	d, s, parts := &x.lod, &x.levels, x.o.row.Addr
	same := 1 // number of consecutive lanes with the same LOD
	d.probes, d.warned = [state.NumLanes]uint8{}, 0
	switch {
	case parts&isa.LevelZero != 0:
		same = state.NumLanes
		d.base[0] = 0
	case parts&isa.AddrLOD != 0:
		x.o.floats(x.w, x.addr.LOD, &x.tmp)
		for i, f := range &x.tmp {
			d.base[i] = fixed(f * steps)
		}
	case parts&isa.AddrDeriv != 0:
		x.derivatives()
	default:
		x.differences()
		if parts&(isa.AddrBias|isa.AddrClamp) == 0 {
			same = 4
		}
	}
	for i := 0; i < state.NumLanes; i += same {
		d.lod[i] = d.base[i] + s.bias
	}
	if parts&isa.AddrBias != 0 {
		x.o.floats(x.w, x.addr.Bias, &x.tmp)
		for i, f := range &x.tmp {
			if f == f { // false for NaN, which becomes 0
				d.lod[i] = fixed(float64(d.lod[i]) + f*steps)
			}
		}
	}
	if parts&isa.AddrClamp != 0 { // the smallest LOD (rule K14)
		x.o.floats(x.w, x.addr.Clamp, &x.tmp)
		for i, f := range &x.tmp {
			d.lod[i] = max(d.lod[i], fixed(f*steps))
		}
	}
	if d.choose(s, same, x.exec) {
		x.w.Mode |= state.ModeLODClamped
	}
}

// choose sets level, fraction and filter of the lanes of exec. Groups of same consecutive lanes share a LOD. It
// reports whether a LOD was clamped in any lane: then MODE.LOD_CLAMPED is set (rule ST5).
func (d *detail) choose(s *levels, same int, exec uint64) (clamped bool) {
	lanes, first := uint64(1)<<same-1, -1
	var asked, lod, f int32 // values of the lanes before, since most lanes are equal
	var c choice
	var outside bool
	d.uniform = true
	for i := 0; i < state.NumLanes; i, lanes = i+same, lanes<<same {
		if exec&lanes == 0 {
			continue
		}
		if first < 0 || d.lod[i] != asked {
			asked = d.lod[i]
			lod, c, f, outside = s.choose(asked)
			clamped = clamped || outside
		}
		if s.warns && lod < s.warn {
			d.warned |= exec & lanes
		}
		if first < 0 {
			first, d.common = i, c
		}
		d.uniform = d.uniform && c == d.common
		d.choice[i], d.frac[i] = c, f
		if same == state.NumLanes && f == 0 {
			d.frac = [state.NumLanes]int32{}
			break
		}
		for j := i + 1; j < i+same; j++ {
			d.choice[j], d.frac[j] = c, f
		}
	}
	return clamped
}

// choose returns the clamped LOD, its level and filter, and the fraction towards the next level. clamped tells
// whether the LOD changed.
func (s *levels) choose(asked int32) (lod int32, c choice, f int32, clamped bool) {
	lod = max(min(asked, s.max), s.min)
	level, frac := int32(0), int32(0)
	switch s.mip {
	case gcn.MipPoint:
		level = (lod + steps/2) >> stepBits
	case gcn.MipLinear:
		level, frac = lod>>stepBits, lod&(steps-1)
	}
	clamped = lod != asked || level < 0 || level > s.last || level == s.last && frac != 0
	switch {
	case level < 0:
		level, frac = 0, 0
	case level >= s.last:
		level, frac = s.last, 0
	}
	c = choice(level)
	if lod > 0 && s.matters {
		c |= minifies
	}
	return lod, c, frac, clamped
}

// derivatives computes the LOD from derivatives in the address (_D and _CD).
func (x *sampling) derivatives() {
	for d := range x.addr.Deriv {
		for k := range x.dims {
			x.o.floats(x.w, x.addr.Deriv[d][k], &x.deriv[d][k])
		}
	}
	if x.longest == 1 && simd.LaneSquares(&x.tmp, &x.deriv, &x.levels.scale, x.dims) {
		x.lod.measureSquares(x.tmp[:], 1)
		return
	}
	for i := range state.NumLanes {
		var g gradient
		for d := range g {
			for k := range x.dims {
				g[d][k] = x.deriv[d][k][i]
			}
		}
		x.lod.measure(x.lookup, &g, i, i+1)
	}
}

// differences computes the LOD from differences between the lanes of quads, active or not: lanes 4n to 4n+3 are a 2x2
// square of pixels (rule IM12).
func (x *sampling) differences() {
	cube := x.view.Type == gcn.ImageCube
	var squares [state.NumLanes / 4]float64
	if !cube && x.longest == 1 && simd.QuadSquares(&squares, &x.coord, &x.levels.scale, x.dims) {
		x.lod.measureSquares(squares[:], 4)
		return
	}
	for q := 0; q < state.NumLanes; q += 4 {
		if x.exec>>q&15 == 0 {
			continue
		}
		var g gradient
		for k := range x.dims {
			c := (*[4]float64)(x.coord[k][q : q+4])
			g[0][k], g[1][k] = c[1]-c[0], c[2]-c[0]
		}
		for d := range g {
			if other := q + 1 + d; cube && x.slice[q]%faces != x.slice[other]%faces {
				g[d] = x.unfolded(q, other)
			}
		}
		x.lod.measure(x.lookup, &g, q, q+4)
	}
}

// measureSquares computes the LOD of lanes from squared lengths in texels, if no filter is anisotropic. Groups of
// same consecutive lanes share a LOD.
func (d *detail) measureSquares(squares []float64, same int) {
	last, lod, probes := 0.0, int32(zeroLOD), uint8(0)
	for i, v := range squares {
		if v != last { // most are equal
			last, lod, probes = v, zeroLOD, 0
			if v != 0 {
				lod, probes = log2(v), 1
			}
		}
		for j := i * same; j < (i+1)*same; j++ {
			d.base[j], d.probes[j] = lod, probes
		}
	}
}

// measure computes the LOD of lanes lo to hi-1 from the gradient of their coordinates, and their samples.
func (d *detail) measure(l *lookup, g *gradient, lo, hi int) {
	var texels gradient
	for dir := range g {
		for k := range l.dims {
			g[dir][k] = finite(g[dir][k])
			texels[dir][k] = g[dir][k] * l.levels.scale[k]
		}
	}
	lod, n, along := l.footprint(&texels)
	for i := lo; i < hi; i++ {
		d.base[i], d.probes[i] = lod, n
		if n > 1 {
			d.major[0][i], d.major[1][i] = g[along][0], g[along][1]
		}
	}
}
