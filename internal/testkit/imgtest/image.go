package imgtest

import (
	"errors"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/tile"
)

// image is the image that a T# describes.
type image struct {
	gcn.Image
	f      *texels // nil: loads return 0, stores do nothing
	layout tile.Layout
	mem    *Memory
	last   int // LAST_LEVEL - BASE_LEVEL, 0 for MSAA
	layers int // number of layers that the T# includes; faces of a cube count
}

// image decodes the T#.
func (c *Call) image() (*image, error) {
	t := c.T
	if c.R128 { // words 4 to 7 are missing and count as 0: rule IM2
		t = gcn.TSharp{t[0], t[1], t[2], t[3]}
	}
	m := &image{Image: t.Fields(c.Target.Gen()), mem: c.Mem}
	switch {
	case m.Type < gcn.Image1D: // null
		return m, nil
	case c.R128 && m.Type != gcn.Image1D && m.Type != gcn.Image2D && m.Type != gcn.Image2DMSAA:
		return nil, unsupported("R128 with a %v image", m.Type)
	case m.Compression: // rule IM13
		return nil, unsupported("COMPRESSION_EN")
	}
	if !msaa(m.Type) {
		m.last = max(0, m.LastLevel-m.BaseLevel)
	}
	m.layers = m.LastArray - m.BaseArray + 1
	if c.vega() { // rule IM10: DEPTH instead of LAST_ARRAY
		m.layers = m.Depth - m.BaseArray
	}
	f, err := newTexels(c.Target, m.DataFormat, m.NumFormat)
	if f == nil || err != nil {
		return m, err
	}
	s, err := tile.FromImage(c.Target.Gen(), &m.Image)
	if err != nil {
		return nil, unsupported("%v", err)
	}
	if m.layout, err = c.Regs.Layout(s); err != nil {
		return nil, unsupported("%v", err)
	}
	m.f = f
	return m, nil
}

// size returns the size of a level, counted from 0. Source: rule CO1.
func (m *image) size(level int) [3]int {
	return [3]int{max(1, m.Width>>level), max(1, m.Height>>level), max(1, m.Depth>>level)}
}

// place is the position of a texel; level and slice are counted from 0 in memory.
type place struct{ level, x, y, z, sample int }

// element returns the bytes of the element that contains a texel, or nil if it is unmapped.
func (m *image) element(p place) ([]byte, uint64, error) {
	w, h := m.layout.Surface.BlockW, m.layout.Surface.BlockH
	at, err := m.layout.Addr(p.level, p.x/w, p.y/h, p.z, p.sample)
	if err != nil {
		return nil, 0, unsupported("%v", err)
	}
	at += m.Base &^ m.layout.SwizzleMask
	return m.mem.At(at, m.f.bytes), at, nil
}

// texel returns the position for integer coordinates, and whether it is in range. Source: rule CO1; for BASE_ARRAY of
// 3D and single-slice images: rules IM2 and CO1.
func (m *image) texel(a *address, mip bool) (p place, in bool) {
	x, y, z, slice := uint64(a.xyz[0]), uint64(a.xyz[1]), uint64(a.xyz[2]), uint64(a.slice)
	lod := uint64(0)
	if mip {
		lod = uint64(a.lod)
	}
	if lod > uint64(m.last) {
		return p, false
	}
	if m.Interlaced && m.Type == gcn.Image2D {
		y = 2*y + uint64(a.field)
	}
	p.level = m.BaseLevel + int(lod)
	size := m.size(p.level)
	switch dims(m.Type) {
	case 1:
		y, z = 0, 0
	case 2:
		z = 0
	}
	in = x < uint64(size[0]) && y < uint64(size[1]) && z < uint64(size[2])
	switch {
	case layered(m.Type):
		in = in && slice < uint64(max(0, m.layers))
		z = slice + uint64(m.BaseArray)
	case m.Type != gcn.Image3D:
		z = uint64(m.BaseArray)
	}
	if msaa(m.Type) {
		in = in && uint64(a.fragment) < 1<<m.LastLevel
		p.sample = int(a.fragment)
	}
	p.x, p.y, p.z = int(x), int(y), int(z)
	return p, in
}

// run is a call in execution.
type run struct {
	*Call
	op   op
	img  *image
	smp  gcn.SamplerState
	res  *Result
	lane int
	// spread is set while the taps of an anisotropic filter are fetched.
	spread bool
}

// Result has what [Call.Run] did besides changing registers and memory.
type Result struct {
	// Texels are the addresses of the elements that lanes touched.
	Texels [64][]uint64
	// Weights is the greatest number of texels that contribute to a lane's result. A result from one texel is exact.
	Weights [64]int
	// Scale limits the rounding error: it is the sum of the absolute values that are added up in a component.
	Scale [64][4]float64
	// Fragile are the lanes whose LOD, or a tap of an anisotropic filter, is so close to a rounding tie that another
	// correct computation may round to the neighbour.
	Fragile uint64
	// Failed are the lanes that accessed unmapped texels.
	Failed uint64
}

// Run executes the instruction: it changes VData and memory. Errors wrap [ErrUnsupported] or [ErrUnmapped].
func (c *Call) Run() (*Result, error) {
	r := &run{Call: c, res: new(Result)}
	var err error
	if r.op, err = parse(c.Name); err != nil {
		return nil, err
	}
	if err = c.check(&r.op); err != nil {
		return nil, err
	}
	if r.img, err = c.image(); err != nil {
		return nil, err
	}
	r.smp = c.S.Fields(c.Target.Gen())
	execute := map[kind]func(int, *address) error{
		load: r.load, store: r.store, atomic: r.atomic, resinfo: r.resinfo, lodQuery: r.sample, sample: r.sample,
		gather: r.sample,
	}[r.op.kind]
	if r.op.sampler() {
		if err := r.checkSampler(); err != nil {
			return nil, err
		}
	}
	for r.lane = range 64 {
		if c.Exec>>r.lane&1 == 0 {
			continue
		}
		a, err := c.address(&r.op, &r.img.Image, r.lane)
		if err != nil && r.img.Type >= gcn.Image1D {
			return nil, err
		}
		if err := execute(r.lane, &a); err != nil {
			return nil, err
		}
	}
	if r.res.Failed != 0 && !c.TFE && !c.LWE {
		return nil, ErrUnmapped
	}
	return r.res, nil
}

// status writes the status VGPR of TFE and LWE. Source: rule IM7.
func (r *run) status(n int) { r.VData[n][r.lane] = 1 }

// errFailed says that a texel is unmapped.
var errFailed = errors.New("imgtest: texel failed")

// read returns the element that contains a texel. An unmapped one is zero.
func (r *run) read(p place) ([]byte, error) {
	b, at, err := r.img.element(p)
	if err != nil {
		return nil, err
	}
	r.res.Texels[r.lane] = append(r.res.Texels[r.lane], at)
	if b == nil {
		r.res.Failed |= 1 << r.lane
		return nil, errFailed
	}
	return b, nil
}
