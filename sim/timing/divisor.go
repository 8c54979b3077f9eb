package timing

import "math/bits"

// divisor divides by a number that often is a power of two.
type divisor struct {
	n     uint64
	shift uint8
	power bool // n is a power of two
}

func newDivisor(n int) divisor {
	return divisor{uint64(n), uint8(bits.TrailingZeros(uint(n))), n&(n-1) == 0}
}

// split returns quotient and remainder.
func (d *divisor) split(x uint64) (q, r uint64) {
	if d.power {
		return x >> d.shift, x & (d.n - 1)
	}
	return x / d.n, x % d.n
}
