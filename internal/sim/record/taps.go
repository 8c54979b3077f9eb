package record

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/mimg"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// tap is the n-th texel that each lane of an image instruction reads.
type tap struct {
	lanes, border          uint64
	level, x, y, z, weight state.Lanes
}

// tapsOf returns the texels that an image instruction is about to read.
func tapsOf(e *sim.Event, regs *tile.Registers) (taps []tap) {
	lists, err := mimg.Taps(e.Inst, e.Wave, regs)
	if err != nil {
		return nil // the run reports the error itself
	}
	for lane, list := range lists {
		for n, x := range list {
			if n == len(taps) {
				taps = append(taps, tap{})
			}
			t := &taps[n]
			t.lanes |= 1 << lane
			if x.Border {
				t.border |= 1 << lane
			}
			t.level[lane], t.x[lane], t.y[lane], t.z[lane] = uint32(x.Level), uint32(x.X), uint32(x.Y), uint32(x.Z)
			t.weight[lane] = uint32(math.Round(x.Weight * weightSteps))
		}
	}
	return taps
}

// weightSteps is the number of units in a weight of 1.
const weightSteps = 1 << 16

// tapLanes is the number of lane vectors that describe a texel.
const tapLanes = 5

// appendTaps appends texels: their number and, for each, the lanes that read it and their level, coordinates and
// weights, as differences to the texel before.
func appendTaps(b []byte, taps []tap) []byte {
	b = binary.AppendUvarint(b, uint64(len(taps)))
	var last [tapLanes]state.Lanes
	for i := range taps {
		t := &taps[i]
		b = binary.LittleEndian.AppendUint64(b, t.lanes)
		b = binary.LittleEndian.AppendUint64(b, t.border)
		for d, v := range [tapLanes]*state.Lanes{&t.level, &t.x, &t.y, &t.z, &t.weight} {
			b = appendLanes(b, v, &last[d], t.lanes)
			for lane := range v {
				if t.lanes>>lane&1 != 0 {
					last[d][lane] = v[lane]
				}
			}
		}
	}
	return b
}

// readTaps decodes texels.
func (d *decoder) readTaps() {
	r := &d.r
	var last [tapLanes]state.Lanes
	for range min(r.uint(), 1<<10) {
		lanes, border := r.mask(), r.mask()
		for i := range last {
			r.lanes(&last[i], lanes)
		}
		for m := lanes; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m) & 63
			d.s.Taps[lane] = append(d.s.Taps[lane], mimg.Tap{
				Level: int(last[0][lane]), X: int(last[1][lane]), Y: int(last[2][lane]), Z: int(last[3][lane]),
				Weight: float64(last[4][lane]) / weightSteps, Border: border>>lane&1 != 0,
			})
		}
	}
}
