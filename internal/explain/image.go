package explain

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
)

// Image is the explanation of a T#.
type Image struct {
	TSharp    gcn.TSharp
	Target    gcn.Target
	Short     bool // the T# has 128 bits
	State     gcn.Image
	Registers *tile.Registers // tiling registers of the chip that represents the processor; nil if there is none
	Layout    *tile.Layout    // the memory layout; nil if there is none
	Err       error           // why there is no layout
	Fields    []Field
	Notes     []string // mistakes and surprising properties
}

// TSharp explains the T# v for processor t. short means that it has 128 bits; the rest of v is then 0.
func TSharp(t gcn.Target, v gcn.TSharp, short bool) *Image {
	x := &Image{TSharp: v, Target: t, Short: short, State: v.Fields(t.Gen())}
	x.lay()
	x.Fields = x.fields()
	x.Notes = x.notes()
	return x
}

// lay computes the layout of the image with the tiling registers of the target.
func (x *Image) lay() {
	var s tile.Surface
	if x.Registers, x.Err = tile.ForTarget(x.Target); x.Err != nil {
		return
	}
	if s, x.Err = tile.FromImage(x.Target.Gen(), &x.State); x.Err != nil {
		return
	}
	layout, err := x.Registers.Layout(s)
	if x.Err = err; err == nil {
		x.Layout = &layout
	}
}

// String returns the fields, the levels and the notes as text.
func (x *Image) String() string {
	text := fmt.Sprintf("%s on %s\n\n%v", x.title(), generations[x.Target.Gen()], fieldTable(x.Fields, 16))
	if x.Err == nil {
		text += fmt.Sprintf("\n%s\n\n%v", x.registers(), x.levels())
	}
	return text + noteText(x.Notes)
}

// swizzled reports whether the generation has swizzle modes in place of tiling indices.
func (x *Image) extent() isa.Extent { return isa.ExtentOf(x.State, x.Target.Gen()) }

func (x *Image) swizzled() bool { return isa.GenTraits(x.Target.Gen()).SwizzleModes }

func (x *Image) registers() string {
	text := fmt.Sprintf("levels, with the tiling registers the amdgpu driver gives %s: %s, base aligned to %d bytes",
		x.Registers.Chip, plural.Of(int(x.Layout.Size), "byte"), x.Layout.Align)
	if x.swizzled() {
		text += fmt.Sprintf(", chain %dx%d", x.Layout.ChainPitch, x.Layout.ChainHeight)
	}
	return text
}

// imageMeanings maps the name of a T# field to a function that describes its value. Other fields are plain numbers,
// or bits that the simulator ignores.
var imageMeanings = map[string]func(x *Image) string{
	"BASE": func(x *Image) string { return fmt.Sprintf("byte address 0x%x", x.State.Base) },
	"MIN_LOD": func(x *Image) string {
		return fmt.Sprintf("samples no level of detail below %g", x.State.MinLOD)
	},
	"DATA_FORMAT": func(x *Image) string {
		f := x.format()
		switch {
		case f.Name == "":
			return "reserved"
		case f.Bytes == 0:
			return f.Name
		case f.Width > 1:
			return fmt.Sprintf("%s, %s for %dx%d texels", f.Name, plural.Of(int(f.Bytes), "byte"), f.Width, f.Height)
		}
		return fmt.Sprintf("%s, %s", f.Name, plural.Of(int(f.Bytes), "byte"))
	},
	"NUM_FORMAT": func(x *Image) string {
		name := gcn.NumFormatName(x.State.NumFormat)
		return either(name == "", "reserved", name)
	},
	"WIDTH":  func(x *Image) string { return plural.Of(x.State.Width, "texel") },
	"HEIGHT": func(x *Image) string { return plural.Of(x.State.Height, "texel") },
	"PERF_MOD": func(*Image) string {
		return "scales PERF_MIP, PERF_Z, ANISO_BIAS and LOD_BIAS_SEC of the sampler"
	},
	"INTERLACED": func(x *Image) string { return either(x.State.Interlaced, "rows of two fields", "off") },
	"DST_SEL_X":  imageSel(0), "DST_SEL_Y": imageSel(1), "DST_SEL_Z": imageSel(2), "DST_SEL_W": imageSel(3),
	"BASE_LEVEL": func(x *Image) string {
		return either(isa.ShapeOf(x.State.Type).MSAA, "not used", "first level that is seen")
	},
	"LAST_LEVEL": func(x *Image) string {
		return either(isa.ShapeOf(x.State.Type).MSAA, plural.Of(x.extent().Fragments, "fragment"), "last level that is seen")
	},
	"TILING_INDEX": func(x *Image) string {
		text := fmt.Sprintf("GB_TILE_MODE%d", x.State.TileMode)
		if x.Layout != nil {
			text += ", " + x.Layout.Levels()[0].Mode
		}
		return text
	},
	"SW_MODE": func(x *Image) string {
		name := tile.SwizzleModeName(x.State.TileMode)
		return either(name == "", "reserved", name)
	},
	"POW2_PAD": func(x *Image) string { return either(x.State.Pow2Pad, "levels are padded to powers of two", "off") },
	"TYPE": func(x *Image) string {
		return either(isa.ShapeOf(x.State.Type).Valid, x.State.Type.String(), "no image")
	},
	"DEPTH": func(x *Image) string {
		switch {
		case x.State.Type == gcn.Image3D:
			return plural.Of(x.State.Depth, "texel")
		case isa.ShapeOf(x.State.Type).Layered:
			return plural.Of(x.extent().Layers, either(x.State.Type == gcn.ImageCube, "face", "layer"))
		}
		return "not used"
	},
	"PITCH": func(x *Image) string { return plural.Of(x.State.Pitch, "texel") + " a row of level 0" },
	"EPITCH": func(x *Image) string {
		text := "a row of the chain of levels"
		if x.Layout != nil && x.Layout.EPitch != x.Layout.ChainPitch {
			return plural.Of(x.State.Pitch, "row") + " of the chain of levels"
		}
		return plural.Of(x.State.Pitch, "element") + " " + text
	},
	"BASE_ARRAY": func(*Image) string { return "first layer that is seen" },
	"LAST_ARRAY": func(*Image) string { return "last layer that is seen" },
	"MAX_MIP": func(x *Image) string {
		return either(isa.ShapeOf(x.State.Type).MSAA, "log2 of the fragments", "last level there is")
	},
	"MIN_LOD_WARN": func(x *Image) string {
		return fmt.Sprintf("LWE reports levels of detail below %g", x.State.MinLODWarn)
	},
	"COMPRESSION_EN": func(x *Image) string { return either(x.State.Compression, "metadata is read", "off") },
	"META_ADDRESS":   func(x *Image) string { return fmt.Sprintf("byte address 0x%x", x.State.Meta) },
}

func imageSel(i int) func(*Image) string {
	return func(x *Image) string { return selText(x.State.DstSel[i]) }
}

func (x *Image) format() isa.ImageFormat {
	return isa.ImageFormatOf(x.Target.Gen(), x.State.DataFormat, x.State.NumFormat)
}

// fields describes the fields of the words.
func (x *Image) fields() (all []Field) {
	words := len(x.TSharp)
	if x.Short {
		words /= 2
	}
	for _, f := range isa.TSharpFields[x.Target.Gen()] {
		if f.Shift >= 32*words {
			break
		}
		meaning := ""
		if say := imageMeanings[f.Name]; say != nil {
			meaning = say(x)
		}
		all = append(all, Field{Name: f.Name, Shift: f.Shift, Width: f.Width, Value: f.Get(x.TSharp[:]), Meaning: meaning})
	}
	return all
}

func (x *Image) levels() table {
	size := func(w, h, d int) string {
		text := fmt.Sprintf("%dx%d", w, h)
		return text + either(x.Layout.Surface.Depth > 1, fmt.Sprintf("x%d", d), "")
	}
	t := table{{"level", "elements", "padded", "tiling", "offset", "bytes"}}
	for i, v := range x.Layout.Levels() {
		tiling := v.Mode + either(v.InTail, ", in the tail", "")
		t.add(fmt.Sprint(i), size(v.Width, v.Height, v.Depth), size(v.Pitch, v.Rows, v.Slices), tiling,
			fmt.Sprintf("0x%x", v.Offset), fmt.Sprint(v.Size))
	}
	return t
}

// imageNotes look for mistakes and surprising properties of a T#. Each returns a sentence, or "". Its comment has the
// source.
var imageNotes = []func(x *Image) string{
	// Rule IM10: a null resource.
	func(x *Image) string {
		return when(!isa.ShapeOf(x.State.Type).Valid, "TYPE %d is no image: loads give 0, stores are dropped",
			uint8(x.State.Type))
	},
	// Rule TD1.
	func(x *Image) string {
		return reservedNote(isa.Reserved(x.TSharp[:], isa.TSharpFields[x.Target.Gen()]), &isa.TSharpFields)
	},
	// Rule TD2: some types need 256 bits.
	func(x *Image) string {
		wide := x.State.Type == gcn.Image3D || x.State.Type == gcn.Image2DMSAAArray || isa.ShapeOf(x.State.Type).Layered
		return when(x.Short && wide, "a %v image needs a T# of 256 bits", x.State.Type)
	},
	// Rule DP14.
	func(x *Image) string { return selNote(x.State.DstSel) },
	// Rules TD3 and IF1.
	func(x *Image) string {
		return when(x.format().Name == "", "DATA_FORMAT %d is reserved: loads give 0, stores are dropped", x.State.DataFormat)
	},
	func(x *Image) string {
		return when(gcn.NumFormatName(x.State.NumFormat) == "" && x.format().Name != "FMASK", "NUM_FORMAT %d is reserved",
			x.State.NumFormat)
	},
	func(x *Image) string {
		name, small := gcn.NumFormatName(x.State.NumFormat), slices.Contains([]string{"8", "8_8", "8_8_8_8"}, x.format().Name)
		srgb := small || strings.HasPrefix(x.format().Name, "BC")
		return when(x.format().Name != "" && (name == "FLOAT" && small || name == "SRGB" && !srgb),
			"NUM_FORMAT %s does not go with %s", name, x.format().Name)
	},
	// Rule CO1.
	func(x *Image) string {
		return when(!isa.ShapeOf(x.State.Type).MSAA && x.State.BaseLevel > x.State.LastLevel,
			"BASE_LEVEL is beyond LAST_LEVEL: no level is seen")
	},
	func(x *Image) string {
		most := bits.Len(uint(max(x.State.Width, x.State.Height))) - 1
		if x.State.Type == gcn.Image3D {
			most = max(most, bits.Len(uint(x.State.Depth))-1)
		}
		return when(x.Err == nil && !isa.ShapeOf(x.State.Type).MSAA && x.State.LastLevel > most,
			"LAST_LEVEL is beyond level %d, which has one texel", most)
	},
	func(x *Image) string {
		return when(x.swizzled() && !isa.ShapeOf(x.State.Type).MSAA && x.State.LastLevel > x.State.MaxMip,
			"LAST_LEVEL is beyond MAX_MIP")
	},
	func(x *Image) string {
		last := x.State.LastArray
		if x.swizzled() {
			last = x.State.Depth - 1
		}
		return when(isa.ShapeOf(x.State.Type).Layered && x.State.BaseArray > last,
			"BASE_ARRAY is beyond the last layer: no layer is seen")
	},
	func(x *Image) string {
		beyond := !x.swizzled() && isa.ShapeOf(x.State.Type).Layered && x.State.LastArray >= x.extent().Layers
		return when(beyond, "LAST_ARRAY is beyond DEPTH: the image has %s", plural.Of(x.extent().Layers, "layer"))
	},
	func(x *Image) string {
		return when(isa.ShapeOf(x.State.Type).Linear1D && x.State.Height > 1, "HEIGHT does not matter for a %v image",
			x.State.Type)
	},
	// Rule LO2.
	func(x *Image) string {
		return when(!isa.ShapeOf(x.State.Type).MSAA && x.State.MinLOD > float32(x.State.LastLevel),
			"MIN_LOD is beyond LAST_LEVEL")
	},
	// Rule IM3.
	func(x *Image) string {
		return when(x.State.Interlaced, "INTERLACED: no driver uses it, and no source gives the rows of a field")
	},
	// Rule MC2.
	func(x *Image) string {
		return when(x.State.Compression, "COMPRESSION_EN: the texels depend on metadata at META_ADDRESS, which is not "+
			"modelled")
	},
	// Rules TL6 and SW8.
	func(x *Image) string {
		return when(x.Err != nil && isa.ShapeOf(x.State.Type).Valid && x.format().Name != "", "no layout: %v", x.Err)
	},
	func(x *Image) string {
		return when(x.assumed() != "", "no source confirms: %s", x.assumed())
	},
	func(x *Image) string {
		swizzled := x.base() != x.State.Base
		return when(swizzled, "the low bits of BASE are pipe and bank swizzle: the surface is at 0x%x", x.base())
	},
	func(x *Image) string {
		odd := x.Layout != nil && x.base()%x.Layout.Align != 0
		return when(odd, "the surface at 0x%x is not aligned to %d bytes", x.base(), x.alignment())
	},
}

func (x *Image) base() uint64 {
	if x.Layout == nil {
		return x.State.Base
	}
	return x.State.Base &^ x.Layout.SwizzleMask
}

func (x *Image) alignment() uint64 {
	if x.Layout == nil {
		return 0
	}
	return x.Layout.Align
}

func (x *Image) assumed() string {
	if x.Layout == nil {
		return ""
	}
	return x.Layout.Assumed
}

// notes returns the notes on a T#. An all-zero T# has one note.
func (x *Image) notes() []string {
	if x.TSharp == (gcn.TSharp{}) {
		return []string{"all words are 0, an unbound resource: loads give 0, stores are dropped"}
	}
	var all []string
	for _, note := range imageNotes {
		if text := note(x); text != "" {
			all = append(all, text)
		}
	}
	return all
}
