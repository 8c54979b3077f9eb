package mimg

import (
	"math"
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn/format"
	"github.com/gcnsim/gcnsim/internal/unit"
	"github.com/gcnsim/gcnsim/state"
)

// byteSums filters texels of four UNORM bytes as integers, which is exact as other sums
// are (rule FI1): weights are of 16 bits, so that all four fit a lane's share of two
// quadwords.
type byteSums struct {
	words [4]state.Lanes            // the texels of the four taps
	addrs [3][state.NumLanes]uint64 // of the taps after the first
	sums  [format.MaxComponents]state.Lanes
}

// byteScale is what a sum of bytes times weights is divided by.
const byteScale = 255 * steps * steps

// result writes sums of component c to dst.
func (b *byteSums) result(c int, dst []uint32) {
	dst = dst[:state.NumLanes]
	for i, s := range &b.sums[c] {
		dst[i] = math.Float32bits(float32(float64(s) * (1. / byteScale)))
	}
}

// addBytes adds sums of bytes times shares to those of the lanes.
func (x *sampling) addBytes(need *components, g *group, of *tapsOf) {
	share := orOnes(of.share)
	for c, d := range need {
		if d == nil {
			continue
		}
		sum, v := &x.sums[c], &x.bytes.sums[c]
		switch {
		case of.first:
			for i, s := range v {
				sum[i] = share[i] * (float64(s) * (1. / byteScale))
			}
		case g.whole: // shares of other lanes are 0
			for i, s := range v {
				sum[i] += float64(share[i] * (float64(s) * (1. / byteScale)))
			}
		default:
			for m := of.lanes; m != 0; m &= m - 1 {
				i := bits.TrailingZeros64(m) & 63
				sum[i] += float64(share[i] * (float64(v[i]) * (1. / byteScale)))
			}
		}
	}
}

// square reads the four taps of the lanes of mask after [sampling.lay]; of a filter only
// texels that have a weight count. Lanes that do not take a texel get 0.
func (x *sampling) square(level int, mask uint64) *state.Fault {
	b, axes := &x.bytes, &x.axes
	addrs := [4]*[state.NumLanes]uint64{x.addresses(), &b.addrs[0], &b.addrs[1], &b.addrs[2]}
	var at [2][2]*[state.NumLanes]uint32
	for d := range at {
		at[d] = [2]*[state.NumLanes]uint32{&axes[d].at[0], &axes[d].at[1]}
	}
	var slice *[state.NumLanes]uint32
	if x.view.Type.Layered() {
		slice = &x.slice
	}
	in := x.view.plan(level).Square(&addrs, at[0], at[1], slice)
	for t, addr := range addrs {
		p := x.tap(uint8(t), mask)
		if f := x.byteTexels(&p, in, addr, &b.words[t]); f != nil {
			return f
		}
	}
	return nil
}

// byteTexels reads a tap whose texels are at addr, in the lanes of there.
func (x *sampling) byteTexels(p *tap, there uint64, addr *[state.NumLanes]uint64, dst *state.Lanes) *state.Fault {
	read := p.lanes &^ p.border
	if read != state.FullExec {
		clear(dst[:])
		for m := p.border; m != 0; m &= m - 1 {
			dst[bits.TrailingZeros64(m)&63] = x.border.word
		}
	}
	if read == 0 {
		return nil
	}
	in := there & read
	x.record(in, addr)
	if lost := x.o.status(&x.lost); lost != nil {
		there := unit.Mapped(x.p.Mem, addr, 4, in)
		*lost |= in &^ there
		in = there
	}
	return unit.Gather(x.p.Mem, dst, addr, 0, 4, in)
}

// combine sets the sums of all lanes: first along x with 16 bits for each component, then
// along y with 32.
func (b *byteSums) combine(px, py *[state.NumLanes]int64) {
	const even = 0x0000ffff0000ffff
	for i := range state.NumLanes {
		fx, fy := uint64(px[i])%steps, uint64(py[i])%steps
		upper := between(spread(b.words[0][i]), spread(b.words[1][i]), fx)
		lower := between(spread(b.words[2][i]), spread(b.words[3][i]), fx)
		rg, ba := between(upper&even, lower&even, fy), between(upper>>16&even, lower>>16&even, fy)
		b.sums[0][i], b.sums[1][i], b.sums[2][i], b.sums[3][i] = uint32(rg), uint32(rg>>32), uint32(ba), uint32(ba>>32)
	}
}

// between returns a*(steps-f) + b*f: modulo 1<<64 that is this. Fields of a and b do not
// meet, as those of the result fit.
func between(a, b, f uint64) uint64 { return a<<stepBits + (b-a)*f }

// spread moves the bytes of w 16 bits apart, in the order 0, 2, 1, 3.
func spread(w uint32) uint64 {
	v := uint64(w)
	return (v | v<<24) & 0x00ff00ff00ff00ff
}
