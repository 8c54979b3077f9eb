package record

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/texture"
)

// Largest numbers and sizes of the pictures in a record.
const (
	maxPictures = 8
	maxTexels   = 128 * 128 // texels in a level
)

// pictures collects the accessed images, with their contents at the end of the run.
type pictures struct {
	seen    []seen
	leftOut map[gcn.TSharp]bool
}

// seen identifies an image.
type seen struct {
	words gcn.TSharp
	m     *sim.Machine
}

// see records the image of m that an instruction is about to access.
func (p *pictures) see(m *sim.Machine, e *sim.Event) {
	var t gcn.TSharp
	n := len(t)
	if (*isa.Inst)(e.Inst).Bool(isa.R128) {
		n = 4
	}
	copy(t[:n], e.Wave.S[(*isa.Inst)(e.Inst).Get(isa.SRSRC)*4:])
	for i := range p.seen {
		if p.seen[i].words == t {
			return
		}
	}
	if len(p.seen) == maxPictures {
		if p.leftOut == nil {
			p.leftOut = map[gcn.TSharp]bool{}
		}
		if len(p.leftOut) < 1<<10 {
			p.leftOut[t] = true
		}
		return
	}
	p.seen = append(p.seen, seen{t, m})
}

// take returns the pictures, and the number of images without a picture.
func (p *pictures) take() (list []Picture, leftOut uint64) {
	leftOut = uint64(len(p.leftOut))
	for _, s := range p.seen {
		t, err := texture.Open(s.m, s.words)
		if err != nil {
			leftOut++
			continue
		}
		list = append(list, pictureOf(t, s))
	}
	return list, leftOut
}

// pictureOf returns the levels of t up to the last one of the view. Levels that are outside of the view, too large or
// not convertible have only a size.
func pictureOf(t *texture.Texture, s seen) Picture {
	p := Picture{Words: s.words[:], Format: isa.ImageFormatOf(s.m.Target.Gen(), t.DataFormat, t.NumFormat).Name}
	first, last := 0, 0
	if !isa.ShapeOf(t.Type).MSAA {
		first, last = t.BaseLevel, t.LastLevel
	}
	if t.Type != gcn.Image3D {
		p.Slice = t.BaseArray
	}
	for level := range last + 1 {
		l := PictureLevel{Width: max(1, t.Width>>level), Height: max(1, t.Height>>level)}
		if isa.ShapeOf(t.Type).Linear1D {
			l.Height = 1
		}
		if level >= first && l.Width*l.Height <= maxTexels {
			if img, err := t.Picture(level, p.Slice); err == nil {
				l.RGBA = make([]byte, 0, 4*l.Width*l.Height)
				for at := 0; at < len(img.Pix); at += 2 {
					l.RGBA = append(l.RGBA, img.Pix[at]) // keep the high bytes
				}
			}
		}
		p.Levels = append(p.Levels, l)
	}
	return p
}
