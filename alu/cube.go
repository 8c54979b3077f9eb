package alu

// cubeMajor computes V_CUBEMA_F32: twice the coordinate along the major axis.
func cubeMajor(f format, x, y, z uint64, e env) uint64 { return f.ldexp(f.major(x, y, z), 1, e) }

// major returns the coordinate with the largest magnitude. Among equal magnitudes z precedes y and y precedes x.
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
