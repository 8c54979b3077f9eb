package alu

import "github.com/gcnsim/gcnsim/internal/unit"

// Cube map coordinates of the direction (a, b, c) = (x, y, z). Source: CLRX,
// V_CUBEID_F32 to V_CUBETC_F32; AMD Vega ISA manual.
var cubeOps = unit.Bindings[softOp]{
	// The face: 0 and 1 are +x and -x, 2 and 3 y, 4 and 5 z.
	"v_cubeid_f32": {op: func(f format, x, y, z uint64, e env) uint64 {
		major, axis := f.major(x, y, z)
		face := uint64(2 * axis)
		if f.less(major, 0) {
			face++
		}
		return f.pack(float64Number(float64(face)), e)
	}},
	// Twice the major axis.
	"v_cubema_f32": {op: func(f format, x, y, z uint64, e env) uint64 {
		major, _ := f.major(x, y, z)
		return f.ldexp(major, 1, e)
	}},
	"v_cubesc_f32": {op: func(f format, x, y, z uint64, e env) uint64 {
		major, axis := f.major(x, y, z)
		negative := f.less(major, 0)
		switch axis {
		case 0:
			return f.flushIf(f.negateIf(z, !negative), e.flushIn)
		case 1:
			return f.flushIf(x, e.flushIn)
		}
		return f.flushIf(f.negateIf(x, negative), e.flushIn)
	}},
	"v_cubetc_f32": {op: func(f format, x, y, z uint64, e env) uint64 {
		major, axis := f.major(x, y, z)
		if axis == 1 {
			return f.flushIf(f.negateIf(z, f.less(major, 0)), e.flushIn)
		}
		return f.flushIf(f.negateIf(y, true), e.flushIn)
	}},
}

// major returns the coordinate of the largest magnitude and which it is: z before y
// before x where magnitudes are equal.
func (f format) major(x, y, z uint64) (v uint64, axis int) {
	ax, ay, az := x&^f.sign(), y&^f.sign(), z&^f.sign()
	atLeast := func(a, b uint64) bool { return f.less(b, a) || f.equal(a, b) }
	switch {
	case atLeast(az, ay) && atLeast(az, ax):
		return z, 2
	case atLeast(ay, ax):
		return y, 1
	}
	return x, 0
}

func (f format) negateIf(v uint64, negate bool) uint64 {
	if negate {
		return v ^ f.sign()
	}
	return v
}
