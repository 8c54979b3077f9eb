package record

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/gcnsim/gcnsim/state"
)

// Codes for the new values of a register in the lanes of a mask. The writer uses the first of the codes with a fixed
// number of values that fits, else the shortest of the others.
const (
	lanesUniform = iota // one value for all lanes
	lanesLinear         // a value and a step: v = value + step*lane
	lanesAdded          // the same, added to the old value of the lane
	lanesGrid           // a shift, a value and two steps: v = value + x*(lane mod 2^shift) + y*(lane >> shift)
	lanesFloats         // two floats: v = value + step*lane, computed as a float
	lanesPeriod         // a shift and 2^shift values, which repeat
	lanesDeltas         // the difference between each lane and the lane before
	lanesXor            // the XOR of each lane with its old value
	lanesRaw            // all lowest bytes, then all second bytes, and so on
)

// appendLanes appends the new values v of the lanes of mask. old has their old values.
func appendLanes(b []byte, v, old *state.Lanes, mask uint64) []byte {
	if mask == 0 {
		return append(b, lanesUniform, 0)
	}
	first := bits.TrailingZeros64(mask)
	if base, step, ok := linear(v, mask); ok {
		if step == 0 {
			return binary.AppendUvarint(append(b, lanesUniform), uint64(base))
		}
		return appendSigned(binary.AppendUvarint(append(b, lanesLinear), uint64(base)), step)
	}
	var diff state.Lanes
	for i := range v {
		diff[i] = v[i] - old[i]
	}
	if base, step, ok := linear(&diff, mask); ok {
		return appendSigned(appendSigned(append(b, lanesAdded), int32(base)), step)
	}
	if grid, ok := appendGrid(b, v, mask); ok {
		return grid
	}
	if f, step, ok := floats(v, mask, first); ok {
		b = binary.LittleEndian.AppendUint32(append(b, lanesFloats), math.Float32bits(f))
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(step))
	}
	n := len(b)
	b = appendRaw(b, v, mask)
	for _, other := range [...][]byte{appendDeltas(nil, v, mask), appendXor(nil, v, old, mask),
		appendPeriod(nil, v, mask)} {
		if other != nil && len(other) < len(b)-n {
			b = append(b[:n], other...)
		}
	}
	return b
}

func appendSigned(b []byte, v int32) []byte { return binary.AppendVarint(b, int64(v)) }

// linear reports whether lanes are base + step*lane.
func linear(v *state.Lanes, mask uint64) (base uint32, step int32, ok bool) {
	first := bits.TrailingZeros64(mask)
	rest := mask & (mask - 1)
	if rest == 0 {
		return v[first], 0, true
	}
	second := bits.TrailingZeros64(rest)
	d, n := int32(v[second]-v[first]), int32(second-first)
	if d%n != 0 {
		return 0, 0, false
	}
	step = d / n
	base = v[first] - uint32(step)*uint32(first)
	for m := rest; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m) & 63
		if v[i] != base+uint32(step)*uint32(i) {
			return 0, 0, false
		}
	}
	return base, step, true
}

// appendGrid appends lanes that consist of groups of 2 to 32, all with the same steps.
func appendGrid(b []byte, v *state.Lanes, mask uint64) ([]byte, bool) {
	if mask != state.FullExec {
		return b, false
	}
	for shift := range 5 {
		width := 2 << shift
		x, y := int32(v[1]-v[0]), int32(v[width]-v[0])
		fits := true
		for i := range v {
			if v[i] != v[0]+uint32(x)*uint32(i%width)+uint32(y)*uint32(i/width) {
				fits = false
				break
			}
		}
		if fits {
			b = binary.AppendUvarint(append(b, lanesGrid, byte(shift+1)), uint64(v[0]))
			return appendSigned(appendSigned(b, x), y), true
		}
	}
	return b, false
}

// floats reports whether lanes are base + step*lane, computed as floats.
func floats(v *state.Lanes, mask uint64, first int) (base, step float32, ok bool) {
	rest := mask & (mask - 1)
	second := bits.TrailingZeros64(rest)
	a, b := float64(math.Float32frombits(v[first])), float64(math.Float32frombits(v[second]))
	step = float32((b - a) / float64(second-first))
	base = float32(a - float64(step)*float64(first))
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m) & 63
		if v[i] != floatAt(base, step, i) {
			return 0, 0, false
		}
	}
	return base, step, true
}

// floatAt uses float64, so that every reader computes the same values.
func floatAt(base, step float32, lane int) uint32 {
	product := float64(step) * float64(lane)
	return math.Float32bits(float32(float64(base) + product))
}

func appendPeriod(b []byte, v *state.Lanes, mask uint64) []byte {
	for shift := 1; shift <= 5; shift++ {
		n := 1 << shift
		var values [32]uint32
		var known uint32
		fits := true
		for m := mask; m != 0 && fits; m &= m - 1 {
			i := bits.TrailingZeros64(m) & 63
			at := i % n
			if known>>at&1 != 0 {
				fits = values[at] == v[i]
			}
			values[at], known = v[i], known|1<<at
		}
		if !fits {
			continue
		}
		b = append(b, lanesPeriod, byte(shift))
		last := uint32(0)
		for _, x := range values[:n] {
			b, last = appendSigned(b, int32(x-last)), x
		}
		return b
	}
	return nil
}

func appendDeltas(b []byte, v *state.Lanes, mask uint64) []byte {
	b = append(b, lanesDeltas)
	last := uint32(0)
	for m := mask; m != 0; m &= m - 1 {
		x := v[bits.TrailingZeros64(m)&63]
		b, last = appendSigned(b, int32(x-last)), x
	}
	return b
}

func appendXor(b []byte, v, old *state.Lanes, mask uint64) []byte {
	b = append(b, lanesXor)
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m) & 63
		b = binary.AppendUvarint(b, uint64(v[i]^old[i]))
	}
	return b
}

func appendRaw(b []byte, v *state.Lanes, mask uint64) []byte {
	b = append(b, lanesRaw)
	for shift := 0; shift < 32; shift += 8 {
		for m := mask; m != 0; m &= m - 1 {
			b = append(b, byte(v[bits.TrailingZeros64(m)&63]>>shift))
		}
	}
	return b
}

// lanes decodes the new values of the lanes of mask into v, which has the old values.
func (r *reader) lanes(v *state.Lanes, mask uint64) { r.lanesBy(r.byte(), v, mask) }

// lanesBy decodes lanes that are written with code way.
func (r *reader) lanesBy(way byte, v *state.Lanes, mask uint64) {
	each := func(f func(lane int) uint32) {
		for m := mask; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m) & 63
			v[i] = f(i)
		}
	}
	switch way {
	case lanesUniform:
		x := uint32(r.uint())
		each(func(int) uint32 { return x })
	case lanesLinear:
		x, step := uint32(r.uint()), uint32(r.int())
		each(func(i int) uint32 { return x + step*uint32(i) })
	case lanesAdded:
		x, step := uint32(r.int()), uint32(r.int())
		each(func(i int) uint32 { return v[i] + x + step*uint32(i) })
	case lanesGrid:
		shift := r.byte() & 31
		base, x, y := uint32(r.uint()), uint32(r.int()), uint32(r.int())
		each(func(i int) uint32 { return base + x*(uint32(i)&(1<<shift-1)) + y*(uint32(i)>>shift) })
	case lanesFloats:
		x, step := math.Float32frombits(r.uint32()), math.Float32frombits(r.uint32())
		each(func(i int) uint32 { return floatAt(x, step, i) })
	case lanesPeriod:
		n := 1 << (r.byte() & 7)
		values, last := make([]uint32, n), uint32(0)
		for i := range values {
			last += uint32(r.int())
			values[i] = last
		}
		each(func(i int) uint32 { return values[i%n] })
	case lanesDeltas:
		last := uint32(0)
		each(func(int) uint32 { last += uint32(r.int()); return last })
	case lanesXor:
		each(func(i int) uint32 { return v[i] ^ uint32(r.uint()) })
	case lanesRaw:
		each(func(int) uint32 { return 0 })
		for shift := 0; shift < 32; shift += 8 {
			each(func(i int) uint32 { return v[i] | uint32(r.byte())<<shift })
		}
	default:
		r.fail("the record encodes lanes in form %d, which this version does not know", way)
	}
}
