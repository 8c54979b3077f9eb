package alu

import (
	"maps"
	"math"
)

// References of the float32 operations for which package simd has its own code. They use package math, lane by lane.

func init() {
	maps.Copy(byName, map[string]floatRef{
		"v_exp_f32": flushedApprox(exp2Ref), "v_exp_legacy_f32": flushedApprox(exp2Ref),
		"v_log_f32": flushedApprox(math.Log2), "v_log_legacy_f32": flushedApprox(math.Log2),
		"v_sin_f32":       withoutIEEE(sameAs(approx(sineOfTurns)), 0),
		"v_cos_f32":       withoutIEEE(sameAs(approx(cosineOfTurns)), 0),
		"v_div_fixup_f32": withoutIEEE(sameAs(format.divFixup), 2, 1),
		"v_div_fixup_f64": withoutIEEE(sameAs(format.divFixup), 2, 1),
		"v_cubema_f32":    sameAs(cubeMajor),
		"v_cubeid_f32": sameAs(func(f format, x, y, z uint64, e env) uint64 {
			major := f.major(x, y, z)
			face := map[int]uint64{axisX: 0, axisY: 2, axisZ: 4}[axisRef(f, x, y, z)]
			if f.less(major, 0) {
				face++
			}
			return f.nearest(float64(face), e)
		}),
		"v_cubesc_f32": sameAs(func(f format, x, y, z uint64, e env) uint64 {
			v, negative := x, f.less(f.major(x, y, z), 0)
			switch axis := axisRef(f, x, y, z); {
			case axis == axisX && !negative:
				v = z ^ f.sign()
			case axis == axisX:
				v = z
			case axis == axisZ && negative:
				v ^= f.sign()
			}
			return f.flushIf(v, e.flushIn)
		}),
		"v_cubetc_f32": sameAs(func(f format, x, y, z uint64, e env) uint64 {
			v := y ^ f.sign()
			if axisRef(f, x, y, z) == axisY {
				if v = z; f.less(y, 0) {
					v ^= f.sign()
				}
			}
			return f.flushIf(v, e.flushIn)
		}),
	})
}

// sameAs returns the reference of an operation that exists for every format.
func sameAs(op func(f format, a, b, c uint64, e env) uint64) floatRef {
	return func(f format, a, b, c uint64, e env, _ refLane) uint64 { return op(f, a, b, c, e) }
}

func exp2Ref(x float64) float64 {
	if x < -126 {
		return 0
	}
	return math.Exp2(x)
}

const (
	axisX = iota
	axisY
	axisZ
)

// axisRef returns the index of the coordinate with the largest magnitude; the last one if several are equal.
func axisRef(f format, x, y, z uint64) int {
	ax, ay, az := x&^f.sign(), y&^f.sign(), z&^f.sign()
	switch {
	case cmpRef(f, az, ay)|1 == 1 && cmpRef(f, az, ax)|1 == 1: // the comparison is 0 or 1
		return axisZ
	case cmpRef(f, ay, ax)|1 == 1:
		return axisY
	}
	return axisX
}
