//go:build !purego

package simd

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// imageFunctions are the functions that image instructions use.
var imageFunctions = map[string]func(o *operands, r *rand.Rand) uint64{
	"Linear": func(o *operands, r *rand.Rand) uint64 {
		width := 1 + r.IntN(31)
		down := 32 - width
		add := []float64{0, 0.5, -math.Ldexp(1, width-1), 0.5 - math.Ldexp(1, width-1)}[r.IntN(4)]
		step := []float64{1, 1 / (math.Ldexp(1, width) - 1), 1. / (255 << 16)}[r.IntN(3)]
		low := []float64{math.Inf(-1), -1}[r.IntN(2)]
		Linear(o.reg(0), o.reg(1), uint32(r.IntN(down+1)), uint32(down), r.IntN(2) == 0, add, step, low)
		return 0
	},
	"Fraction": func(o *operands, r *rand.Rand) uint64 {
		down := 16 + r.IntN(16)
		Fraction(o.reg(0), o.reg(1), uint32(r.IntN(down+1)), uint32(down), float32(uint32(1)<<(32-down)-1))
		return 0
	},
	"ByteFractions": func(o *operands, r *rand.Rand) uint64 {
		var d [4]*Lanes
		for k, lane := range r.Perm(4)[:3] { // the fourth register is the source
			if r.IntN(4) > 0 {
				d[lane] = &o.regs[k]
			}
		}
		ByteFractions(&d, &o.regs[3], mask(r))
		return 0
	},
	"SmallFloats": func(o *operands, r *rand.Rand) uint64 {
		up := uint32([]int{0, 4, 5}[r.IntN(3)])
		if r.IntN(2) == 0 {
			o.reg(1)[r.IntN(64)] |= 0x7c00 >> up
		}
		SmallFloats(o.reg(0), o.reg(1), uint32(r.IntN(23)), up, 0xffff>>min(up, 1)&^(1<<up-1))
		return 0
	},
	"Terms": func(o *operands, r *rand.Rand) uint64 {
		x, y, _ := coordinates(o, r)
		var addr [NumLanes]uint64
		in := Terms(&addr, Term{r.Uint64(), r.Uint64()}, x, y, o.reg(1), o.reg(2))
		return hash(addr[:]...) ^ in
	},
	"Terms3": func(o *operands, r *rand.Rand) uint64 {
		x, y, z := coordinates(o, r)
		var addr [NumLanes]uint64
		in := Terms3(&addr, Term{r.Uint64(), r.Uint64()}, x, y, z, o.reg(1), o.reg(2), o.reg(3))
		return hash(addr[:]...) ^ in
	},
	"Square": func(o *operands, r *rand.Rand) uint64 {
		x, y, _ := coordinates(o, r)
		var addrs [4][NumLanes]uint64
		to := [4]*[NumLanes]uint64{&addrs[0], &addrs[1], &addrs[2], &addrs[3]}
		in := Square(&to, Term{r.Uint64(), r.Uint64()}, x, y, [2]*Lanes{o.reg(1), o.reg(2)}, [2]*Lanes{o.reg(2), o.reg(3)})
		return hash(in, hash(addrs[0][:]...), hash(addrs[1][:]...), hash(addrs[2][:]...), hash(addrs[3][:]...))
	},
	"Merge64": func(o *operands, r *rand.Rand) uint64 {
		_, d, _ := place(r)
		_, s, _ := place(r)
		Merge64(&d, &s, r.Uint64())
		return hash(d[:]...)
	},
	"Positions": func(o *operands, r *rand.Rand) uint64 {
		var u Doubles
		var pos [NumLanes]int32
		for i, v := range o.reg(1) {
			u[i] = float64(int32(v)>>12) / 1024
			if r.IntN(4) == 0 {
				u[i] = r.NormFloat64()
			}
			if v != v|1<<31 && r.IntN(4000) == 0 {
				u[i] = float64(math.Float32frombits(v))
			}
		}
		if !Positions(&pos, &u, math.Ldexp(256, r.IntN(3)), float64(r.IntN(4)*64)) {
			return 1
		}
		return hashPositions(&pos)
	},
	"Repeat": func(o *operands, r *rand.Rand) uint64 {
		Repeat(&o.regs[1], &o.regs[2], positions(o, r), sizeOf(r))
		return hash(hash64(o.regs[1][:]), hash64(o.regs[2][:]))
	},
	"Mirror": func(o *operands, r *rand.Rand) uint64 {
		Mirror(&o.regs[1], &o.regs[2], positions(o, r), sizeOf(r))
		return hash(hash64(o.regs[1][:]), hash64(o.regs[2][:]))
	},
	"Clamp": func(o *operands, r *rand.Rand) uint64 {
		a, b := Clamp(&o.regs[1], &o.regs[2], positions(o, r), sizeOf(r), r.IntN(2) == 0, r.IntN(2) == 0)
		return hash(hash64(o.regs[1][:]), hash64(o.regs[2][:]), a, b)
	},
	"Fractions": func(o *operands, r *rand.Rand) uint64 { return Fractions(positions(o, r)) },
	"Weights": func(o *operands, r *rand.Rand) uint64 {
		var a, b Doubles
		Weights(&a, &b, positions(o, r))
		return hashDoubles(&a) ^ hashDoubles(&b)<<1
	},
	"Bilinear": func(o *operands, r *rand.Rand) (h uint64) {
		words := o.regs
		for k := range words {
			if r.IntN(4) == 0 {
				Fill(&words[k], []uint32{0, 0xffffffff, 0xff00ff00, 0x00ff00ff}[r.IntN(4)])
			}
		}
		var sums [4]Lanes
		Bilinear(&sums, &words, positions(o, r), positions(o, r))
		for k := range sums {
			h = hash(h, hash64(sums[k][:]))
		}
		return h
	},
	"Canonical": func(o *operands, _ *rand.Rand) uint64 { Canonical(o.reg(1)); return 0 },
	"Widen": func(o *operands, _ *rand.Rand) uint64 {
		var d Doubles
		Widen(&d, o.reg(1))
		return hashDoubles(&d)
	},
	"Narrow": func(o *operands, r *rand.Rand) uint64 { Narrow(o.reg(0), doublesOf(r)); return 0 },
	"Products": func(_ *operands, r *rand.Rand) uint64 {
		d := new(Doubles)
		a, b := doublesOf(r), doublesOf(r)
		if r.IntN(2) == 0 {
			d = b
		}
		Products(d, a, b)
		return hashDoubles(d)
	},
	"AddFloats": func(o *operands, r *rand.Rand) uint64 {
		sum := doublesOf(r)
		AddFloats(sum, o.reg(1), doublesOf(r), r.Uint64()|-(r.Uint64()&1))
		return hashDoubles(sum)
	},
	"AddIntegers": func(o *operands, r *rand.Rand) uint64 {
		sum := doublesOf(r)
		for i := range o.reg(1) {
			o.reg(1)[i] >>= 1
		}
		AddIntegers(sum, o.reg(1), doublesOf(r), 1./(255<<16), r.Uint64()|-(r.Uint64()&1))
		return hashDoubles(sum)
	},
	"QuadSquares": func(_ *operands, r *rand.Rand) uint64 {
		var d [NumLanes / 4]float64
		coords := [3]Doubles{*doublesOf(r), *doublesOf(r), *doublesOf(r)}
		finiteOr(r, &coords)
		if !QuadSquares(&d, &coords, &[3]float64{3, 1, 0.1}, 1+r.IntN(3)) {
			return 1
		}
		return hashDoubles(&Doubles{d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7], d[8], d[9], d[10], d[11], d[12], d[13],
			d[14], d[15]})
	},
	"LaneSquares": func(_ *operands, r *rand.Rand) uint64 {
		var d Doubles
		vectors := [2][3]Doubles{{*doublesOf(r), *doublesOf(r), *doublesOf(r)}, {*doublesOf(r), *doublesOf(r), *doublesOf(r)}}
		finiteOr(r, &vectors[0])
		finiteOr(r, &vectors[1])
		if !LaneSquares(&d, &vectors, &[3]float64{3, 1, 0.1}, 1+r.IntN(3)) {
			return 1
		}
		return hashDoubles(&d)
	},
}

// finiteOr makes all numbers finite, most of the time.
func finiteOr(r *rand.Rand, coords *[3]Doubles) {
	for k := range coords {
		for i, v := range coords[k] {
			if v-v != 0 && r.IntN(64) > 0 {
				coords[k][i] = 1
			}
		}
	}
}

// sizeOf returns a number of texels.
func sizeOf(r *rand.Rand) int {
	if r.IntN(2) == 0 {
		return 1 << r.IntN(15)
	}
	return 1 + r.IntN(1<<r.IntN(15))
}

// positions returns positions within Reach, often with the steps of rows of texels.
func positions(o *operands, r *rand.Rand) *[NumLanes]int32 {
	var pos [NumLanes]int32
	down := r.IntN(31)
	for i, v := range o.reg(3) {
		pos[i] = min(max(int32(v)>>down, -Reach), Reach) + int32(r.IntN(5))*steps
	}
	return &pos
}

// doublesOf returns a register of numbers of all kinds, including NaN.
func doublesOf(r *rand.Rand) *Doubles {
	var d Doubles
	for i := range d {
		d[i] = r.NormFloat64()
		switch r.IntN(16) {
		case 0:
			d[i] = []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.MaxFloat32, 0x1p-140, 0x1.000001p0,
				0x1.000003p0}[r.IntN(8)]
		case 1:
			d[i] = math.Ldexp(d[i], r.IntN(300)-150)
		}
	}
	return &d
}

// hashDoubles returns a hash in which all NaNs are equal.
func hashDoubles(d *Doubles) (h uint64) {
	for _, v := range d {
		if v != v {
			v = math.NaN()
		}
		h = hash(h, math.Float64bits(v))
	}
	return h
}

func hashPositions(pos *[NumLanes]int32) (h uint64) {
	for _, q := range pos {
		h = hash(h, uint64(uint32(q)))
	}
	return h
}

// coordinates returns tables of terms, and changes most coordinates in o to be within the tables.
func coordinates(o *operands, r *rand.Rand) (x, y, z []Term) {
	tables := [3][]Term{}
	for k := range tables {
		tables[k] = make([]Term, 1+r.IntN(70))
		for i := range tables[k] {
			tables[k][i] = Term{r.Uint64(), r.Uint64()}
		}
		for i := range o.reg(k + 1) {
			if r.IntN(8) > 0 {
				o.reg(k + 1)[i] = uint32(r.IntN(len(tables[k])))
			}
		}
	}
	return tables[0], tables[1], tables[2]
}

func TestVectorImages(t *testing.T) { testSwitched(t, imageFunctions) }

// The fraction of every byte is the quotient, and lanes outside of the mask do not change.
func TestByteFractions(t *testing.T) {
	for mask := range uint64(2) {
		mask = 0x5555555555555555 | -mask
		for code := 0; code < 256; code += NumLanes {
			var d, s Lanes
			for i := range s {
				s[i] = uint32(code+i) * 0x01010101
			}
			for c := range 4 {
				var regs [4]*Lanes
				regs[c] = &d
				ByteFractions(&regs, &s, mask)
				for i, v := range s {
					require.Equal(t, float32(v&0xff)/255*float32(mask>>i&1), math.Float32frombits(d[i]))
				}
			}
		}
	}
}

// The fraction of every code is the quotient.
func TestFractions(t *testing.T) {
	for width := 1; width <= 16; width++ {
		top := float32(uint32(1)<<width - 1)
		for code := 0; code < 1<<width; code += NumLanes {
			var d, s Lanes
			for i := range s {
				s[i] = uint32(code + i)
			}
			Fraction(&d, &s, uint32(32-width), uint32(32-width), top)
			for i, c := range s {
				require.Equal(t, float32(c&(1<<width-1))/top, math.Float32frombits(d[i]))
			}
		}
	}
}
