package record

import (
	"encoding/binary"
	"math"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/mimg"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// Tap is one texel of each lane of some: the first that each takes, the second, and so on. See
// [mimg.Tap].
type Tap struct {
	Lanes, Border  uint64
	Level, X, Y, Z state.Lanes
	Weight         [state.NumLanes]float64
}

// tapsOf returns the texels that an image instruction is about to take.
func tapsOf(e *sim.Event) (taps []Tap) {
	lists := mimg.LaneTexels(e.Inst, e.Wave, e.Ports)
	if e.Inst.Row().Has(gcn.Sampler) {
		var err error
		if lists, err = mimg.LaneTaps(e.Inst, e.Wave, e.Ports); err != nil {
			return nil // the run says so itself
		}
	}
	for lane, list := range lists {
		for n, x := range list {
			if n == len(taps) {
				taps = append(taps, Tap{})
			}
			t := &taps[n]
			t.Lanes |= 1 << lane
			if x.Border {
				t.Border |= 1 << lane
			}
			t.Level[lane], t.X[lane], t.Y[lane], t.Z[lane] = uint32(x.Level), uint32(x.X), uint32(x.Y), uint32(x.Z)
			t.Weight[lane] = x.Weight
		}
	}
	return taps
}

// weightSteps is what weights of texels are counted in.
const weightSteps = 1 << 16

// tapLanes is how many vectors of lanes a texel has.
const tapLanes = 5

// appendTaps appends texels: how many, then of each the lanes that take it, and of these the
// level, coordinates and weights, as differences to the one before.
func appendTaps(b []byte, taps []Tap) []byte {
	b = binary.AppendUvarint(b, uint64(len(taps)))
	var last [tapLanes]state.Lanes
	for i := range taps {
		t := &taps[i]
		b = binary.LittleEndian.AppendUint64(b, t.Lanes)
		b = binary.LittleEndian.AppendUint64(b, t.Border)
		var weight state.Lanes
		for lane, w := range t.Weight {
			weight[lane] = uint32(math.Round(w * weightSteps))
		}
		for d, v := range [tapLanes]*state.Lanes{&t.Level, &t.X, &t.Y, &t.Z, &weight} {
			b = appendLanes(b, v, &last[d], t.Lanes)
			for lane := range v {
				if t.Lanes>>lane&1 != 0 {
					last[d][lane] = v[lane]
				}
			}
		}
	}
	return b
}

// readTaps reads texels.
func (d *decoder) readTaps() {
	r := &d.r
	var last [tapLanes]state.Lanes
	for range min(r.uint(), 1<<10) {
		t := Tap{Lanes: r.mask(), Border: r.mask()}
		for i := range last {
			r.lanes(&last[i], t.Lanes)
		}
		t.Level, t.X, t.Y, t.Z = last[0], last[1], last[2], last[3]
		for i, v := range last[4] {
			t.Weight[i] = float64(v) / weightSteps
		}
		d.s.Taps = append(d.s.Taps, t)
	}
}
