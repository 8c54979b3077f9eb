package simd

import "math"

// Positions of samples along an axis of an image are in units of 1/256 texel.
const (
	stepBits = 8
	steps    = 1 << stepBits
)

// Reach is the largest magnitude of a position.
const Reach = 1 << 30

// magic is a number whose last place is 1, so that adding it rounds to nearest even. The low dword of its bits is 0.
const magic = 3 << 51

// Positions sets pos to u*unit-back in each lane, rounded to nearest even. It returns false if a result is NaN or
// beyond Reach; then pos is undefined.
func Positions(pos *[NumLanes]int32, u *[NumLanes]float64, unit, back float64) bool {
	if avx2 {
		return positionsAVX2(pos, u, unit, back)
	}
	for i, v := range u {
		p := float64(v*unit) - back
		if !(math.Abs(p) < Reach) {
			return false
		}
		pos[i] = int32(math.Float64bits(p + magic))
	}
	return true
}

// Repeat sets a to the texel at each position in a repeating image of n texels, and b to the next texel. n is at most
// 1<<15.
func Repeat(a, b *Lanes, pos *[NumLanes]int32, n int) {
	if avx2 {
		repeatAVX2(a, b, pos, uint32(n), 1/float32(n))
		return
	}
	for i, q := range pos {
		a[i], b[i] = modulo(q>>stepBits, n), modulo(q>>stepBits+1, n)
	}
}

// Mirror does what [Repeat] does, for an image repeated with every second copy mirrored.
func Mirror(a, b *Lanes, pos *[NumLanes]int32, n int) {
	if avx2 {
		mirrorAVX2(a, b, pos, uint32(2*n), 1/float32(2*n))
		return
	}
	last := uint32(2*n - 1)
	for i, q := range pos {
		s, t := modulo(q>>stepBits, 2*n), modulo(q>>stepBits+1, 2*n)
		a[i], b[i] = min(s, last-s), min(t, last-t)
	}
}

// modulo returns k modulo n, which is not negative.
func modulo(k int32, n int) uint32 {
	switch {
	case n&(n-1) == 0:
		return uint32(k) & uint32(n-1)
	case uint32(k) < uint32(n):
		return uint32(k)
	}
	if k %= int32(n); k < 0 {
		k += int32(n)
	}
	return uint32(k)
}

// Clamp sets a to the texel at each position in an image of n texels, and b to the next texel. With mirror, positions
// below 0 are mirrored first. Texels outside of the image are moved to the edges or, with border, to texel 0; then
// outA and outB have their lanes.
func Clamp(a, b *Lanes, pos *[NumLanes]int32, n int, mirror, border bool) (outA, outB uint64) {
	var mirrors, borders uint32
	if mirror {
		mirrors--
	}
	if border {
		borders--
	}
	if avx2 {
		return clampAVX2(a, b, pos, uint32(n), mirrors, borders)
	}
	for i, q := range pos {
		k := q >> stepBits
		s, t := k^k>>31&int32(mirrors), (k+1)^(k+1)>>31&int32(mirrors)
		a[i], b[i] = uint32(min(max(s, 0), int32(n-1))), uint32(min(max(t, 0), int32(n-1)))
		if border && a[i] != uint32(s) {
			a[i] = 0
			outA |= 1 << i
		}
		if border && b[i] != uint32(t) {
			b[i] = 0
			outB |= 1 << i
		}
	}
	return outA, outB
}

// Fractions returns the lanes whose position has a fraction.
func Fractions(pos *[NumLanes]int32) (lanes uint64) {
	if avx2 {
		return fractionsAVX2(pos)
	}
	for i, q := range pos {
		lanes |= uint64((uint32(q)%steps+steps-1)>>stepBits) << i
	}
	return lanes
}

// Weights sets b to the fractions of the positions and a to 1 minus the fractions.
func Weights(a, b *[NumLanes]float64, pos *[NumLanes]int32) {
	if avx2 {
		weightsAVX2(a, b, pos)
		return
	}
	for i, q := range pos {
		f := uint32(q) % steps
		a[i], b[i] = float64(steps-f)*(1./steps), float64(f)*(1./steps)
	}
}

// Bilinear sets sums to the weighted sums of each of the four bytes of words, in units of 1/65536. The weights are
// the fractions of the positions. words has the left and right texels, then those below them.
func Bilinear(sums, words *[4]Lanes, x, y *[NumLanes]int32) {
	if avx2 {
		bilinearAVX2(sums, words, x, y)
		return
	}
	// First along x with 16 bits for each component, then along y with 32.
	const even = 0x0000ffff0000ffff
	for i := range NumLanes {
		fx, fy := uint64(x[i])%steps, uint64(y[i])%steps
		upper := between(spread(words[0][i]), spread(words[1][i]), fx)
		lower := between(spread(words[2][i]), spread(words[3][i]), fx)
		rg, ba := between(upper&even, lower&even, fy), between(upper>>16&even, lower>>16&even, fy)
		sums[0][i], sums[1][i], sums[2][i], sums[3][i] = uint32(rg), uint32(rg>>32), uint32(ba), uint32(ba>>32)
	}
}

// between returns a*(steps-f) + b*f for all fields of a and b, computed modulo 1<<64. Fields do not overflow into one
// another, since those of the result fit.
func between(a, b, f uint64) uint64 { return a<<stepBits + (b-a)*f }

// spread moves the bytes of w to multiples of 16 bits, in the order 0, 2, 1, 3.
func spread(w uint32) uint64 {
	v := uint64(w)
	return (v | v<<24) & 0x00ff00ff00ff00ff
}

// Canonical replaces all NaNs in v by one NaN, and denormals by zeros.
func Canonical(v *Lanes) {
	if avx2 {
		canonicalAVX2(v)
		return
	}
	for i, t := range v {
		switch {
		case isNaN(t):
			v[i] = 0xffc00000
		case mag(t) < magMin:
			v[i] = t & (1 << 31)
		}
	}
}
