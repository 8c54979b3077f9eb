package tile

import (
	"fmt"
	"unsafe"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// Level describes the memory of one mip level.
type Level struct {
	Mode                 string    // tiling: an ARRAY_MODE such as "2D_THIN1", or a SW_MODE such as "64KB_S_X"
	Width, Height, Depth int       // size in elements; Depth is the z size of a 3D image, else the number of layers
	Pitch, Rows, Slices  int       // size in elements with padding; a level in the tail has the size of the tail's block
	Offset               uint64    // first byte, relative to the base
	Size                 uint64    // size in bytes with padding
	InTail               bool      // the level shares a block with all deeper levels (GCN 1.4)
	PlanBytes            int       // size in bytes of the tables of its [Plan]
	tailOffset           uint64    // the part of Offset within the tail's block
	mode                 arrayMode // set before GCN 1.4; linearAligned later
}

// Layout describes the memory of all levels of a surface.
type Layout struct {
	Surface Surface
	Size    uint64 // bytes of all levels and slices
	Align   uint64 // alignment of the base in bytes
	Assumed string // the unconfirmed rules that it depends on (rule TL7); "" if sources confirm all of them

	// Size of the chain of all levels, in elements (GCN 1.4).
	ChainPitch, ChainHeight int
	// EPitch is T#.EPITCH+1 on GCN 1.4: the pitch of the chain in elements, or the height of the chain if levels lie
	// below one another (rule SW10).
	EPitch int

	// SwizzleMask has the bits of a T#'s base that select the pipe and bank swizzle. The base without these bits is the
	// address of the surface (rule TL5).
	SwizzleMask uint64

	assumed       assumption
	pitchIsHeight bool
	levels        [maxLevels]Level
	interleave    int
	tiling        tiling  // set before GCN 1.4
	swizzle       swizzle // set from GCN 1.4 on
}

// Levels returns the levels. The caller must not change them.
func (l *Layout) Levels() []Level { return l.levels[:l.Surface.Levels] }

// ePitch returns EPitch.
func (l *Layout) ePitch() int {
	if l.pitchIsHeight {
		return l.ChainHeight
	}
	return l.ChainPitch
}

// swizzleMask returns SwizzleMask in units of 256 bytes.
func (l *Layout) swizzleMask() uint32 {
	switch {
	case l.swizzle.mode != nil:
		return l.swizzle.swizzleMask()
	case arrayModes[l.tiling.mode].family == macro:
		return uint32(l.tiling.np*l.tiling.banks - 1)
	}
	return 0
}

// Layout computes the memory layout of s. The error is an *[Error].
func (r *Registers) Layout(s Surface) (l Layout, err error) {
	if int(r.Gen) >= gcn.NumGens {
		return l, &Error{BadSurface, fmt.Sprintf("Gen of the registers is %v; it is %v to %v", r.Gen, gcn.GCN10,
			gcn.Gen(gcn.NumGens-1))}
	}
	if err := s.check(r.Gen); err != nil {
		return l, err
	}
	l.Surface = s
	for i := range l.Levels() {
		v := &l.levels[i]
		v.Width, v.Height, v.Depth = s.elements(i)
		v.PlanBytes = (v.Width + v.Height + v.Depth + s.Samples) * int(unsafe.Sizeof(term{}))
	}
	swizzled := isa.GenTraits(r.Gen).SwizzleModes
	if swizzled {
		err = l.placeChain(r)
	} else {
		err = l.placeLevels(r)
	}
	if err != nil {
		return Layout{}, err
	}
	for i := range l.Levels() {
		v := &l.levels[i]
		v.Mode = arrayModes[v.mode].name
		if swizzled {
			v.Mode = SwizzleModeName(s.Mode)
		}
	}
	l.EPitch, l.SwizzleMask, l.Assumed = l.ePitch(), uint64(l.swizzleMask())<<8, l.assumed.text()
	return l, nil
}

// placeLevels places the levels behind one another. Source: rule TL6.
func (l *Layout) placeLevels(r *Registers) (err error) {
	s := &l.Surface
	if l.interleave, err = r.interleave(); err != nil {
		return err
	}
	if l.tiling, err = r.tiling(s); err != nil {
		return err
	}
	if err := l.checkTiling(); err != nil {
		return err
	}
	pitch := s.Pitch
	for i := range l.Levels() {
		v := &l.levels[i]
		w, h, d := s.padded(i, pitch)
		v.mode = l.tiling.mode
		if i > 0 {
			v.mode = l.levelMode(isa.GenTraits(r.Gen).ThinLevels, w, h, d)
		}
		if arrayModes[v.mode].family == macro && (i == 0 || v.mode != l.levels[i-1].mode) {
			if err := l.checkBanks(v.mode); err != nil {
				return err
			}
		}
		if err := l.pad(v, r, i, w, h, d); err != nil {
			return err
		}
		if i == 0 {
			l.Align = l.baseAlign(v.mode)
			if s.PRT && !isa.GenTraits(r.Gen).PRTModes {
				l.Align *= uint64(l.prtFactor(v.mode))
			}
			pitch = v.Pitch * s.BlockW
		}
		v.Offset = alignTo(l.Size, l.baseAlign(v.mode))
		l.Size = v.Offset + v.Size
		if arrayModes[v.mode].family != macro && l.Surface.Swizzle&l.swizzleMask() != 0 {
			l.assumed |= swizzleMip
		}
	}
	l.assumeTiling()
	return nil
}

// assumeTiling records in l.Assumed the assumptions that the addresses of all levels depend on.
func (l *Layout) assumeTiling() {
	if l.Surface.Levels > 1 && !l.Surface.Pow2Pad {
		l.assumed |= unpaddedMips
	}
	if arrayModes[l.tiling.mode].assumed {
		l.assumed |= prtRotation
	}
	if l.tiling.mode == linearGeneral {
		l.assumed |= generalAsAligned
	}
}

// checkTiling returns an error for tilings that no source defines.
func (l *Layout) checkTiling() error {
	s, t := &l.Surface, &l.tiling
	am := &arrayModes[t.mode]
	unsupported := func(format string, args ...any) error { return &Error{NotSupported, fmt.Sprintf(format, args...)} }
	if s.Bytes == 12 {
		if am.family != linear || s.Levels > 1 {
			return unsupported("96-bit elements with tiling or levels")
		}
		l.assumed |= bits96
	}
	if am.family == linear {
		return nil
	}
	if s.BlockW == 8 {
		return unsupported("bits with tiling")
	}
	if t.micro == microRotated && s.Bytes == 16 {
		return unsupported("rotated micro tiles of 128-bit elements")
	}
	return nil
}

// checkBanks returns an error for bank parameters that do not fit the elements in macro-tiled mode mode. The
// behaviour of hardware is not known then (rule TL7), and addrlib changes the parameters.
func (l *Layout) checkBanks(mode arrayMode) error {
	s, t := &l.Surface, &l.tiling
	unsupported := func(format string, args ...any) error {
		return &Error{NotSupported, t.pipes.name + ": " + fmt.Sprintf(format, args...)}
	}
	tile := t.tileBytes(s, mode.thickness())
	switch {
	case t.pipes.flaw != "" && t.bankW == 1:
		return unsupported("%s", t.pipes.flaw)
	case t.banks < t.aspect:
		return unsupported("a macro tile aspect of %d with %d banks", t.aspect, t.banks)
	case tile*t.bankW*t.bankH < l.interleave:
		return unsupported("a bank of %dx%d tiles of %d bytes is less than the pipe interleave: bank parameters do not "+
			"suit %d-bit elements",
			t.bankW, t.bankH, tile, 8*s.Bytes)
	}
	w, h := t.macroSize()
	m := newMacroTiles(l, &Level{mode: mode, Pitch: w, Rows: h})
	if !m.injective() {
		return unsupported("addresses are not unique with banks of %dx%d tiles, aspect %d, %d banks", t.bankW, t.bankH,
			t.aspect, t.banks)
	}
	return nil
}

// padded returns the size of level i in elements, rounded up to powers of two if the surface requires it. pitch is
// the pitch of level 0 in texels, or 0 as long as it is not known.
func (s *Surface) padded(i, pitch int) (w, h, d int) {
	w, h, d = s.Width, max(1, s.Height>>i), s.Depth
	if i > 0 {
		w = max(1, pitch>>i)
	}
	if s.Type == gcn.Image3D {
		d = max(1, d>>i)
	}
	w, h = ceilDiv(w, s.BlockW), ceilDiv(h, s.BlockH)
	if s.Pow2Pad || i > 0 {
		w, h = ceilPow2(w), ceilPow2(h)
	}
	if s.Pow2Pad || i > 0 && s.Type != gcn.ImageCube {
		d = ceilPow2(d)
	}
	return w, h, d
}

// levelMode returns the array mode of a level after the first. Source: rule TL6.
func (l *Layout) levelMode(thinLevels bool, w, h, d int) arrayMode {
	m, t := l.tiling.mode, &l.tiling
	if thinLevels {
		for d < m.thickness() && (m.thickness() == 8 || d < 4) {
			m = arrayModes[m].thinner
		}
	}
	am := &arrayModes[m]
	if am.family != macro {
		return m
	}
	mw, mh := t.macroSize()
	tile := min(t.fullTile(&l.Surface, am.thick), t.split)
	if w < mw || h < mh ||
		am.thick == 1 && (l.interleave > tile*t.np*t.bankW*t.aspect || l.interleave > tile*t.bankW*t.bankH) {
		return am.small
	}
	return m
}

// baseAlign returns the alignment of a level in bytes.
func (l *Layout) baseAlign(m arrayMode) uint64 {
	am, t := &arrayModes[m], &l.tiling
	if am.family != macro {
		return uint64(l.interleave)
	}
	return uint64(t.np * t.bankW * t.banks * t.bankH * min(t.split, t.fullTile(&l.Surface, am.thick)))
}

// prtFactor returns the number of macro tiles in 64 KB, the unit of residency.
func (l *Layout) prtFactor(m arrayMode) int {
	if arrayModes[m].family != macro {
		return 1
	}
	w, h := l.tiling.macroSize()
	return max(1, 64<<10/(w*h*l.Surface.Bytes*l.Surface.Samples*m.thickness()))
}

// pad sets the padded size of level i, which is w by h by d elements.
func (l *Layout) pad(v *Level, r *Registers, i, w, h, d int) error {
	s, am := &l.Surface, &arrayModes[v.mode]
	unit := s.Bytes * s.Samples
	v.Pitch, v.Rows, v.Slices = w, h, d
	step := 1          // step of the pitch
	switch am.family { //exhaustive:enforce
	case linear:
		if v.mode != linearGeneral && s.Bytes != 12 {
			step = max(8, 64/s.Bytes)
			v.Pitch = align(w, step)
			for rows := max(64, l.interleave/s.Bytes); v.Pitch*h*s.Samples%rows != 0; {
				v.Pitch += step
			}
		}
		step = 1 // hardware accepts any pitch
	case micro:
		step = 8
		v.Pitch, v.Rows, v.Slices = align(w, 8), align(h, 8), align(d, am.thick)
		for v.Pitch*v.Rows*unit*am.thick%l.interleave != 0 {
			v.Pitch += 8
		}
	case macro:
		mw, mh := l.tiling.macroSize()
		step = mw
		if s.PRT && i == 0 && !isa.GenTraits(r.Gen).PRTModes {
			step *= l.prtFactor(v.mode)
		}
		v.Pitch, v.Rows, v.Slices = align(w, step), align(h, mh), align(d, am.thick)
		step = mw
	}
	if i == 0 && s.Pitch != 0 {
		given := ceilDiv(s.Pitch, s.BlockW)
		if given < v.Width || given%step != 0 {
			return &Error{BadSurface, fmt.Sprintf("a pitch of %d elements for %d elements in %s: not a multiple of %d or "+
				"too small; the smallest one is %d", given, v.Width, am.name, step, align(v.Width, step))}
		}
		v.Pitch = given
	}
	v.Size = uint64(v.Pitch) * uint64(v.Rows) * uint64(v.Slices) * uint64(unit)
	return nil
}
