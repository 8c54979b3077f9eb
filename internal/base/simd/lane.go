package simd

import "math/bits"

// FirstLane returns the lowest active lane, 0 if EXEC is zero.
func FirstLane(exec uint64) int { return bits.TrailingZeros64(exec) & 63 }
