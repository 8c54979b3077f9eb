//go:build !purego

package simd

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// imageFunctions are those that image instructions are made of.
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
	"Merge64": func(o *operands, r *rand.Rand) uint64 {
		_, d, _ := place(r)
		_, s, _ := place(r)
		Merge64(&d, &s, r.Uint64())
		return hash(d[:]...)
	},
}

// coordinates returns tables of terms, and makes most coordinates in o be in them.
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

// Every code of a fraction is the quotient.
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
