package mimg

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/format"
	"github.com/gcnsim/gcnsim/state"
)

// byteSums filters texels of four UNORM bytes as integers, which is exact, as the other sums are (rule FI1). Weights
// have 16 bits, so that all four fit a lane's share of two quadwords.
type byteSums struct {
	words [4]state.Lanes            // texels of the four taps
	addrs [3][state.NumLanes]uint64 // addresses of the taps after the first
	sums  [format.MaxComponents]state.Lanes
}

// byteScale converts a sum of bytes times weights to the range 0 to 1.
const byteScale = 1. / (255 * steps * steps)

// addBytes adds sums of bytes, multiplied by shares, to the sums of the lanes.
func (x *sampling) addBytes(need *components, of *tapsOf) {
	for c, d := range need {
		if d != nil {
			simd.AddIntegers(&x.sums[c], &x.bytes.sums[c], orOnes(of.share), byteScale, of.lanes)
		}
	}
}

// square reads the four taps of the lanes of mask after [sampling.lay]. A filter ignores texels without a weight.
// Lanes that do not read a texel receive 0.
func (x *sampling) square(level int, mask uint64) *state.Fault {
	b, axes := &x.bytes, &x.axes
	addrs := [4]*[state.NumLanes]uint64{x.addresses(), &b.addrs[0], &b.addrs[1], &b.addrs[2]}
	var at [2][2]*[state.NumLanes]uint32
	for d := range at {
		at[d] = [2]*[state.NumLanes]uint32{&axes[d].at[0], &axes[d].at[1]}
	}
	var slice *[state.NumLanes]uint32
	if isa.ShapeOf(x.view.Type).Layered {
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

// byteTexels reads a tap with texels at addr, in the lanes of there.
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
		there := executor.Mapped(x.p.Mem, addr, 4, in)
		*lost |= in &^ there
		in = there
	}
	return executor.Gather(x.p.Mem, dst, executor.Elements{Addr: addr, Size: 4}, in)
}
