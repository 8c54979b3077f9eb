package rect

import (
	"encoding/binary"
	"math"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// always is the depth or stencil test that every pixel passes.
const always = 7

// plane is the depth or the stencil plane of the depth buffer.
type plane struct {
	plan  *tile.Plan
	first uint32 // slice of layer 0
	size  int    // size of an element in bytes
	// value returns the value to store for a lane, and a mask of the bits to store.
	value func(e *state.Export, s *wavePixels, lane int) (v, bits uint32)
}

// takes reports whether an export is the depth export, after which a pixel is stored.
func (p *plane) takes(target uint8) bool { return target == exportDepth }

// store writes the values of the lanes in mask.
func (p *plane) store(m Memory, e *state.Export, mask uint64, s *wavePixels, layer uint32) error {
	return write(m, p.plan, mask, s, p.first+layer, p.size, true, func(b []byte, lane int) {
		var old [4]byte
		copy(old[:], b)
		v, bits := p.value(e, s, lane)
		binary.LittleEndian.PutUint32(old[:], binary.LittleEndian.Uint32(old[:])&^bits|v&bits)
		copy(b, old[:])
	})
}

// depth returns the planes of the depth buffer that the draw writes. It refuses tests that can fail.
func (d *Draw) depth() (all []store, err error) {
	r := d.Registers
	control := r.get(depthControl)
	zInfo, stencilInfo := uint32(dbZInfo), uint32(dbStencilInfo)
	if isa.GenTraits(d.Machine.Target.Gen()).SwizzleModes {
		zInfo, stencilInfo = dbZInfoVega, dbStencilInfoVega
	}
	const testsStencil, testsZ, writesZ, bounds = 1 << 0, 1 << 1, 1 << 2, 1 << 3
	z, stencil := control&testsZ != 0 && r.field(zInfo, 1, 0) != 0, control&testsStencil != 0 &&
		r.field(stencilInfo, 0, 0) != 0
	switch {
	case !z && !stencil:
		return nil, nil
	case r.field(dbRenderControl, 3, 0) != 0:
		return nil, refuse("a fast clear or a copy of the depth buffer (DB_RENDER_CONTROL 0x%x)", r.get(dbRenderControl))
	case control&bounds != 0 || z && control>>4&7 != always || stencil && control>>8&7 != always:
		return nil, refuse("tests of depth or stencil (DB_DEPTH_CONTROL 0x%x)", control)
	case r.field(zInfo, 29, 29) != 0 || r.field(zInfo, 3, 2) != 0:
		return nil, refuse("a compressed depth buffer, or one with samples (DB_Z_INFO 0x%x)", r.get(zInfo))
	}
	if z && control&writesZ != 0 {
		p := &plane{first: r.field(dbDepthView, 10, 0)}
		if err := d.depthPlane(p, zInfo); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	if stencil {
		p := &plane{first: r.field(dbDepthView, 10, 0), size: 1}
		if p.value, err = d.stencilValue(); err != nil {
			return nil, err
		}
		if p.plan, err = d.plane(stencilInfo, dbStencilWrite, dbStencilWriteVega, dbStencilInfo2, 1); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// depthPlane sets up the plane of depths.
func (d *Draw) depthPlane(p *plane, info uint32) (err error) {
	const z16, z32 = 1, 3
	r := d.Registers
	low, high := math.Float32frombits(r.get(viewportDepth)), math.Float32frombits(r.get(viewportDepth+4))
	const noClamp = 16 // DISABLE_VIEWPORT_CLAMP
	clamps, exports := r.field(dbRenderOverride, noClamp, noClamp) == 0, r.field(dbShaderControl, 0, 0) != 0
	depth := func(e *state.Export, s *wavePixels, lane int) float32 {
		z := math.Float32frombits(s.z[lane])
		if exports {
			z = math.Float32frombits(e.Data[0][lane])
		}
		if clamps {
			z = min(max(z, low), high)
		}
		return z
	}
	switch r.field(info, 1, 0) {
	case z16:
		p.size = 2
		p.value = func(e *state.Export, s *wavePixels, lane int) (v, bits uint32) {
			const most = 0xffff
			return uint32(math.RoundToEven(float64(min(max(depth(e, s, lane), 0), 1)) * most)), most
		}
	case z32:
		p.size = 4
		p.value = func(e *state.Export, s *wavePixels, lane int) (v, bits uint32) {
			return math.Float32bits(depth(e, s, lane)), ^uint32(0)
		}
	default:
		return refuse("a depth buffer of 24 bits")
	}
	p.plan, err = d.plane(info, dbZWrite, dbZWriteVega, dbZInfo2, p.size)
	return err
}

// stencilValue returns the function for the stencil plane's values: the reference value, or the value that the shader
// exports.
func (d *Draw) stencilValue() (func(e *state.Export, s *wavePixels, lane int) (v, bits uint32), error) {
	const keep, zero, replace = 0, 1, 3
	r := d.Registers
	exports, reference := r.field(dbShaderControl, 1, 1) != 0, r.field(stencilRefMask, 7, 0)
	bits := r.field(stencilRefMask, 23, 16)
	switch pass := r.field(stencilControl, 7, 4); pass {
	case keep:
		bits = 0
	case zero:
		exports, reference = false, 0
	case replace:
	default:
		return nil, refuse("operation %d on stencils", pass)
	}
	half := r.get(depthFormat) == exportUint16
	return func(e *state.Export, _ *wavePixels, lane int) (v, _ uint32) {
		switch {
		case !exports:
			return reference, bits
		case half: // in this format the stencil has bits 23:16
			return e.Data[0][lane] >> 16 & 0xff, bits
		}
		return e.Data[1][lane] & 0xff, bits
	}, nil
}

// plane returns the tiling plan of a plane whose elements have size bytes. The other arguments are registers: info
// has format and tiling, base and vega have the address (up to GCN 1.2, and on GCN 1.4), and pitch has the pitch on
// GCN 1.4.
func (d *Draw) plane(info, base, vega, pitch uint32, size int) (*tile.Plan, error) {
	r := d.Registers
	s := &tile.Surface{Type: gcn.Image2DArray, Bytes: size, Depth: int(r.field(dbDepthView, 23, 13)) + 1}
	level := 0
	addr := uint64(r.get(base)) << 8
	if isa.GenTraits(d.Machine.Target.Gen()).SwizzleModes {
		addr = uint64(r.get(vega))<<8 | uint64(r.get(vega+4)&0xff)<<40
		s.Width, s.Height = int(r.field(dbDepthSizeVega, 13, 0))+1, int(r.field(dbDepthSizeVega, 29, 16))+1
		s.Levels, s.Pitch, s.Mode = int(r.field(dbZInfoVega, 19, 16))+1, int(r.get(pitch)&0xffff)+1, int(r.field(info, 8, 4))
		level = int(r.field(dbDepthView, 29, 26))
	} else {
		s.Width = int(r.field(dbDepthSize, 10, 0)+1) * side
		s.Height, s.Pitch = int(r.field(dbDepthSize, 21, 11)+1)*side, s.Width
		var err error
		if s.Mode, err = d.depthMode(info); err != nil {
			return nil, err
		}
	}
	s.Swizzle = uint32(addr >> 8)
	p, _, err := d.layout(s, addr, level)
	return p, err
}

// depthMode returns the index of a plane's tiling mode. On GCN 1.0 the register info has the index. Later generations
// have the mode's fields in info and in DB_DEPTH_INFO instead.
func (d *Draw) depthMode(info uint32) (int, error) {
	r := d.Registers
	if d.Machine.Target.Gen() == gcn.GCN10 {
		return int(r.field(info, 22, 20)), nil
	}
	registers, err := d.Machine.Registers()
	if err != nil {
		return 0, err
	}
	const depthMicroTiles, linear = 2, 1
	array, split := r.field(dbDepthInfo, 7, 4), r.field(info, 15, 13)
	for i, mode := range registers.TileMode {
		// GB_TILE_MODE: ARRAY_MODE 5:2, TILE_SPLIT 13:11, MICRO_TILE_MODE_NEW 24:22
		if mode>>2&0xf == array && mode>>22&7 == depthMicroTiles && (array <= linear+1 || mode>>11&7 == split) {
			return i, nil
		}
	}
	return 0, refuse("a depth buffer of a tiling mode that no register has (DB_DEPTH_INFO 0x%x)", r.get(dbDepthInfo))
}
