package tile

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
)

// swizzleKind is the letter of a swizzle mode: the order of elements in a block.
type swizzleKind uint8

const (
	kindZ swizzleKind = iota
	kindS
	kindD
	kindR
	numKinds = iota
)

// xorKind selects how a swizzle mode distributes blocks over pipes and banks.
type xorKind uint8

const (
	xorNone xorKind = iota
	xorT            // by the position in the block
	xorX            // by the position in the surface
)

// swizzleMode describes an SW_MODE.
type swizzleMode struct {
	name  string
	kind  swizzleKind
	block uint8 // log2 of the bytes of a block
	xor   xorKind
}

// linearMode is SW_LINEAR.
const linearMode = 0

// swizzleModes are the swizzle modes, indexed by code. Source: rule SW1.
var swizzleModes = [32]swizzleMode{
	linearMode: {name: "LINEAR", block: 8},
	1:          {"256B_S", kindS, 8, xorNone}, 2: {"256B_D", kindD, 8, xorNone}, 3: {"256B_R", kindR, 8, xorNone},
	4: {"4KB_Z", kindZ, 12, xorNone}, 5: {"4KB_S", kindS, 12, xorNone}, 6: {"4KB_D", kindD, 12, xorNone},
	7: {"4KB_R", kindR, 12, xorNone},
	8: {"64KB_Z", kindZ, 16, xorNone}, 9: {"64KB_S", kindS, 16, xorNone}, 10: {"64KB_D", kindD, 16, xorNone},
	11: {"64KB_R", kindR, 16, xorNone},
	16: {"64KB_Z_T", kindZ, 16, xorT}, 17: {"64KB_S_T", kindS, 16, xorT}, 18: {"64KB_D_T", kindD, 16, xorT},
	19: {"64KB_R_T", kindR, 16, xorT},
	20: {"4KB_Z_X", kindZ, 12, xorX}, 21: {"4KB_S_X", kindS, 12, xorX}, 22: {"4KB_D_X", kindD, 12, xorX},
	23: {"4KB_R_X", kindR, 12, xorX},
	24: {"64KB_Z_X", kindZ, 16, xorX}, 25: {"64KB_S_X", kindS, 16, xorX}, 26: {"64KB_D_X", kindD, 16, xorX},
	27: {"64KB_R_X", kindR, 16, xorX},
}

// SwizzleModeName returns the name of a GFX9 SW_MODE, as in "64KB_S_X", or "" if the code
// is reserved.
func SwizzleModeName(code int) string {
	if code < 0 || code >= len(swizzleModes) {
		return ""
	}
	return swizzleModes[code].name
}

// thinPatterns are the low address bits of thin blocks above the bytes of an element, indexed by log2 of the bytes of
// an element. Z modes have a rule instead of a pattern. Source: rule SW4.
var thinPatterns = [numKinds][5][]bitOf{
	kindS: {
		parseBits("x0 x1 x2 x3 y0 y1 y2 y3"), parseBits("x0 x1 x2 y0 y1 y2 x3"), parseBits("x0 x1 y0 y1 y2 x2"),
		parseBits("x0 y0 y1 x1 x2"), parseBits("y0 y1 x0 x1"),
	},
	kindD: {
		parseBits("x0 x1 x2 y1 y0 y2 x3 y3"), parseBits("x0 x1 x2 y0 y1 y2 x3"), parseBits("x0 x1 y0 x2 y1 y2"),
		parseBits("x0 y0 x1 x2 y1"), parseBits("x0 y0 x1 y1"),
	},
	kindR: {
		parseBits("y0 y1 y2 x1 x0 x2 x3 y3"), parseBits("y0 y1 y2 x0 x1 x2 x3"), parseBits("y0 y1 x0 y2 x1 x2"),
		parseBits("y0 x0 y1 x1 x2"),
	},
}

var _ = enum.Full(thinPatterns[:], kindZ)

// thickPatterns are the low address bits of thick blocks. Source: rule SW4.
var thickPatterns = [numKinds][5][]bitOf{
	kindZ: {
		parseBits("x0 y0 x1 y1 z0 z1 x2 z2 y2 x3"), parseBits("x0 y0 x1 y1 z0 z1 z2 y2 x2"),
		parseBits("x0 y0 x1 z0 y1 z1 y2 x2"),
		parseBits("x0 y0 z0 x1 z1 y1 x2"), parseBits("x0 y0 z0 z1 y1 x1"),
	},
	kindS: {
		parseBits("x0 x1 x2 x3 y0 y1 z0 z1 z2 y2"), parseBits("x0 x1 x2 y0 y1 z0 z1 z2 y2"),
		parseBits("x0 x1 y0 y1 z0 z1 y2 x2"),
		parseBits("x0 y0 y1 z0 z1 x1 x2"), parseBits("y0 y1 z0 z1 x0 x1"),
	},
}

var _ = enum.Full(thickPatterns[:], kindD, kindR)

// Sizes of a 256-byte block of 2D texels and of a 1 KB block of 3D texels, indexed by log2 of the bytes of an
// element. Source: rule SW5.
var (
	thinSizes  = [5][2]int{{16, 16}, {16, 8}, {8, 8}, {8, 4}, {4, 4}}
	thickSizes = [5][3]int{{16, 8, 8}, {8, 8, 8}, {8, 8, 4}, {8, 4, 4}, {4, 4, 4}}
)

// addressBits is the number of bits of an element's position that matter: the bits within a block, and the bits above
// them that are XORed.
const addressBits = 30

// swizzle is a swizzle mode decoded for a surface. Without a mode the surface is linear or not of GFX9.
type swizzle struct {
	mode         *swizzleMode
	thick        bool
	w, h, d      int // size of a block in elements
	pipes, banks int // log2 of the pipes and banks over which a block is distributed
	samples      int // log2 of the samples
	sampleAt     int // address bit of the sample in Z modes
	bits         [addressBits]bitOf
	columns      uint64 // blocks in a row of the chain
	slice        uint64 // blocks in a slice
}

// namedModes lists the modes that are not reserved.
func namedModes() string {
	var all []string
	for code, m := range swizzleModes {
		if m.name != "" {
			all = append(all, fmt.Sprint(code))
		}
	}
	return strings.Join(all, ", ")
}

// none marks an address bit that no coordinate determines.
const none = 3

// newSwizzle decodes the mode of s. Source: rules SW2 and SW3.
func (r *Registers) newSwizzle(s *Surface) (w swizzle, err error) {
	w.mode = &swizzleModes[s.Mode]
	w.samples = log2(uint32(s.Samples))
	m, is3D := w.mode, s.Type == gcn.Image3D
	if m.name == "" {
		return w, badSurface("SW_MODE %d is reserved; those with a name are %s", s.Mode, namedModes())
	}
	if what := m.refuses(s); what != "" {
		return w, &Error{NotSupported, "swizzle mode " + m.name + " with " + what}
	}
	n := int(m.block)
	w.pipes = min(n-8, int(r.AddrConfig&7+r.AddrConfig>>19&3))
	w.banks = min(n-8-w.pipes, int(r.AddrConfig>>12&7))
	w.thick = is3D && m.kind <= kindS
	b := log2(uint32(s.Bytes))
	if w.thick {
		k := n - 10
		size := thickSizes[b]
		w.w, w.h, w.d = size[0]<<(k/3), size[1]<<(k/3+k%3/2), size[2]<<(k/3+(k%3+1)/2)
	} else {
		k := n - 8
		size := thinSizes[b]
		w.w, w.h, w.d = size[0]<<(k/2)>>((w.samples+1)/2), size[1]<<(k-k/2)>>(w.samples/2), 1
	}
	w.order(b, is3D)
	return w, nil
}

// refuses returns the property of s that the mode does not support, "" if it supports all.
func (m *swizzleMode) refuses(s *Surface) string {
	is3D := s.Type == gcn.Image3D
	switch {
	case s.Bytes == 12:
		return "96-bit elements"
	case isa.ShapeOf(s.Type).Linear1D:
		return "1D images"
	case is3D && m.block == 8, is3D && m.kind == kindR, is3D && m.kind == kindD && m.xor == xorT:
		return "3D images"
	case m.block == 8 && s.Levels > 1:
		return "levels"
	case s.Samples > 1 && m.block < 16 && m.xor == xorNone:
		return "samples"
	case s.Bytes == 16 && (m.kind == kindR || m.kind == kindZ && !is3D):
		return "128-bit elements"
	}
	return ""
}

// order sets the coordinate bit of each address bit, for elements of 1<<b bytes.
func (w *swizzle) order(b int, is3D bool) {
	for i := range w.bits {
		w.bits[i].axis = none
	}
	var next [3]uint8 // next bit of each axis
	set := func(at int, axis uint8) {
		w.bits[at] = bitOf{axis, next[axis]}
		next[axis]++
	}
	low := thinPatterns[w.mode.kind][b]
	switch {
	case w.thick:
		low = thickPatterns[w.mode.kind][b]
	case is3D: // kind D
		low = thinPatterns[kindS][b]
	}
	for i, c := range low {
		set(b+i, c.axis)
		w.bits[b+i].bit = c.bit
	}
	for at := b + len(low); at < addressBits-w.samples; at++ {
		switch {
		case w.thick:
			set(at, [3]uint8{0, 2, 1}[at%3])
		case at < 6: // kind Z only
			set(at, uint8(at-b)&1)
		default:
			set(at, uint8(at+1)&1)
		}
	}
	if w.mode.kind == kindZ && w.samples != 0 { // the lowest bits are the sample
		copy(w.bits[b+w.samples:], w.bits[b:])
		w.sampleAt = b
		for i := range w.samples {
			w.bits[b+i].axis = none
		}
	}
}

// swizzleMask returns the bits that are swizzle in a base in units of 256 bytes.
func (w *swizzle) swizzleMask() uint32 {
	if w.mode.xor == xorNone {
		return 0
	}
	return 1<<(w.pipes+w.banks) - 1
}

// fold returns the n low bits of v XORed with the next bits from the other end: the next n bits of v in thin blocks,
// every third bit in thick blocks, for y and z alike.
func (w *swizzle) fold(v uint64, n int) uint64 {
	low := v & (1<<n - 1)
	v >>= n
	if w.thick {
		return low ^ reverse(even(v), n) ^ reverse(even(v>>1), n)
	}
	return low ^ reverse(v, n)
}

// reverse returns the n low bits of v in reverse order.
func reverse(v uint64, n int) uint64 { return bits.Reverse64(v) >> (64 - n) }

// even returns the even-numbered bits of v, packed.
func even(v uint64) (e uint64) {
	for i := range 16 {
		e |= v >> (2 * i) & 1 << i
	}
	return e
}

// at is the mapping of swizzled levels, relative to the first block. Source: rules SW6 and SW7.
func (w *swizzle) at(x, y, z, s uint32) term {
	c := [4]uint32{x, y, z, 0}
	var o uint64
	for i, b := range w.bits {
		o |= uint64(c[b.axis]>>b.bit&1) << i
	}
	n, top := int(w.mode.block), int(w.mode.block)-w.samples
	switch {
	case w.mode.kind == kindZ:
		o |= uint64(s) << w.sampleAt
	case w.mode.xor == xorX:
		o ^= uint64(s) << top
	default:
		o = o&(1<<top-1) | uint64(s)<<top
	}
	if w.mode.xor != xorNone {
		v := o
		if w.mode.xor == xorT {
			v &= 1<<n - 1
		}
		v >>= 8
		pipe, bank := w.fold(v, w.pipes), w.fold(v>>w.pipes, w.banks)
		if w.mode.xor == xorX && !w.thick && w.samples == 0 {
			pipe ^= reverse(uint64(z), w.pipes)
			bank ^= reverse(uint64(z)>>w.pipes, w.banks)
		}
		o = o&^(uint64(w.swizzleMask())<<8) | pipe<<8 | bank<<(8+w.pipes)
	}
	return term{
		Add: (uint64(z)/uint64(w.d)*w.slice + uint64(y)/uint64(w.h)*w.columns + uint64(x)/uint64(w.w)) << n,
		Xor: o & (1<<n - 1),
	}
}

// swizzleEquation sets e to the equation of level v. Source: rules SW4, SW6 and SW7.
func (l *Layout) swizzleEquation(e *equation, v *Level) {
	w := &l.swizzle
	e.base = v.Offset - v.tailOffset
	e.flip = v.tailOffset ^ uint64(l.Surface.Swizzle&w.swizzleMask())<<8
	e.fill(w)
}
