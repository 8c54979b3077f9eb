package tile

import "github.com/gcnsim/gcnsim/internal/tool/enum"

// bitOf identifies a bit of a coordinate.
type bitOf struct{ axis, bit uint8 }

// parseBits parses a list of coordinate bits such as "x0 y0 x1", lowest index bit first.
func parseBits(text string) (p []bitOf) {
	for i := 0; i+1 < len(text); i += 3 {
		p = append(p, bitOf{text[i] - 'x', text[i+1] - '0'})
	}
	return p
}

// gather returns the index that consists of the bits p of x, y and z.
func gather(p []bitOf, x, y, z uint32) (index uint32) {
	c := [3]uint32{x, y, z}
	for i, b := range p {
		index |= c[b.axis] >> b.bit & 1 << i
	}
	return index
}

// microPatterns are the orders of elements in a micro tile, indexed by log2 of the bytes of an element. Source: rule
// TL2.
var microPatterns = [numMicroModes][5][]bitOf{
	microDisplay: {
		parseBits("x0 x1 x2 y1 y0 y2"), parseBits("x0 x1 x2 y0 y1 y2"), parseBits("x0 x1 y0 x2 y1 y2"),
		parseBits("x0 y0 x1 x2 y1 y2"), parseBits("y0 x0 x1 x2 y1 y2"),
	},
	microThin:  {thinBits, thinBits, thinBits, thinBits, thinBits},
	microDepth: {thinBits, thinBits, thinBits, thinBits, thinBits},
	microRotated: {
		parseBits("y0 y1 y2 x1 x0 x2"), parseBits("y0 y1 y2 x0 x1 x2"), parseBits("y0 y1 x0 y2 x1 x2"),
		parseBits("y0 x0 y1 x1 x2 y2"),
	},
	microThick: {
		thickBits, thickBits, parseBits("x0 y0 x1 z0 y1 z1 x2 y2"), parseBits("x0 y0 z0 x1 y1 z1 x2 y2"),
		parseBits("x0 y0 z0 x1 y1 z1 x2 y2"),
	},
}

var _ = enum.Full[microMode](microPatterns[:])

var (
	thinBits  = parseBits("x0 y0 x1 y1 x2 y2")
	thickBits = parseBits("x0 y0 x1 y1 z0 z1 x2 y2")
)

// microTile describes the order of elements in one micro tile of 8x8 elements and one or more slices.
type microTile struct {
	bits    []bitOf
	samples uint32
	bytes   uint32
	thick   uint32
	depth   bool // the samples of an element are adjacent
}

func newMicroTile(mode microMode, thick int, s *Surface) microTile {
	if mode == microThick && thick == 1 {
		mode = microThin
	}
	return microTile{microPatterns[mode][log2(uint32(s.Bytes))], uint32(s.Samples), uint32(s.Bytes), uint32(thick),
		mode == microDepth}
}

// offset returns the byte offset of an element in its micro tile. Source: rule TL2.
func (m *microTile) offset(x, y, z, s uint32) uint32 {
	z &= m.thick - 1
	index, n := gather(m.bits, x, y, z), len(m.bits)
	for bit := n - 6; 1<<bit < int(m.thick); bit++ { // bits of the slice that the pattern does not list
		index |= z >> bit & 1 << n
		n++
	}
	if m.depth {
		return (index*m.samples + s) * m.bytes
	}
	return index*m.bytes + s*64*m.thick*m.bytes
}

// linearRows is the mapping of linear levels. Source: rule TL3.
type linearRows struct{ bytes, pitch, slice, sample uint64 }

func (m *linearRows) at(x, y, z, s uint32) term {
	return term{Add: (uint64(z)*m.slice + uint64(s)*m.sample + uint64(y)*m.pitch + uint64(x)) * m.bytes}
}

// microTiles is the mapping of 1D tiled levels. Source: rule TL4.
type microTiles struct {
	micro             microTile
	tile, rows, slice uint64 // bytes of a tile, a row of tiles, a slice of tiles
}

func (m *microTiles) at(x, y, z, s uint32) term {
	return term{
		Add: uint64(z/m.micro.thick)*m.slice + uint64(y/8)*m.rows + uint64(x/8)*m.tile,
		Xor: uint64(m.micro.offset(x, y, z, s)),
	}
}

// macroTiles is the mapping of 2D, 3D and PRT tiled levels. Source: rule TL5.
type macroTiles struct {
	t              *tiling
	am             *arrayModeFacts
	micro          microTile
	tile, splits   uint32 // bytes of a tile after splitting, and number of parts
	bank           uint64 // bytes of a macro tile in one bank of one pipe
	w, h           uint32 // size of a macro tile in elements
	columns, slice uint64 // macro tiles in a row, and in a slice
	interleave     uint64
}

// fullTile returns the bytes of a micro tile with all its samples.
func (t *tiling) fullTile(s *Surface, thick int) int { return 64 * thick * s.Bytes * s.Samples }

// tileBytes returns the bytes of a micro tile after splitting.
func (t *tiling) tileBytes(s *Surface, thick int) int {
	full := t.fullTile(s, thick)
	if thick == 1 && full > t.split {
		return t.split
	}
	return full
}

func newMacroTiles(l *Layout, v *Level) macroTiles {
	t, s, am := &l.tiling, &l.Surface, &arrayModes[v.mode]
	w, h := t.macroSize()
	tile := t.tileBytes(s, am.thick)
	return macroTiles{
		t: t, am: am, micro: newMicroTile(t.micro, am.thick, s),
		tile: uint32(tile), splits: uint32(t.fullTile(s, am.thick) / tile), bank: uint64(tile * t.bankW * t.bankH),
		w: uint32(w), h: uint32(h), columns: uint64(v.Pitch / w), slice: uint64(v.Pitch/w) * uint64(v.Rows/h),
		interleave: uint64(l.interleave),
	}
}

func (m *macroTiles) at(x, y, z, s uint32) term {
	t := m.t
	np, bw, bh, nb := uint32(t.np), uint32(t.bankW), uint32(t.bankH), uint32(t.banks)
	offset := m.micro.offset(x, y, z, s)
	part := offset / m.tile
	offset %= m.tile
	macro := uint64(y/m.h)*m.columns + uint64(x/m.w) + m.slice*uint64(part+m.splits*(z/m.micro.thick))
	offset += (y/8%bh*bw + x/8/np%bw) * m.tile
	if m.am.wrapTile {
		x, y = x%m.w, y%m.h
	}
	u, v := x/8/(bw*np), y/8/bh
	var bank uint32
	for i, b := range bankBits[log2(nb)-1] {
		bank |= (parity(u&b[0]) ^ parity(v&b[1])) << i
	}
	if m.am.splitBank {
		bank = (bank ^ (nb/2+1)*part) & (nb - 1)
	}
	pi := m.interleave
	return term{
		Add: macro * m.bank * uint64(np*nb),
		Xor: (((uint64(offset)/pi*uint64(nb))+uint64(bank))*uint64(np)+uint64(t.pipes.pipe(x, y)))*pi + uint64(offset)%pi,
	}
}

// injective reports whether all elements of a macro tile have different addresses.
func (m *macroTiles) injective() bool {
	var basis basis
	ok := true
	for bit := uint32(1); bit < m.w; bit <<= 1 {
		ok = basis.add(m.at(bit, 0, 0, 0)) && ok
	}
	for bit := uint32(1); bit < m.h; bit <<= 1 {
		ok = basis.add(m.at(0, bit, 0, 0)) && ok
	}
	for bit := uint32(1); bit < m.micro.thick; bit <<= 1 {
		ok = basis.add(m.at(0, 0, bit, 0)) && ok
	}
	for bit := uint32(1); bit < m.micro.samples; bit <<= 1 {
		ok = basis.add(m.at(0, 0, 0, bit)) && ok
	}
	return ok
}

// rotation returns how the slice and the swizzle of s change pipe and bank.
func (m *macroTiles) rotation(s *Surface) rotation {
	np, nb := uint32(m.t.np), uint32(m.t.banks)
	at := log2(uint32(m.interleave))
	r := rotation{
		zShift: uint8(log2(m.micro.thick)), pipeAt: uint8(at), bankAt: uint8(at + log2(np)), pipeMask: np - 1,
		bankMask: nb - 1,
		pipe:     s.Swizzle & (np - 1), bank: s.Swizzle / np & (nb - 1), carryShift: uint8(log2(np)),
	}
	switch m.am.rotate {
	case rotate2D:
		r.bankStep = nb/2 - 1
	case rotate3D:
		r.pipeStep = max(1, np/2-1)
		r.carryStep = r.pipeStep
	}
	return r
}
