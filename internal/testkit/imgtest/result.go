package imgtest

import (
	"fmt"
	"math"
	"math/bits"
)

// Diff compares the result of another implementation with the result of [Call.Run] and describes the first
// difference. It returns "" if no difference matters: all NaNs are equal, results from several texels may differ by
// rounding errors of sums, and lanes whose LOD is a rounding tie are ignored.
func (r *Result) Diff(want, got *Call) string {
	for i := range want.VData {
		for lane := range 64 {
			w, g := want.VData[i][lane], got.VData[i][lane]
			if w == g || r.Fragile>>lane&1 != 0 || r.close(want, i, lane, g) {
				continue
			}
			return fmt.Sprintf("VDATA %d of lane %d is %08x (%g), the model says %08x (%g), of %d texels at %x\n%s", i, lane,
				g, value(g), w, value(w),
				r.Weights[lane], r.Texels[lane], want.lane(lane))
		}
	}
	for i, w := range want.Mem.Bytes {
		if g := got.Mem.Bytes[i]; g != w {
			return fmt.Sprintf("byte 0x%x is %02x, the model says %02x", want.Mem.Base+uint64(i), g, w)
		}
	}
	return ""
}

// close reports whether register i of a lane is close enough to the model's.
func (r *Result) close(want *Call, i, lane int, g uint32) bool {
	w := want.VData[i][lane]
	img := want.T.Fields(want.Target.Gen())
	f, _ := newTexels(want.Target, img.DataFormat, img.NumFormat)
	if i >= want.DataVGPRs() || f == nil || f.integer() {
		return false
	}
	if !want.D16 {
		return r.near(want, i, lane, value(w), value(g), 24)
	}
	if !want.packs() {
		return w>>16 == g>>16 && r.near(want, i, lane, value(widen16(w)), value(widen16(g)), 11)
	}
	low := r.near(want, 2*i, lane, value(widen16(w&0xffff)), value(widen16(g&0xffff)), 11)
	high := r.near(want, 2*i+1, lane, value(widen16(w>>16)), value(widen16(g>>16)), 11)
	return low && high || low && w>>16 == g>>16
}

// near reports whether the difference of two numbers can be explained by rounding to the given precision and by the
// rounding of a sum. i is the index among the components that DMASK enables.
func (r *Result) near(want *Call, i, lane int, w, g float64, precision int) bool {
	if w != w || g != g {
		return w != w && g != g
	}
	if w == g {
		return math.Signbit(w) == math.Signbit(g) || r.Weights[lane] > 1
	}
	if r.Weights[lane] < 2 || math.IsInf(w, 0) || math.IsInf(g, 0) {
		return false
	}
	mask, scale := want.DMASK, 0.0
	for k := range 4 {
		if mask>>k&1 != 0 && bits.OnesCount32(mask&(1<<k-1)) == i {
			scale = r.Scale[lane][k]
		}
	}
	return math.Abs(w-g) <= math.Ldexp(math.Abs(w), 1-precision)+math.Ldexp(scale, -22)
}

// lane describes the address of a lane for messages.
func (c *Call) lane(lane int) string {
	o, err := parse(c.Name)
	if err != nil {
		return ""
	}
	img := c.T.Fields(c.Target.Gen())
	a, err := c.address(&o, &img, lane)
	if err != nil {
		return err.Error()
	}
	if !o.sampler() {
		return fmt.Sprintf("%d, slice %d, fragment %d, lod %d", a.xyz, a.slice, a.fragment, a.lod)
	}
	return fmt.Sprintf("%v, slice %v, lod %v, clamp %v, bias %v, reference %v, offsets %d, derivatives %v %v",
		floats(a.xyz[:]), value(a.slice),
		value(a.lod), value(a.clamp), value(a.bias), value(a.compare), a.offsets(), floats(a.deriv[0][:]),
		floats(a.deriv[1][:]))
}
