package timing

import "math/bits"

// divisor divides by a number that is often a power of two.
type divisor struct {
	n     uint64
	shift uint8
	power bool // n is a power of two
}

func newDivisor(n int) divisor {
	return divisor{uint64(n), uint8(bits.TrailingZeros(uint(n))), n&(n-1) == 0}
}

// split returns the quotient and the remainder.
func (d *divisor) split(x uint64) (q, r uint64) {
	if d.power {
		return x >> d.shift, x & (d.n - 1)
	}
	return x / d.n, x % d.n
}

// channel returns which of n channels serves chunk number turn, and how many chunks that channel served before. If n
// is not a power of two, each round of chunks starts one channel later (assumed): steps of 16 chunks reach 9 of 12
// channels, not 3.
func (d *divisor) channel(turn uint64) (before, to uint64) {
	before, to = d.split(turn)
	if !d.power {
		_, to = d.split(to + before)
	}
	return before, to
}
