package explain

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// title returns the fields that matter for addressing.
func (x *Buffer) title() string {
	b := &x.Buffer
	s := fmt.Sprintf("V#{base 0x%x, stride %d, records 0x%x", b.Base, b.Stride, b.NumRecords)
	if b.Swizzle {
		s += fmt.Sprintf(", swizzle %d bytes x %d", b.ElemSize, b.IndexStride)
	}
	s += when(b.AddTID, ", add_tid")
	if b.DataFormat != 0 {
		s += fmt.Sprintf(", dfmt %d, nfmt %d, sel %s", b.DataFormat, b.NumFormat, selLetters(b.DstSel))
	}
	if b.Type != 0 {
		s += fmt.Sprintf(", type %d", b.Type)
	}
	return s + "}"
}

// title returns the fields that are equal in all generations.
func (x *Image) title() string {
	i := &x.State
	shape := isa.ShapeOf(i.Type)
	if !shape.Valid {
		return fmt.Sprintf("T#{type %d}", uint8(i.Type))
	}
	size := fmt.Sprint(i.Width)
	if !shape.Linear1D {
		size += fmt.Sprintf("x%d", i.Height)
	}
	if i.Type == gcn.Image3D {
		size += fmt.Sprintf("x%d", i.Depth)
	}
	return fmt.Sprintf("T#{%v %s, base 0x%x, dfmt %d, nfmt %d, sel %s, levels %d-%d, tiling %d}",
		i.Type, size, i.Base, i.DataFormat, i.NumFormat, selLetters(i.DstSel), i.BaseLevel, i.LastLevel, i.TileMode)
}

// title returns the fields that are equal in all generations.
func (x *Sampler) title() string {
	f := &x.State
	text := fmt.Sprintf("S#{clamp %v %v %v, mag %d, min %d, z %d, mip %d, lod %g to %g", f.Clamp[0], f.Clamp[1],
		f.Clamp[2],
		f.MagFilter, f.MinFilter, f.ZFilter, f.MipFilter, f.MinLOD, f.MaxLOD)
	if f.LODBias != 0 {
		text += fmt.Sprintf(", bias %g", f.LODBias)
	}
	text += when(f.Unnormalized, ", unnormalized")
	if f.Compare != 0 {
		text += fmt.Sprintf(", compare %d", f.Compare)
	}
	return text + "}"
}

func selLetters(s [4]gcn.Sel) string { return fmt.Sprintf("%v%v%v%v", s[0], s[1], s[2], s[3]) }
