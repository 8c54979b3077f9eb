package r600

import (
	_ "embed" // the programs
	"encoding/binary"
	"fmt"
	"math"
)

// noRectangle returns the error that three vertices are not corners of a modelled rectangle.
func noRectangle(format string, args ...any) error {
	return &Error{Kind: NoRectangle, What: "no rectangle: " + fmt.Sprintf(format, args...)}
}

// NewCopy returns a machine for the copy shaders, which copy the texels of src to the same positions in dst. src is
// texture 0 and dst is target 0. Buffer 0 has a record for each of the vertices 0 to 2, which are corners of dst: x
// and y of the pixel, then x and y of the texel, which are equal.
func NewCopy(src, dst *Image) *Machine {
	width, height := float32(dst.Width), float32(dst.Height)
	var records []byte
	for _, v := range [...]float32{0, 0, 0, 0, 0, height, 0, height, width, height, width, height} {
		records = binary.LittleEndian.AppendUint32(records, math.Float32bits(v))
	}
	return &Machine{Buffers: []Buffer{{Data: records, Stride: 16}}, Textures: []*Image{src},
		Samplers: []Sampler{{}}, Targets: []*Image{dst}}
}

// Rect executes a pixel shader for the pixels of target 0 whose centres are inside of a rectangle. v[1] is a corner
// of the rectangle, v[0] and v[2] are its neighbours, in pixels. GPR 0 is the interpolated parameter 0 (rule FS8).
// The error is an *[Error] of kind [Fault] or [NoRectangle].
func (m *Machine) Rect(p *Program, v [3]Output) error {
	if len(m.Targets) == 0 || m.Targets[0] == nil {
		return noRectangle("there is no target 0")
	}
	r, err := newRect(v)
	if err != nil {
		return err
	}
	x0, x1 := r.range1(0, m.Targets[0].Width)
	y0, y1 := r.range1(1, m.Targets[0].Height)
	wide := x1 - x0
	for first, count := 0, wide*(y1-y0); first < count; first += Threads {
		w := newWave(m, first/Threads, min(Threads, count-first))
		w.pixels = make([][2]int, w.count)
		for t := range w.pixels {
			at := [2]int{x0 + (first+t)%wide, y0 + (first+t)/wide}
			w.pixels[t], w.GPR[t][0] = at, r.param(at)
		}
		if err := w.run(p); err != nil {
			return err
		}
	}
	return nil
}

// rect is a rectangle whose sides are parallel to the axes.
type rect struct {
	corner [2]float64
	size   [2]float64 // from corner to the opposite corner; either may be negative
	param0 [4]float64 // parameter 0 at corner
	slope  [2][4]float64
}

func newRect(v [3]Output) (r rect, err error) {
	var at [3][4]float64
	var param [3][4]float64
	for i := range v {
		position, p := floats(v[i].Position), floats(v[i].Params[0])
		for c := range position {
			at[i][c], param[i][c] = float64(position[c]), float64(p[c])
			if math.IsNaN(at[i][c]) || math.IsInf(at[i][c], 0) {
				return r, noRectangle("vertex %d lies at %v", i, position)
			}
		}
		if position[3] != 1 {
			return r, noRectangle("W of vertex %d is %g; perspective is not modelled", i, position[3])
		}
	}
	across, down := 2, 0 // indices of the neighbours along x and y
	if at[2][1] != at[1][1] {
		across, down = 0, 2
	}
	if at[across][1] != at[1][1] || at[down][0] != at[1][0] {
		return r, noRectangle("the sides do not lie along the axes")
	}
	for axis, next := range [2]int{across, down} {
		r.corner[axis], r.size[axis] = at[1][axis], at[next][axis]-at[1][axis]
		for c := range r.param0 {
			r.param0[c] = param[1][c]
			r.slope[axis][c] = param[next][c] - param[1][c]
		}
	}
	return r, nil
}

// range1 returns the range of pixels along an axis whose centres are inside, clipped to limit.
func (r *rect) range1(axis, limit int) (first, end int) {
	low, high := min(r.corner[axis], r.corner[axis]+r.size[axis]), max(r.corner[axis], r.corner[axis]+r.size[axis])
	clip := func(x float64) int { return int(max(0, min(math.Ceil(x-0.5), float64(limit)))) }
	return clip(low), clip(high)
}

// param returns parameter 0 at the centre of a pixel.
func (r *rect) param(at [2]int) (v vec) {
	for c := range v {
		p := r.param0[c]
		for axis := range at {
			p += (float64(at[axis]) + 0.5 - r.corner[axis]) / r.size[axis] * r.slope[axis][c]
		}
		v[c] = math.Float32bits(float32(p))
	}
	return v
}

// The copy shaders for [R600], as text for [Assemble]. CopyVS fetches position and texture coordinate of a vertex.
// CopyPS samples the texel of a pixel.
var (
	//go:embed copy_vs.txt
	CopyVS string
	//go:embed copy_ps.txt
	CopyPS string
)
