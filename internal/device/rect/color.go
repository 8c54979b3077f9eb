package rect

import (
	"encoding/binary"
	"math"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/base/half"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/format"
	"github.com/gcnsim/gcnsim/state"
)

// store is a target of exports: a colour buffer, or a plane of the depth buffer.
type store interface {
	takes(target uint8) bool
	// store writes the exports of the lanes in mask to the pixels s.
	store(m Memory, e *state.Export, mask uint64, s *wavePixels, layer uint32) error
}

// stores returns the colour buffers, and the planes of the depth buffer, that the draw writes.
func (d *Draw) stores() (all []store, err error) {
	r := d.Registers
	for i := range uint32(colorTargets) {
		mask := r.field(targetMask, 4*int(i)+3, 4*int(i)) & r.field(shaderMask, 4*int(i)+3, 4*int(i))
		if mask == 0 || r.field(colorFormat, 4*int(i)+3, 4*int(i)) == 0 || r.field(colorBase+colorStride*i+0x10, 6, 2) == 0 {
			continue
		}
		c, err := d.color(i, mask)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	depth, err := d.depth()
	if err != nil {
		return nil, err
	}
	return append(all, depth...), nil
}

// color is a colour buffer.
type color struct {
	target   uint8
	plan     *tile.Plan
	slices   uint32
	first    uint32 // slice of layer 0
	format   *format.Format
	exported uint32                       // its field of SPI_SHADER_COL_FORMAT
	from     [format.MaxComponents]int    // index of the colour (red, green, blue, alpha) in each component in memory
	keep     [format.MaxComponents]uint32 // bits of the element that are not written, by dword
}

// Offsets of a colour buffer's registers from its first one.
const (
	cbBase   = 0x00
	cbPitch  = 0x04 // BASE_EXT on GCN 1.4
	cbSlice  = 0x08 // ATTRIB2 on GCN 1.4
	cbView   = 0x0c
	cbInfo   = 0x10
	cbAttrib = 0x14
)

// color returns colour buffer i. mask has the components that are written.
func (d *Draw) color(i, mask uint32) (*color, error) {
	r, gen, at := d.Registers, d.Machine.Target.Gen(), colorBase+colorStride*i
	const copyAll, normal = 0xcc, 1
	switch mode := r.field(colorControl, 6, 4); {
	case mode != normal || r.field(colorControl, 23, 16) != copyAll:
		return nil, refuse("an operation on a whole colour buffer, or a logical one (CB_COLOR_CONTROL 0x%x)",
			r.get(colorControl))
	case r.field(blendControl+4*i, 30, 30) != 0:
		return nil, refuse("blending")
	case r.field(at+cbInfo, 14, 14) != 0 || r.field(at+cbInfo, 28, 28) != 0:
		return nil, refuse("a compressed colour buffer (CB_COLOR%d_INFO 0x%x)", i, r.get(at+cbInfo))
	case r.field(at+cbAttrib, 14, 12) != 0:
		return nil, refuse("a colour buffer with samples")
	}
	c := &color{target: uint8(i), exported: r.field(colorFormat, 4*int(i)+3, 4*int(i)), first: r.field(at+cbView, 10, 0)}
	const srgb, srgbOfImages = 6, 9
	number := r.field(at+cbInfo, 10, 8)
	if number == srgb {
		number = srgbOfImages
	}
	data := r.field(at+cbInfo, 6, 2)
	var err error
	if c.format, err = format.LookupImage(gen, uint8(data), uint8(number)); err != nil || !c.format.Packs {
		return nil, refuse("a colour buffer of format %d, %d", data, number)
	}
	c.from = swaps[r.field(at+cbInfo, 12, 11)][c.format.Components-1]
	c.mask(mask)
	base := uint64(r.get(at+cbBase)) << 8
	s := d.legacySurface(at, c.format)
	if isa.GenTraits(gen).SwizzleModes {
		base |= uint64(r.get(at+cbPitch)&0xff) << 40
		s = d.vegaSurface(at, i, c.format)
	}
	s.Swizzle = uint32(base >> 8)
	c.plan, c.slices, err = d.layout(s, base, int(r.field(at+cbView, 27, 24)))
	return c, err
}

// layout returns the tiling plan of a level of a surface. The low bits of the address base are the surface's swizzle.
func (d *Draw) layout(s *tile.Surface, base uint64, level int) (*tile.Plan, uint32, error) {
	registers, err := d.Machine.Registers()
	if err != nil {
		return nil, 0, err
	}
	l, err := registers.Layout(*s)
	if err != nil {
		return nil, 0, refuse("%v", err)
	}
	if level >= len(l.Levels()) {
		return nil, 0, refuse("level %d of %d", level, len(l.Levels()))
	}
	n := l.Levels()[level].Depth
	plan, err := l.Plan(level, base&^l.SwizzleMask, 0, n)
	if err != nil {
		return nil, 0, refuse("%v", err)
	}
	return plan, uint32(n), nil
}

// legacySurface returns the surface of a colour buffer up to GCN 1.2. It has one level.
func (d *Draw) legacySurface(at uint32, f *format.Format) *tile.Surface {
	r := d.Registers
	pitch := int(r.field(at+cbPitch, 10, 0)+1) * 8
	return &tile.Surface{
		Type: gcn.Image2DArray, Bytes: f.Size, Width: pitch, Height: max(1, int(r.field(at+cbSlice, 21, 0)+1)*64/pitch),
		Depth: int(r.field(at+cbView, 23, 13)) + 1, Pitch: pitch, Mode: int(r.field(at+cbAttrib, 4, 0)),
	}
}

// vegaSurface returns the surface of colour buffer i on GCN 1.4, with all of its levels.
func (d *Draw) vegaSurface(at, i uint32, f *format.Format) *tile.Surface {
	r := d.Registers
	s := &tile.Surface{
		Type: gcn.Image2DArray, Bytes: f.Size, Width: int(r.field(at+cbSlice, 27, 14)) + 1,
		Height: int(r.field(at+cbSlice, 13, 0)) + 1, Depth: int(r.field(at+cbAttrib, 10, 0)) + 1,
		Levels: int(r.field(at+cbSlice, 31, 28)) + 1, Pitch: int(r.get(pitchVega+4*i)&0xffff) + 1,
		Mode: int(r.field(at+cbAttrib, 22, 18)),
	}
	const oneD, threeD = 0, 2
	switch r.field(at+cbAttrib, 29, 28) {
	case oneD:
		s.Type = gcn.Image1DArray
	case threeD:
		s.Type = gcn.Image3D
	}
	return s
}

// swaps are the colours of the components in memory, by COMP_SWAP and number of components. 0 is red, 3 alpha.
// Source: Mesa, radv_translate_colorswap.
var swaps = [4][format.MaxComponents][format.MaxComponents]int{
	{{0}, {0, 1}, {0, 1, 2}, {0, 1, 2, 3}},
	{{1}, {0, 3}, {0, 1, 3}, {2, 1, 0, 3}},
	{{2}, {1, 0}, {2, 1, 0}, {3, 2, 1, 0}},
	{{3}, {3, 0}, {3, 1, 0}, {3, 0, 1, 2}},
}

// mask computes c.keep, the bits of components that are not in mask.
func (c *color) mask(mask uint32) {
	at := 0
	for i := range c.format.Components {
		for range c.format.Widths[i] {
			if mask>>c.from[i]&1 == 0 {
				c.keep[at/32] |= 1 << (at % 32)
			}
			at++
		}
	}
}

// takes reports whether an export with that target belongs to the buffer.
func (c *color) takes(target uint8) bool { return target == c.target }

// store converts an export to the buffer's format and stores it.
func (c *color) store(m Memory, e *state.Export, mask uint64, s *wavePixels, layer uint32) error {
	var values, words [format.MaxComponents]state.Lanes
	if err := c.values(&values, e); err != nil {
		return err
	}
	var src, dst [format.MaxComponents][]uint32
	for i := range c.format.Components {
		src[i] = values[c.from[i]][:]
	}
	for i := range c.format.Words {
		dst[i] = words[i][:]
	}
	c.format.Pack(&dst, &src)
	return write(m, c.plan, mask, s, c.first+layer, c.format.Size, c.keep != [4]uint32{}, func(b []byte, lane int) {
		for i := 0; i < len(b); i += 4 {
			var old [4]byte
			copy(old[:], b[i:])
			v := binary.LittleEndian.Uint32(old[:])&c.keep[i/4] | words[i/4][lane]&^c.keep[i/4]
			binary.LittleEndian.PutUint32(old[:], v)
			copy(b[i:], old[:])
		}
	})
}

// write changes the elements of the lanes in mask. An element has size bytes. change receives the old bytes if reads
// is set, and returns the new ones in place.
func write(m Memory, p *tile.Plan, mask uint64, s *wavePixels, slice uint32, size int, reads bool,
	change func(b []byte, lane int)) error {
	z := all(slice)
	var addrs [state.NumLanes]uint64
	in := p.Lanes(&addrs, mask, &s.x, &s.y, &z, nil)
	var element [16]byte
	for lane := range addrs {
		if in>>lane&1 == 0 {
			continue
		}
		b := element[:size]
		if reads {
			if err := m.Read(b, addrs[lane]); err != nil {
				return err
			}
		}
		change(b, lane)
		if err := m.Write(b, addrs[lane]); err != nil {
			return err
		}
	}
	return nil
}

// Formats of exports, SPI_SHADER_COL_FORMAT.
const (
	export32R    = 1
	export32GR   = 2
	export32AR   = 3
	exportHalf   = 4
	exportUnorm  = 5
	exportSnorm  = 6
	exportUint16 = 7
	exportSint16 = 8
	export32     = 9
)

// values converts an export to components of the buffer's number type.
func (c *color) values(to *[format.MaxComponents]state.Lanes, e *state.Export) error {
	switch c.exported {
	case export32R, export32GR, export32AR, export32:
		*to = e.Data
		return nil
	}
	if !e.Compressed {
		return refuse("an export of 32 bits for a colour buffer that takes 16")
	}
	for i := range to {
		for lane, v := range e.Data[i/2] {
			v = v >> (16 * (i % 2)) & 0xffff
			switch c.exported {
			case exportHalf:
				v = half.ToSingle(v)
			case exportUnorm:
				v = math.Float32bits(float32(v) / 0xffff)
			case exportSnorm:
				v = math.Float32bits(max(-1, float32(int16(v))/0x7fff))
			case exportUint16:
			case exportSint16:
				v = uint32(int32(int16(v)))
			default:
				return refuse("exports of format %d", c.exported)
			}
			to[i][lane] = v
		}
	}
	return nil
}
