package mimg

import (
	"math"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/state"
)

// levels is what a sampler and a view say of the level of detail (LOD), which is in 1/256
// and relative to BASE_LEVEL.
type levels struct {
	bias     int32
	min, max int32
	least    int32 // MIN_LOD of the T#
	fixed    bool  // which does not count (GATHER4_LZ)
	warn     int32 // MIN_LOD_WARN
	warns    bool
	last     int32 // level of the view
	scale    [3]float64
	matters  bool // which level and which filter are used depends on the LOD
}

// perfScales is what PERF_MOD scales LOD_BIAS_SEC by, in 1/16 (rule LO2).
var perfScales = [8]int32{0, 2, 5, 7, 9, 11, 14, 16}

// newLevels returns the limits of the LOD. Source: rule LO2; the larger of the two MIN_LOD
// counts.
func (s *sampler) newLevels(o *op) levels {
	v := s.asked
	base := int32(v.firstLevel()) * steps
	l := levels{
		bias: int32(s.LODBias*steps) + int32(s.LODBiasSec*16)*perfScales[v.PerfMod&7]>>4*(steps/16),
		min:  int32(s.MinLOD * steps), max: int32(s.MaxLOD * steps), warn: int32(v.MinLODWarn*steps) - base, warns: o.lwe && v.MinLODWarn > 0,
		last: int32(v.levels - 1), scale: [3]float64{1, 1, 1},
	}
	l.fixed, l.least = o.row.Has(gcn.Gathers) && o.row.Addr&gcn.LevelZero != 0, int32(v.MinLOD*steps)-base
	if !l.fixed {
		l.min = max(l.min, l.least)
	}
	if !s.texels {
		l.scale = [3]float64{float64(v.size[0].x), float64(v.size[0].y), float64(v.size[0].z)}
	}
	l.matters = s.mip != mipNone && l.last > 0 || s.linear[0] != s.linear[1] || s.linearZ[0] != s.linearZ[1] || s.aniso != [2]bool{}
	return l
}

// gradient is how coordinates change along h and v: as they are, or in texels of level
// BASE_LEVEL.
type gradient [2][3]float64

// finite returns v, 0 for NaN and for infinities the largest number (rules CO2 and LO1).
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

// square returns the square of the length of one of the two vectors.
func (g *gradient) square(d int) float64 {
	v := &g[d]
	return float64(v[0]*v[0]) + float64(v[1]*v[1]) + float64(v[2]*v[2])
}

// zeroLOD is the LOD of a gradient of 0 (rule LO1).
const zeroLOD = -32 * steps

// log2 returns the LOD of a footprint whose square of the length is v: half of its binary
// logarithm, rounded to nearest.
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

// logSteps holds from which mantissa on a logarithm rounds to n+1 steps of 1/128 or more;
// logGuess what it is at least, by the upper 8 bits of the mantissa.
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

// fixed rounds v to nearest even; NaN is 0.
func fixed(v float64) int32 {
	const limit = 1 << 20 // far beyond all clamps
	if v != v {
		return 0
	}
	return int32(math.RoundToEven(min(max(v, -limit), limit)))
}

// footprint returns the LOD of a gradient and, of anisotropic filters, in how many places
// to sample along which of the two vectors of the gradient; 0 of a gradient of 0. It is
// the ideal model: the longer vector is the major axis, the area over it the minor one.
// Source: rules LO1 and LO3.
func (s *sampler) footprint(g *gradient) (lod int32, probes uint8, along int) {
	h, v := g.square(0), g.square(1)
	long := max(h, v)
	switch {
	case long == 0:
		return zeroLOD, 0, 0
	case s.maxRatio == 1:
		return log2(long), 1, 0
	case v > h:
		along = 1
	}
	ratio := s.maxRatio
	if area := math.Abs(float64(g[0][0]*g[1][1]) - float64(g[0][1]*g[1][0])); long < ratio*area {
		ratio = long / area
	}
	lod = log2(long / (ratio * ratio))
	if short := math.Sqrt(long) / ratio; short < 1 { // the footprint is no longer than ratio in texels
		ratio = max(1, ratio*short)
	}
	const slack = 1e-9 // of the quotients above
	return lod, uint8(math.Ceil(ratio - slack)), along
}

// detail sets the LOD, level and filter of the lanes of EXEC. Source: rule LO2, and which
// instruction takes which LOD: 1.3, 1.12 and 4.1.
func (x *sampling) detail(l *gcn.ImageAddr) {
	s, parts := &x.s.levels, x.o.row.Addr
	same := 1 // lanes that have the same LOD
	x.probes = [state.NumLanes]uint8{}
	switch {
	case parts&gcn.LevelZero != 0:
		same = state.NumLanes
		x.base[0] = 0
	case parts&gcn.AddrLOD != 0:
		x.o.floats(x.w, l.LOD, &x.tmp)
		for i, f := range &x.tmp {
			x.base[i] = fixed(f * steps)
		}
	case parts&gcn.AddrDeriv != 0:
		x.derivatives(l)
	default:
		x.differences()
		if parts&(gcn.AddrBias|gcn.AddrClamp) == 0 {
			same = 4
		}
	}
	for i := 0; i < state.NumLanes; i += same {
		x.lod[i] = x.base[i] + s.bias
	}
	if parts&gcn.AddrBias != 0 {
		x.o.floats(x.w, l.Bias, &x.tmp)
		for i, f := range &x.tmp {
			if f == f { // NaN is 0
				x.lod[i] = fixed(float64(x.lod[i]) + f*steps)
			}
		}
	}
	if parts&gcn.AddrClamp != 0 { // the least LOD (rule K14)
		x.o.floats(x.w, l.Clamp, &x.tmp)
		for i, f := range &x.tmp {
			x.lod[i] = max(x.lod[i], fixed(f*steps))
		}
	}
	lanes, first := uint64(1)<<same-1, -1
	x.uniform = true
	for i := 0; i < state.NumLanes; i, lanes = i+same, lanes<<same {
		if x.exec&lanes == 0 {
			continue
		}
		d, outside := x.choose(i)
		if outside {
			x.w.Mode |= state.ModeLODClamped
		}
		if s.warns && d < s.warn {
			x.warned |= x.exec & lanes
		}
		if first < 0 {
			first = i
		}
		x.uniform = x.uniform && x.choice[i] == x.choice[first]
		c, f := x.choice[i], x.frac[i]
		if same == state.NumLanes && f == 0 {
			x.frac = [state.NumLanes]uint8{}
			break
		}
		for j := i + 1; j < i+same; j++ {
			x.choice[j], x.frac[j] = c, f
		}
	}
	x.common = x.choice[max(first, 0)]
}

// choice is the level and the filter that a lane uses.
type choice uint8

const (
	levelMask choice = 15
	minifies  choice = 16 // the filter is that of minification
)

// choose clamps the LOD of a lane, which it returns, and sets level, fraction and filter.
// clamped tells whether another LOD was asked for: then MODE.LOD_CLAMPED is set, of which
// Rule ST5 says no more.
func (x *sampling) choose(i int) (d int32, clamped bool) {
	s := &x.s.levels
	d = max(min(x.lod[i], s.max), s.min)
	level, frac := int32(0), int32(0)
	switch x.s.mip {
	case mipPoint:
		level = (d + steps/2) >> stepBits
	case mipLinear:
		level, frac = d>>stepBits, d&(steps-1)
	}
	clamped = d != x.lod[i] || level < 0 || level > s.last || level == s.last && frac != 0
	switch {
	case level < 0:
		level, frac = 0, 0
	case level >= s.last:
		level, frac = s.last, 0
	}
	x.choice[i], x.frac[i] = choice(level), uint8(frac)
	if d > 0 && x.s.levels.matters {
		x.choice[i] |= minifies
	}
	return d, clamped
}

// derivatives takes the LOD from derivatives in the address (_D and _CD).
func (x *sampling) derivatives(l *gcn.ImageAddr) {
	for d := range l.Deriv {
		for k := range x.dims {
			x.o.floats(x.w, l.Deriv[d][k], &x.deriv[d][k])
		}
	}
	for i := range state.NumLanes {
		var g gradient
		for d := range g {
			for k := range x.dims {
				g[d][k] = x.deriv[d][k][i]
			}
		}
		x.measure(&g, i, i+1)
	}
}

// differences takes the LOD from differences between the lanes of quads, whether or not
// EXEC has them: lanes 4n to 4n+3 are a square of pixels (rule IM12).
func (x *sampling) differences() {
	cube := x.s.view.Type == gcn.ImageCube
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
		x.measure(&g, q, q+4)
	}
}

// measure sets the LOD of lanes lo to hi-1 from the gradient of their coordinates, and
// where they sample.
func (x *sampling) measure(g *gradient, lo, hi int) {
	var texels gradient
	for d := range g {
		for k := range x.dims {
			g[d][k] = finite(g[d][k])
			texels[d][k] = g[d][k] * x.s.levels.scale[k]
		}
	}
	lod, n, along := x.s.footprint(&texels)
	for i := lo; i < hi; i++ {
		x.base[i], x.probes[i] = lod, n
		if n > 1 {
			x.major[0][i], x.major[1][i] = g[along][0], g[along][1]
		}
	}
}
