package tile

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
)

// tailOffsets are the offsets of levels in the block of a mip tail, in units of 256 bytes. Source: rule SW9.
var tailOffsets = [16]uint64{2048, 1024, 512, 256, 128, 64, 32, 16, 8, 6, 5, 4, 3, 2, 1, 0}

// size3 is a size or a position in elements or blocks.
type size3 struct{ w, h, d int }

func (s size3) within(t size3) bool { return s.w <= t.w && s.h <= t.h && s.d <= t.d }

func (s size3) alignedTo(b size3) size3 {
	return size3{align(s.w, b.w), align(s.h, b.h), align(s.d, b.d)}
}

// placeChain computes the offsets of the levels of a GFX9 surface: one chain of levels for each slice.
func (l *Layout) placeChain(r *Registers) (err error) {
	if v := r.AddrConfig; v>>3&7 != 0 {
		return registerError("GB_ADDR_CONFIG", v, "PIPE_INTERLEAVE_SIZE is not 256")
	}
	s := &l.Surface
	if s.Mode == linearMode {
		return l.placeLinearChain()
	}
	if l.swizzle, err = r.newSwizzle(s); err != nil {
		return err
	}
	w := &l.swizzle
	block := size3{w.w, w.h, w.d}
	size := size3{ceilDiv(s.Width, s.BlockW), ceilDiv(s.Height, s.BlockH), s.Depth}
	full := size.alignedTo(block)
	l.ChainPitch, l.ChainHeight = full.w, full.h
	l.Align = 256
	if w.mode.xor != xorNone {
		l.Align = 1 << w.mode.block
	}
	tail := s.Levels
	if s.Levels > 1 {
		tail = l.firstInTail(size, block)
		l.growChain(full, block, tail)
	}
	if err := l.givenPitch(w.w); err != nil {
		return err
	}
	w.columns = uint64(l.ChainPitch / w.w)
	w.slice = w.columns * uint64(l.ChainHeight/w.h)
	blockBits := int(w.mode.block)
	l.Size = w.slice * uint64(full.d/w.d) << blockBits
	at := size3{}
	for i := range l.Levels() {
		v := &l.levels[i]
		if tail > 0 {
			at = l.start(size3{full.w / w.w, full.h / w.h, full.d / w.d}, i)
		}
		p := size.alignedTo(block)
		if i >= tail {
			v.InTail = true
			p = block
			at := i - tail + 20 - blockBits
			if at >= len(tailOffsets) {
				return &Error{NotSupported, fmt.Sprintf("level %d in the mip tail of a block of %d bytes", i, 1<<blockBits)}
			}
			v.tailOffset = tailOffsets[at] << 8
		}
		if i == 0 && s.Levels == 1 {
			p.w = l.ChainPitch
		}
		v.Pitch, v.Rows, v.Slices = p.w, p.h, p.d
		if !w.thick { // a thin block holds one slice only
			v.Slices = s.Depth
			if s.Type == gcn.Image3D {
				v.Slices = v.Depth
			}
		}
		v.Size = uint64(v.Pitch*v.Rows) * uint64(v.Slices) * uint64(s.Bytes*s.Samples)
		v.Offset = (uint64(at.d)*w.slice+uint64(at.h)*w.columns+uint64(at.w))<<blockBits + v.tailOffset
		size = size3{max(1, align(size.w, block.w)/2), max(1, align(size.h, block.h)/2), max(1, align(size.d, block.d)/2)}
	}
	return nil
}

// placeLinearChain computes the offsets of the levels of SW_LINEAR. Source: rule SW10.
func (l *Layout) placeLinearChain() error {
	s := &l.Surface
	switch {
	case s.Samples > 1:
		return &Error{NotSupported, "linear surfaces with samples"}
	case s.Bytes == 12 && s.Levels > 1:
		return &Error{NotSupported, "96-bit elements with levels"}
	case s.Bytes == 12:
		l.assumed |= bits96
	}
	l.Align = 256
	width, rows := ceilDiv(s.Width, s.BlockW), ceilDiv(s.Height, s.BlockH)
	l.ChainPitch = align(width, max(1, 256/s.Bytes))
	if s.Bytes == 12 {
		l.ChainPitch = width
	}
	l.pitchIsHeight = s.Levels > 1
	for i := range l.Levels() {
		v := &l.levels[i]
		v.mode = linearAligned
		v.Rows, v.Slices = rows, v.Depth
		l.ChainHeight += rows
		rows = ceilDiv(rows, 2)
	}
	if err := l.givenPitch(1); err != nil {
		return err
	}
	pitch := uint64(l.ChainPitch * s.Bytes)
	for i := range l.Levels() {
		v := &l.levels[i]
		v.Pitch = l.ChainPitch
		v.Offset = l.Size
		v.Size = pitch * uint64(v.Rows) * uint64(v.Slices)
		l.Size += pitch * uint64(v.Rows)
	}
	l.Size *= uint64(s.Depth)
	return nil
}

// givenPitch applies Surface.Pitch if it is set. It must be a multiple of step.
func (l *Layout) givenPitch(step int) error {
	s := &l.Surface
	switch {
	case s.Pitch == 0, s.Levels > 1 && s.Pitch == l.ePitch():
		return nil
	case s.Levels > 1 && s.Mode == linearMode && s.Pitch >= l.ChainPitch && s.Pitch*s.Bytes%256 == 0:
		// AMD's address library stores the height of a chain in EPITCH, drivers store the pitch of all its levels (rule
		// SW10).
	case s.Levels > 1:
		return &Error{BadSurface, fmt.Sprintf("EPITCH+1 is %d, but the chain of levels needs %d", s.Pitch, l.ePitch())}
	case s.Pitch < l.levels[0].Width || s.Pitch%step != 0:
		return &Error{BadSurface, fmt.Sprintf("a pitch of %d elements for %d elements: not a multiple of %d or too "+
			"small; the smallest one is %d", s.Pitch, l.levels[0].Width, step, align(l.levels[0].Width, step))}
	}
	l.ChainPitch = s.Pitch
	return nil
}

// firstInTail returns the first level in the mip tail. Source: rule SW9.
func (l *Layout) firstInTail(size, block size3) int {
	w, most := &l.swizzle, block
	switch {
	case !w.thick:
		most.w /= 2
		most.d = maxDepth
	case w.mode.block%3 == 0:
		most.h /= 2
	case w.mode.block%3 == 1:
		most.w /= 2
	default:
		most.d /= 2
	}
	for i := range l.Surface.Levels {
		if size.within(most) {
			return i
		}
		size = size.alignedTo(block)
		size = size3{max(1, size.w/2), max(1, size.h/2), max(1, size.d/2)}
	}
	return l.Surface.Levels
}

// major returns the axis along which a chain of levels grows: 0, 1 or 2 for x, y or z.
func (w *swizzle) major(blocks size3) int {
	switch {
	case blocks.w >= blocks.h && (!w.thick || blocks.w >= blocks.d):
		return 0
	case !w.thick || blocks.h >= blocks.d:
		return 1
	}
	return 2
}

// growChain enlarges the chain for the levels after the first. full is the size of level 0.
func (l *Layout) growChain(full, block size3, tail int) {
	l.pitchIsHeight = true
	if tail == 0 { // all levels are in one block
		return
	}
	room := func(blocks int) int {
		half := ceilDiv(blocks, 2)
		if half == 1 && min(tail, l.Surface.Levels-1) > 2 {
			half++
		}
		return half
	}
	blocks := size3{full.w / block.w, full.h / block.h, full.d / block.d}
	if l.swizzle.major(blocks) == 1 {
		l.pitchIsHeight = false
		l.ChainPitch += room(blocks.w) * block.w
		return
	}
	l.ChainHeight += room(blocks.h) * block.h
}

// start returns the position of a level's first block in a chain whose level 0 has m blocks. Source: rule SW8.
func (l *Layout) start(m size3, level int) (at size3) {
	w := &l.swizzle
	major := w.major(m)
	for i := 1; i <= level; i++ {
		axis := major
		if i == 1 || i == 3 { // these levels are placed along the minor axis
			axis = 1
			if major == 1 {
				axis = 0
			}
		}
		switch axis {
		case 0:
			at.w += m.w
		case 1:
			at.h += m.h
		default:
			at.d += m.d
		}
		last := size3{1, 2, m.d}
		if w.thick {
			last = [3]size3{{2, 1, 2}, {1, 2, 2}, {2, 2, 1}}[w.mode.block%3]
		}
		if m.within(last) {
			break
		}
		m = size3{ceilDiv(m.w, 2), ceilDiv(m.h, 2), ceilDiv(m.d, 2)}
	}
	return at
}
