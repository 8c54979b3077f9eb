package ir

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"strings"
)

// call computes a call of an intrinsic.
func (m *machine) call(f []string) (*value, error) {
	var in []*value
	for _, a := range argForm.FindAllStringSubmatch(strings.TrimPrefix(f[3], buffer+", "), -1) {
		_, v, err := m.operands(a[1], a[2])
		if err != nil {
			return nil, err
		}
		in = append(in, v...)
	}
	result, err := typeOf(f[1])
	if err != nil {
		return nil, err
	}
	name, ofAMDGCN := strings.CutPrefix(f[2], "amdgcn.")
	if !ofAMDGCN {
		name, _, _ = strings.Cut(name, ".") // the suffix is the type
	}
	if op, known := lanewise[name]; known && len(in) == op.operands {
		t := in[0].typ
		return m.each(result, in[:op.values()], func(v []uint64) (uint64, bool) { return op.f(t, v), true }), nil
	}
	if op, known := ofFloats[name]; known && len(in) == op.operands {
		if op.orders && m.zeros(in) {
			return nil, undefined("%s: which zero it is is not defined", name)
		}
		return m.floats(result, in, op.f)
	}
	if op, known := acrossLanes[name]; known && len(in) == op.operands {
		return op.f(m, result, in)
	}
	return nil, fmt.Errorf("no such intrinsic")
}

// onIntegers is an intrinsic on integers that is computed lane by lane.
type onIntegers struct {
	operands int
	flag     bool // the last operand is a flag that allows poison; the generator always writes false
	f        func(t typ, v []uint64) uint64
}

// values returns the number of operands that are values.
func (op *onIntegers) values() int {
	if op.flag {
		return op.operands - 1
	}
	return op.operands
}

// saturated clamps a number to the range of a type.
func saturated(t typ, signed bool, wide int64) uint64 {
	least, most := int64(0), int64(t.mask())
	if signed {
		least, most = -1<<(t.bits-1), 1<<(t.bits-1)-1
	}
	return uint64(min(max(wide, least), most))
}

// bitField returns offset and width of a bit field, with the operands of v_bfe.
func bitField(v []uint64) (offset, width uint64) { return v[1] & 31, v[2] & 31 }

// lanewise are intrinsics on integers, by name. The saturating ones are for types of at most 32 bits.
var lanewise = map[string]onIntegers{
	"umin":       {2, false, func(_ typ, v []uint64) uint64 { return min(v[0], v[1]) }},
	"umax":       {2, false, func(_ typ, v []uint64) uint64 { return max(v[0], v[1]) }},
	"smin":       {2, false, func(t typ, v []uint64) uint64 { return uint64(min(t.signed(v[0]), t.signed(v[1]))) }},
	"smax":       {2, false, func(t typ, v []uint64) uint64 { return uint64(max(t.signed(v[0]), t.signed(v[1]))) }},
	"abs":        {2, true, func(t typ, v []uint64) uint64 { return uint64(max(t.signed(v[0]), -t.signed(v[0]))) }},
	"ctpop":      {1, false, func(_ typ, v []uint64) uint64 { return uint64(bits.OnesCount64(v[0])) }},
	"ctlz":       {2, true, func(t typ, v []uint64) uint64 { return uint64(bits.LeadingZeros64(v[0]) - 64 + t.bits) }},
	"cttz":       {2, true, func(t typ, v []uint64) uint64 { return uint64(min(bits.TrailingZeros64(v[0]), t.bits)) }},
	"bitreverse": {1, false, func(t typ, v []uint64) uint64 { return bits.Reverse64(v[0]) >> (64 - t.bits) }},
	"bswap":      {1, false, func(t typ, v []uint64) uint64 { return bits.ReverseBytes64(v[0]) >> (64 - t.bits) }},
	"fshl": {3, false, func(t typ, v []uint64) uint64 {
		n := v[2] % uint64(t.bits)
		return v[0]<<n | v[1]>>(uint64(t.bits)-n)
	}},
	"fshr": {3, false, func(t typ, v []uint64) uint64 {
		n := v[2] % uint64(t.bits)
		return v[0]<<(uint64(t.bits)-n) | v[1]>>n
	}},
	"uadd": {2, false, func(t typ, v []uint64) uint64 { return saturated(t, false, int64(v[0])+int64(v[1])) }},
	"usub": {2, false, func(t typ, v []uint64) uint64 { return saturated(t, false, int64(v[0])-int64(v[1])) }},
	"sadd": {2, false, func(t typ, v []uint64) uint64 { return saturated(t, true, t.signed(v[0])+t.signed(v[1])) }},
	"ssub": {2, false, func(t typ, v []uint64) uint64 { return saturated(t, true, t.signed(v[0])-t.signed(v[1])) }},
	"ubfe.i32": {3, false, func(_ typ, v []uint64) uint64 {
		offset, width := bitField(v)
		return v[0] >> offset & (1<<width - 1)
	}},
	"sbfe.i32": {3, false, func(_ typ, v []uint64) uint64 {
		offset, width := bitField(v)
		if width == 0 {
			return 0
		}
		width = min(width, 32-offset) // the field ends with the dword
		return uint64(int64(v[0]>>offset<<(64-width)) >> (64 - width))
	}},
	"mul.u24": {2, false, func(_ typ, v []uint64) uint64 { return v[0] & 0xffffff * (v[1] & 0xffffff) }},
	"mul.i24": {2, false, func(_ typ, v []uint64) uint64 {
		i24 := typ{24, false, 1}
		return uint64(i24.signed(v[0]) * i24.signed(v[1]))
	}},
	"alignbyte": {3, false, func(_ typ, v []uint64) uint64 { return (v[0]<<32 | v[1]) >> (8 * (v[2] & 3)) }},
	"perm": {3, false, func(_ typ, v []uint64) (r uint64) {
		for i := range 4 {
			selects, of, b := v[2]>>(8*i)&0xff, v[0]<<32|v[1], uint64(0xff)
			switch {
			case selects < 8:
				b = of >> (8 * selects) & 0xff
			case selects < 12: // the selector replicates a sign bit
				b = uint64(int64(of<<(8*(11-selects)*2))>>63) & 0xff
			case selects == 12:
				b = 0
			}
			r |= b << (8 * i)
		}
		return r
	}},
	"sad.u8": {3, false, func(_ typ, v []uint64) uint64 {
		sum := v[2]
		for i := range 4 {
			a, b := v[0]>>(8*i)&0xff, v[1]>>(8*i)&0xff
			sum += max(a, b) - min(a, b)
		}
		return sum
	}},
}

// floating is an intrinsic on floats that is computed lane by lane.
type floating struct {
	operands int
	f        func(v []float64) float64
	orders   bool // the result is one of the operands, so 0 and -0 must not both occur
}

// zeros reports whether an active lane has both a 0 and a -0.
func (m *machine) zeros(in []*value) bool {
	for lane := range m.lanes {
		var signs [2]bool
		for _, v := range in {
			for i := range v.typ.n {
				if f := toFloat(v.typ, v.v[i][lane]); f == 0 {
					signs[v.v[i][lane]>>(v.typ.bits-1)] = true
				}
			}
		}
		if signs[0] && signs[1] {
			return true
		}
	}
	return false
}

// ofFloats are intrinsics on floats, by name.
var ofFloats = map[string]floating{
	"fabs":     {1, func(v []float64) float64 { return math.Abs(v[0]) }, false},
	"floor":    {1, func(v []float64) float64 { return math.Floor(v[0]) }, false},
	"ceil":     {1, func(v []float64) float64 { return math.Ceil(v[0]) }, false},
	"trunc":    {1, func(v []float64) float64 { return math.Trunc(v[0]) }, false},
	"rint":     {1, func(v []float64) float64 { return math.RoundToEven(v[0]) }, false},
	"copysign": {2, func(v []float64) float64 { return math.Copysign(v[0], v[1]) }, false},
	"minnum":   {2, func(v []float64) float64 { return number(v, math.Min) }, true},
	"maxnum":   {2, func(v []float64) float64 { return number(v, math.Max) }, true},
	"fmed3.f32": {3, func(v []float64) float64 {
		return max(min(v[0], v[1]), min(max(v[0], v[1]), v[2]))
	}, true},
}

// number returns op's result. If one operand is a NaN, the result is the other one.
func number(v []float64, op func(a, b float64) float64) float64 {
	switch {
	case math.IsNaN(v[0]):
		return v[1]
	case math.IsNaN(v[1]):
		return v[0]
	}
	return op(v[0], v[1])
}

// acrossLanes are intrinsics that read other lanes. The value of an inactive lane is undefined.
var acrossLanes = map[string]struct {
	operands int
	f        func(m *machine, result typ, in []*value) (*value, error)
}{
	"readfirstlane": {1, func(m *machine, t typ, in []*value) (*value, error) {
		return m.readLane(t, in[0], bits.TrailingZeros64(m.active))
	}},
	"readlane": {2, func(m *machine, t typ, in []*value) (*value, error) {
		return m.readLane(t, in[0], int(in[1].v[0][bits.TrailingZeros64(m.active)]&63))
	}},
	"ballot.i64": {1, func(m *machine, t typ, in []*value) (*value, error) {
		if in[0].poison&m.active != 0 {
			return nil, undefined("a ballot of poison")
		}
		var all uint64
		for lane := range m.lanes {
			all |= in[0].v[0][lane] << lane
		}
		return m.all(t, all), nil
	}},
	"ds.swizzle": {2, func(m *machine, t typ, in []*value) (*value, error) {
		imm := int(in[1].v[0][0])
		return m.gather(t, in[0], func(lane int) int { return lane&32 | (lane&imm&31 | imm>>5&31) ^ imm>>10&31 })
	}},
	"update.dpp.i32": {6, func(m *machine, t typ, in []*value) (*value, error) { // quad_perm, and row_ror
		return m.gather(t, in[1], func(lane int) int {
			if imm := int(in[2].v[0][0]); imm > 0xff {
				return lane&^15 | (lane-imm)&15
			} else {
				return lane&^3 | imm>>(2*(lane&3))&3
			}
		})
	}},
	"raw.buffer.load.i32": {3, func(m *machine, t typ, in []*value) (*value, error) {
		return m.each(t, in[:1], func(v []uint64) (word uint64, ok bool) {
			if at := v[0]; at+4 <= uint64(len(m.input)) {
				word = uint64(binary.LittleEndian.Uint32(m.input[at:]))
			}
			return word, true
		}), nil
	}},
	"mbcnt.lo": {2, func(m *machine, t typ, in []*value) (*value, error) { return m.count(t, in, 0) }},
	"mbcnt.hi": {2, func(m *machine, t typ, in []*value) (*value, error) { return m.count(t, in, 32) }},
}

// all returns v in all lanes.
func (m *machine) all(t typ, v uint64) *value {
	r := &value{typ: t}
	for lane := range Lanes {
		r.v[0][lane] = v & t.mask()
	}
	return r
}

// gather returns in each lane the value of another lane.
func (m *machine) gather(t typ, in *value, from func(lane int) int) (*value, error) {
	r := &value{typ: t}
	for lane := range m.lanes {
		if source := from(lane); (m.active&^in.poison)>>source&1 == 0 {
			return nil, undefined("lane %d, which is read, has no value", source)
		} else {
			r.v[0][lane] = in.v[0][source]
		}
	}
	return r, nil
}

// readLane returns in all lanes the value of one lane.
func (m *machine) readLane(t typ, in *value, lane int) (*value, error) {
	if in.typ.n != 1 || (m.active&^in.poison)>>lane&1 == 0 {
		return nil, undefined("lane %d, which is read, has no value", lane)
	}
	return m.all(t, in.v[0][lane]), nil
}

// count counts the set bits of a mask for the lanes from first up to, and excluding, the lane itself.
func (m *machine) count(t typ, in []*value, first int) (*value, error) {
	lane := 0
	r := m.each(t, in, func(v []uint64) (uint64, bool) { return v[1], true })
	for lane = range m.lanes {
		below := min(max(lane-first, 0), 32)
		mask := in[0].v[0][lane] & (1<<below - 1)
		r.v[0][lane] = (in[1].v[0][lane] + uint64(bits.OnesCount64(mask))) & t.mask()
	}
	return r, nil
}
