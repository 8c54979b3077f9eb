package rect

import (
	"context"
	"math"

	"github.com/gcnsim/gcnsim/state"
)

// side is the number of pixels along each side of the square that a wave processes: 4 x 4 quads.
const side = 8

// wavePixels are the pixels of a wave. The four pixels of a quad are in consecutive lanes, which derivatives need.
type wavePixels struct {
	x, y, z state.Lanes // Z is a float
	in      uint64      // lanes whose pixels are inside of the rectangle
}

// pixelsAt returns the pixels of the square whose first corner is x, y.
func (r *rectangle) pixelsAt(x, y int) *wavePixels {
	s := &wavePixels{}
	for lane := range state.NumLanes {
		quad := lane / 4
		px, py := x+quad%4*2+lane&1, y+quad/4*2+lane>>1&1
		s.x[lane], s.y[lane] = uint32(px), uint32(py)
		if px >= r.left && px < r.right && py >= r.top && py < r.bottom {
			s.in |= 1 << lane
		}
	}
	s.z = r.lanes(s, func(i, j float32) uint32 { return math.Float32bits(r.z[0] + i*r.z[1] + j*r.z[2]) })
	return s
}

// fill executes the pixel shader for all pixels of a rectangle, wave by wave, and stores its exports.
func (d *Draw) fill(ctx context.Context, r *rectangle) error {
	for y := r.top &^ (side - 1); y < r.bottom; y += side {
		for x := r.left &^ (side - 1); x < r.right; x += side {
			if err := ctx.Err(); err != nil {
				return err
			}
			s := r.pixelsAt(x, y)
			if s.in == 0 {
				continue
			}
			exports, err := d.run(ctx, d.pixel, s.in, r, d.inputs(r, s)...)
			if err != nil {
				return err
			}
			if err := d.storeAll(exports, r, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// storeAll passes exports to their targets. If no shader exports a depth, the pixels have the depth of the rectangle.
func (d *Draw) storeAll(exports []state.Export, r *rectangle, s *wavePixels) error {
	for _, t := range d.targets {
		found := false
		for i := range exports {
			e := &exports[i]
			if !t.takes(e.Target) {
				continue
			}
			found = true
			if err := t.store(d.Memory, e, s.in&e.Exec, s, r.layer); err != nil {
				return err
			}
		}
		if _, ok := t.(*plane); !ok || found {
			continue
		}
		alive := s.in
		if n := len(exports); n > 0 {
			alive &= exports[n-1].Exec
		}
		if err := t.store(d.Memory, &state.Export{}, alive, s, r.layer); err != nil {
			return err
		}
	}
	return nil
}

// Inputs of pixel shaders: bits of SPI_PS_INPUT_ENA and ADDR. The inputs are in VGPRs in this order.
const (
	perspectiveSample = iota
	perspectiveCenter
	perspectiveCentroid
	perspectivePull
	linearSample
	linearCenter
	linearCentroid
	lineStipple
	positionX
	positionY
	positionZ
	positionW
	frontFace
	ancillary
	coverage
	positionFixed
	numInputs
)

// inputs returns the initial VGPRs of a wave of pixels.
func (d *Draw) inputs(r *rectangle, s *wavePixels) (v []state.Lanes) {
	address := d.Registers.get(inputAddress)
	for bit := range numInputs {
		if address>>bit&1 == 0 {
			continue
		}
		switch bit {
		case perspectiveSample, perspectiveCenter, perspectiveCentroid, linearSample, linearCenter, linearCentroid:
			v = append(v, r.lanes(s, func(i, _ float32) uint32 { return math.Float32bits(i) }),
				r.lanes(s, func(_, j float32) uint32 { return math.Float32bits(j) }))
		case perspectivePull:
			v = append(v, r.lanes(s, func(i, _ float32) uint32 { return math.Float32bits(i) }),
				r.lanes(s, func(_, j float32) uint32 { return math.Float32bits(j) }), all(math.Float32bits(1)))
		case positionX:
			v = append(v, center(&s.x))
		case positionY:
			v = append(v, center(&s.y))
		case positionZ:
			v = append(v, s.z)
		case positionW, frontFace:
			v = append(v, all(math.Float32bits(1)))
		case ancillary:
			v = append(v, all(r.layer<<16))
		case coverage:
			v = append(v, all(1))
		case positionFixed:
			fixed := s.x
			for i := range fixed {
				fixed[i] = s.x[i]&0xffff | s.y[i]<<16
			}
			v = append(v, fixed)
		default: // lineStipple
			v = append(v, state.Lanes{})
		}
	}
	return v
}

// all returns a vector with x in every lane.
func all(x uint32) (v state.Lanes) {
	for i := range v {
		v[i] = x
	}
	return v
}

// center returns the centres of pixels along an axis.
func center(at *state.Lanes) (v state.Lanes) {
	for i, x := range at {
		v[i] = math.Float32bits(float32(int32(x)) + 0.5)
	}
	return v
}

// lanes evaluates a function of I and J at the centre of each pixel.
func (r *rectangle) lanes(s *wavePixels, of func(i, j float32) uint32) (v state.Lanes) {
	for lane := range v {
		x, y := float32(int32(s.x[lane]))+0.5-r.origin[0], float32(int32(s.y[lane]))+0.5-r.origin[1]
		v[lane] = of(x*r.inverse[0][0]+y*r.inverse[0][1], x*r.inverse[1][0]+y*r.inverse[1][1])
	}
	return v
}
