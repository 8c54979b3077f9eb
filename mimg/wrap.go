package mimg

import (
	"github.com/gcnsim/gcnsim/gcn"
)

// wrap sets the texels of the positions on an axis of so many texels. Source: rule CO4.
func (x *axis) wrap(r *ruler) {
	c, n := r.clamp, int64(r.size)
	if !r.linear && r.half() {
		c = gcn.ClampLastTexel // the position n is in the last texel, nothing is in the border
	}
	x.border = [2]uint64{}
	if c == gcn.ClampWrap && n&(n-1) == 0 {
		for i, q := range &x.pos {
			k := uint32(q >> stepBits)
			x.at[0][i], x.at[1][i] = k&uint32(n-1), (k+1)&uint32(n-1)
		}
		return
	}
	for i, q := range &x.pos {
		k := q >> stepBits
		if uint64(k) < uint64(n-1) {
			x.at[0][i], x.at[1][i] = uint32(k), uint32(k+1)
			continue
		}
		for j := range x.at {
			t := wrapTexel(k+int64(j), n, c)
			if t < 0 {
				t = 0
				x.border[j] |= 1 << i
			}
			x.at[j][i] = uint32(t)
		}
	}
}

// wrapTexel returns which of n texels texel i is, negative if it lies in the border.
func wrapTexel(i, n int64, c gcn.Clamp) int64 {
	const border = -1
	switch c {
	case gcn.ClampWrap:
		if i %= n; i < 0 {
			i += n
		}
		return i
	case gcn.ClampMirror:
		if i = mirror(i) % (2 * n); i >= n {
			i = 2*n - 1 - i
		}
		return i
	case gcn.ClampLastTexel:
		return min(max(i, 0), n-1)
	case gcn.ClampMirrorOnceLastTexel:
		return min(mirror(i), n-1)
	case gcn.ClampMirrorOnceHalfBorder, gcn.ClampMirrorOnceBorder:
		i = mirror(i)
	}
	if i < 0 || i >= n {
		return border
	}
	return i
}

// mirror returns the texel on the other side of 0 of one below it.
func mirror(i int64) int64 {
	if i < 0 {
		return -i - 1
	}
	return i
}
