package rect

import (
	"context"
	"math"
	"slices"

	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// Memory is the card's memory as fixed-function units access it.
type Memory interface {
	Read(b []byte, addr uint64) error
	Write(b []byte, addr uint64) error
}

// Draw is a draw without an index buffer.
type Draw struct {
	Machine   *sim.Machine
	Memory    Memory
	Registers *Registers
	Vertices  uint32
	Instances uint32

	// Results of Run: the number of instructions executed, the number of rectangles filled, and the sides of the
	// largest rectangle in pixels.
	Instructions  uint64
	Rectangles    uint32
	Width, Height uint32

	pixel   *shader
	targets []store
}

// vertex has the vertex shader's exports for one corner.
type vertex struct {
	pos    [4]float32 // window coordinates, and W
	layer  uint32
	params [interpolatorsEnd][4]uint32
}

// corners is the number of vertices of a rectangle.
const corners = 3

// Run executes the draw. The error is an *[Error] for a draw that the package does not support, a *[state.Fault], or
// an error of the memory or of ctx.
func (d *Draw) Run(ctx context.Context) error {
	if err := d.check(); err != nil {
		return err
	}
	vs, err := d.load("vertex", pgmLoVS, userVS)
	if err != nil {
		return err
	}
	if d.pixel, err = d.load("pixel", pgmLoPS, userPS); err != nil {
		return err
	}
	if d.targets, err = d.stores(); err != nil {
		return err
	}
	for instance := range d.Instances {
		for first := uint32(0); first+corners <= d.Vertices; first += corners {
			if err := ctx.Err(); err != nil {
				return err
			}
			r, err := d.rectangle(ctx, vs, first, instance)
			if err != nil {
				return err
			}
			d.Rectangles++
			d.Width, d.Height = max(d.Width, uint32(r.right-r.left)), max(d.Height, uint32(r.bottom-r.top))
			if err := d.fill(ctx, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// Name returns a name that is derived from shaders and registers: "copy" if the pixels are loaded from memory,
// "clear" otherwise, with " of depth" if the draw stores to no colour buffer.
func (d *Draw) Name() string {
	name := "clear"
	if d.pixel != nil && d.pixel.loads() {
		name = "copy"
	}
	color := func(s store) bool { _, is := s.(*color); return is }
	if len(d.targets) > 0 && !slices.ContainsFunc(d.targets, color) {
		name += " of depth"
	}
	return name
}

// check refuses everything except rectangles with one sample a pixel and without blending.
func (d *Draw) check() error {
	const rectangles = 0x11
	r := d.Registers
	switch {
	case r.primitive&0x3f != rectangles:
		return refuse("primitives of type %d%s", r.primitive&0x3f, primitives[r.primitive&0x3f])
	case r.field(shaderStages, 7, 0) != 0:
		return refuse("tessellation or a geometry shader (VGT_SHADER_STAGES_EN 0x%x)", r.get(shaderStages))
	case r.field(aaConfig, 2, 0) != 0:
		return refuse("%d samples a pixel", 1<<r.field(aaConfig, 2, 0))
	case r.field(vsOutControl, 15, 0) != 0:
		return refuse("clip and cull distances (PA_CL_VS_OUT_CNTL 0x%x)", r.get(vsOutControl))
	case r.field(viewportControl, 5, 0) != 0x3f:
		return refuse("a viewport transform in parts (PA_CL_VTE_CNTL 0x%x)", r.get(viewportControl))
	case r.get(clipRectRule) != 0xffff:
		return refuse("clip rectangles (PA_SC_CLIPRECT_RULE 0x%x)", r.get(clipRectRule))
	case r.get(windowOffset) != 0:
		return refuse("a window offset")
	}
	return nil
}

// primitives are the names of common primitive types in messages.
var primitives = map[uint32]string{
	1: " (points)", 2: " (lines)", 3: " (strips of lines)", 4: " (triangles)", 5: " (fans of triangles)",
	6: " (strips of triangles)",
}

// rectangle is a rectangle of pixels. Its parameters vary linearly over it.
type rectangle struct {
	left, top, right, bottom int // in pixels; right and bottom are exclusive
	origin                   [2]float32
	inverse                  [2][2]float32 // maps the distance from the origin to I and J
	z                        [3]float32    // at the origin, and its differences along I and J
	layer                    uint32
	corner                   [corners]vertex
}

// rectangle executes the vertex shader for three vertices and returns the rectangle with these corners. The fourth
// corner is opposite to the corner where two sides meet.
func (d *Draw) rectangle(ctx context.Context, vs *shader, first, instance uint32) (*rectangle, error) {
	var ids, instances state.Lanes
	for i := range corners {
		ids[i], instances[i] = first+uint32(i), instance
	}
	exports, err := d.run(ctx, vs, 1<<corners-1, nil, ids, instances)
	if err != nil {
		return nil, err
	}
	r := &rectangle{}
	for i := range r.corner {
		if err := d.place(&r.corner[i], exports, i); err != nil {
			return nil, err
		}
	}
	a, b, c := &r.corner[0].pos, &r.corner[1].pos, &r.corner[2].pos
	u, v := [2]float32{b[0] - a[0], b[1] - a[1]}, [2]float32{c[0] - a[0], c[1] - a[1]}
	r.origin, r.layer = [2]float32{a[0], a[1]}, r.corner[0].layer
	r.z = [3]float32{a[2], b[2] - a[2], c[2] - a[2]}
	det := u[0]*v[1] - u[1]*v[0]
	if det == 0 {
		return r, nil // it covers no pixel
	}
	r.inverse = [2][2]float32{{v[1] / det, -v[0] / det}, {-u[1] / det, u[0] / det}}
	low, high := a[:2:2], a[:2:2]
	low, high = []float32{low[0], low[1]}, []float32{high[0], high[1]}
	for axis := range 2 {
		at := [corners]float32{a[axis], b[axis], c[axis]}
		low[axis], high[axis] = min(at[0], at[1], at[2]), max(at[0], at[1], at[2])
		for _, x := range at {
			if x != low[axis] && x != high[axis] {
				return nil, refuse("a parallelogram that is not a rectangle along the axes")
			}
		}
	}
	r.left, r.top, r.right, r.bottom = pixel(low[0]), pixel(low[1]), pixel(high[0]), pixel(high[1])
	for _, s := range []uint32{screenScissor, windowScissor, genericScissor, viewportScissor} {
		r.left, r.top = max(r.left, int(d.Registers.field(s, 14, 0))), max(r.top, int(d.Registers.field(s, 30, 16)))
		r.right = min(r.right, int(d.Registers.field(s+4, 14, 0)))
		r.bottom = min(r.bottom, int(d.Registers.field(s+4, 30, 16)))
	}
	return r, nil
}

// pixel returns the first pixel whose centre is at or after x.
func pixel(x float32) int {
	const most = 1 << 15
	return int(math.Ceil(float64(min(max(x, -most), most)) - 0.5))
}

// Targets of exports.
const (
	exportDepth    = 8
	exportNull     = 9
	exportPosition = 12
	exportMisc     = 13
	exportParam    = 32
)

// place stores the exports of lane i of the vertex shader in v.
func (d *Draw) place(v *vertex, exports []state.Export, i int) error {
	seen := false
	for n := range exports {
		e := &exports[n]
		at := func(c int) uint32 { return e.Data[c][i] }
		switch t := int(e.Target); {
		case t == exportPosition:
			seen = true
			for c := range v.pos {
				v.pos[c] = math.Float32frombits(at(c))
			}
		case t == exportMisc && d.Registers.field(vsOutControl, 18, 18) != 0:
			v.layer = at(2)
		case t >= exportParam && t < exportParam+interpolatorsEnd:
			v.params[t-exportParam] = [4]uint32{at(0), at(1), at(2), at(3)}
		}
	}
	if !seen {
		return refuse("a vertex shader that exports no position")
	}
	if v.pos[3] != 1 {
		return refuse("perspective: W of a vertex is %g", v.pos[3])
	}
	for axis := range 3 {
		scale := math.Float32frombits(d.Registers.get(viewportScale + 8*uint32(axis)))
		v.pos[axis] = v.pos[axis]*scale + math.Float32frombits(d.Registers.get(viewportScale+8*uint32(axis)+4))
	}
	if v.pos[0] != v.pos[0] || v.pos[1] != v.pos[1] {
		return refuse("a vertex that is nowhere: NaN")
	}
	return nil
}
