package alu

// cubeMajor is V_CUBEMA_F32: twice the major axis.
func cubeMajor(f format, x, y, z uint64, e env) uint64 { return f.ldexp(f.major(x, y, z), 1, e) }

// major returns the coordinate of the largest magnitude: z before y before x where
// magnitudes are equal.
func (f format) major(x, y, z uint64) uint64 {
	ax, ay, az := x&^f.sign(), y&^f.sign(), z&^f.sign()
	atLeast := func(a, b uint64) bool { return f.less(b, a) || f.equal(a, b) }
	switch {
	case atLeast(az, ay) && atLeast(az, ax):
		return z
	case atLeast(ay, ax):
		return y
	}
	return x
}
