package main

import (
	"bufio"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/tile"
)

func explainTSharp(out *bufio.Writer, target gcn.Target, words []uint32) error {
	g := target.Gen()
	x := tsharp{gen: g, words: len(words)}
	_, r128 := g.FieldBits(gcn.MIMG, gcn.R128)
	if len(words) != len(x.t) && !(r128 != 0 && len(words) == len(x.t)/2) {
		return &wordCountError{len(words), len(x.t), "a T#"}
	}
	copy(x.t[:], words)
	x.img = x.t.Fields(g)
	x.lay(target)
	fmt.Fprintf(out, "%s on %s\n\n", x.t, generations[g])
	x.fields().write(out)
	if x.err == nil {
		fmt.Fprintf(out, "\n%s\n\n", x.registers())
		x.levels().write(out)
	}
	writeNotes(out, x.notes())
	return nil
}

// tsharp is a T# with where its surface lies.
type tsharp struct {
	t      gcn.TSharp
	words  int // that were given: 4 or 8
	gen    gcn.Gen
	img    gcn.Image
	regs   *tile.Registers
	layout *tile.Layout
	err    error // why there is no layout
}

// lay places the surface with the registers of a chip that is target.
func (x *tsharp) lay(target gcn.Target) {
	var s tile.Surface
	if x.regs, x.err = tile.ForTarget(target); x.err != nil {
		return
	}
	if s, x.err = tile.FromImage(x.gen, &x.img); x.err != nil {
		return
	}
	x.layout, x.err = x.regs.Layout(s)
}

func (x *tsharp) registers() string {
	text := fmt.Sprintf("levels, with the tiling registers the amdgpu driver gives %s: %s, base aligned to %d bytes",
		x.regs.Chip, count(int(x.layout.Size), "byte"), x.layout.Align)
	if x.gen.Tiling().SwizzleModes {
		text += fmt.Sprintf(", chain %dx%d", x.layout.ChainPitch, x.layout.ChainHeight)
	}
	return text
}

// imageMeanings says what the fields of a T# mean, by name; a field that is not here is a
// number or bits that this simulator does not look at.
var imageMeanings = map[string]func(x *tsharp) string{
	"BASE": func(x *tsharp) string { return fmt.Sprintf("byte address 0x%x", x.img.Base) },
	"MIN_LOD": func(x *tsharp) string {
		return fmt.Sprintf("samples no level of detail below %g", x.img.MinLOD)
	},
	"DATA_FORMAT": func(x *tsharp) string {
		f := x.format()
		switch {
		case f.Name == "":
			return "reserved"
		case f.Bytes == 0:
			return f.Name
		case f.Width > 1:
			return fmt.Sprintf("%s, %s for %dx%d texels", f.Name, count(int(f.Bytes), "byte"), f.Width, f.Height)
		}
		return fmt.Sprintf("%s, %s", f.Name, count(int(f.Bytes), "byte"))
	},
	"NUM_FORMAT": func(x *tsharp) string {
		name := gcn.NumFormatName(x.img.NumFormat)
		return either(name == "", "reserved", name)
	},
	"WIDTH":  func(x *tsharp) string { return count(x.img.Width, "texel") },
	"HEIGHT": func(x *tsharp) string { return count(x.img.Height, "texel") },
	"PERF_MOD": func(*tsharp) string {
		return "scales PERF_MIP, PERF_Z, ANISO_BIAS and LOD_BIAS_SEC of the sampler"
	},
	"INTERLACED": func(x *tsharp) string { return either(x.img.Interlaced, "rows of two fields", "off") },
	"DST_SEL_X":  imageSel(0), "DST_SEL_Y": imageSel(1), "DST_SEL_Z": imageSel(2), "DST_SEL_W": imageSel(3),
	"BASE_LEVEL": func(x *tsharp) string { return either(x.img.Type.MSAA(), "not used", "first level that is seen") },
	"LAST_LEVEL": func(x *tsharp) string {
		return either(x.img.Type.MSAA(), count(x.img.Fragments(), "fragment"), "last level that is seen")
	},
	"TILING_INDEX": func(x *tsharp) string {
		text := fmt.Sprintf("GB_TILE_MODE%d", x.img.TileMode)
		if x.layout != nil {
			text += ", " + x.layout.Levels()[0].Mode.String()
		}
		return text
	},
	"SW_MODE": func(x *tsharp) string {
		name := tile.SwizzleModeName(x.img.TileMode)
		return either(name == "", "reserved", name)
	},
	"POW2_PAD": func(x *tsharp) string { return either(x.img.Pow2Pad, "levels are padded to powers of two", "off") },
	"TYPE": func(x *tsharp) string {
		return either(x.img.Type.Valid(), x.img.Type.String(), "no image")
	},
	"DEPTH": func(x *tsharp) string {
		switch {
		case x.img.Type == gcn.Image3D:
			return count(x.img.Depth, "texel")
		case x.img.Type.Layered():
			return count(x.img.Layers(x.gen), either(x.img.Type == gcn.ImageCube, "face", "layer"))
		}
		return "not used"
	},
	"PITCH": func(x *tsharp) string { return count(x.img.Pitch, "texel") + " a row of level 0" },
	"EPITCH": func(x *tsharp) string {
		text := "a row of the chain of levels"
		if x.layout != nil && x.layout.EPitch() != x.layout.ChainPitch {
			return count(x.img.Pitch, "row") + " of the chain of levels"
		}
		return count(x.img.Pitch, "element") + " " + text
	},
	"BASE_ARRAY": func(*tsharp) string { return "first layer that is seen" },
	"LAST_ARRAY": func(*tsharp) string { return "last layer that is seen" },
	"MAX_MIP": func(x *tsharp) string {
		return either(x.img.Type.MSAA(), "log2 of the fragments", "last level there is")
	},
	"MIN_LOD_WARN": func(x *tsharp) string {
		return fmt.Sprintf("LWE reports levels of detail below %g", x.img.MinLODWarn)
	},
	"COMPRESSION_EN": func(x *tsharp) string { return either(x.img.Compression, "metadata is read", "off") },
	"META_ADDRESS":   func(x *tsharp) string { return fmt.Sprintf("byte address 0x%x", x.img.Meta) },
}

func imageSel(i int) func(*tsharp) string {
	return func(x *tsharp) string { return selText(x.img.DstSel[i]) }
}

func (x *tsharp) format() gcn.ImageFormat {
	return x.gen.ImageFormat(x.img.DataFormat, x.img.NumFormat)
}

func (x *tsharp) fields() table {
	t := table{{"bits", "field", "value", "meaning"}}
	for _, f := range x.gen.TSharpFields() {
		if f.Shift >= 32*x.words {
			break
		}
		v := f.Get(x.t[:])
		value := fmt.Sprint(v)
		if f.Width > 16 {
			value = fmt.Sprintf("0x%x", v)
		}
		meaning := ""
		if say := imageMeanings[f.Name]; say != nil {
			meaning = say(x)
		}
		t.add(bitRange(f.Shift, f.Width), f.Name, value, meaning)
	}
	return t
}

func (x *tsharp) levels() table {
	size := func(w, h, d int) string {
		text := fmt.Sprintf("%dx%d", w, h)
		return text + either(x.layout.Surface.Depth > 1, fmt.Sprintf("x%d", d), "")
	}
	t := table{{"level", "elements", "padded", "tiling", "offset", "bytes"}}
	for i, v := range x.layout.Levels() {
		tiling := v.Mode.String()
		if x.gen.Tiling().SwizzleModes {
			tiling = tile.SwizzleModeName(x.img.TileMode) + either(v.InTail, ", in the tail", "")
		}
		t.add(fmt.Sprint(i), size(v.Width, v.Height, v.Depth), size(v.Pitch, v.Rows, v.Slices), tiling, fmt.Sprintf("0x%x", v.Offset), fmt.Sprint(v.Size))
	}
	return t
}

// imageNotes are what can be wrong or surprising with a T#: each gives a sentence, or ""
// if all is well. The source of each is in its comment.
var imageNotes = []func(x *tsharp) string{
	// Rule IM10: a null resource.
	func(x *tsharp) string {
		return when(!x.img.Type.Valid(), "TYPE %d is no image: loads give 0, stores are dropped", uint8(x.img.Type))
	},
	// Rule TD1.
	func(x *tsharp) string {
		r := x.t.Reserved(x.gen)
		return reservedNote(r[:])
	},
	// Rule TD2: which types need 256 bits.
	func(x *tsharp) string {
		wide := x.img.Type == gcn.Image3D || x.img.Type == gcn.Image2DMSAAArray || x.img.Type.Layered()
		return when(x.words == 4 && wide, "a %v image needs a T# of 256 bits", x.img.Type)
	},
	// Rule DP14.
	func(x *tsharp) string { return selNote(x.img.DstSel) },
	// Rules TD3 and IF1.
	func(x *tsharp) string {
		return when(x.format().Name == "", "DATA_FORMAT %d is reserved: loads give 0, stores are dropped", x.img.DataFormat)
	},
	func(x *tsharp) string {
		return when(gcn.NumFormatName(x.img.NumFormat) == "" && x.format().Name != "FMASK", "NUM_FORMAT %d is reserved", x.img.NumFormat)
	},
	func(x *tsharp) string {
		name, small := gcn.NumFormatName(x.img.NumFormat), slices.Contains([]string{"8", "8_8", "8_8_8_8"}, x.format().Name)
		srgb := small || strings.HasPrefix(x.format().Name, "BC")
		return when(x.format().Name != "" && (name == "FLOAT" && small || name == "SRGB" && !srgb), "NUM_FORMAT %s does not go with %s", name, x.format().Name)
	},
	// Rule CO1.
	func(x *tsharp) string {
		return when(!x.img.Type.MSAA() && x.img.BaseLevel > x.img.LastLevel, "BASE_LEVEL is beyond LAST_LEVEL: no level is seen")
	},
	func(x *tsharp) string {
		most := bits.Len(uint(max(x.img.Width, x.img.Height))) - 1
		if x.img.Type == gcn.Image3D {
			most = max(most, bits.Len(uint(x.img.Depth))-1)
		}
		return when(x.err == nil && !x.img.Type.MSAA() && x.img.LastLevel > most, "LAST_LEVEL is beyond level %d, which has one texel", most)
	},
	func(x *tsharp) string {
		return when(x.gen.Tiling().SwizzleModes && !x.img.Type.MSAA() && x.img.LastLevel > x.img.MaxMip, "LAST_LEVEL is beyond MAX_MIP")
	},
	func(x *tsharp) string {
		last := x.img.LastArray
		if x.gen.Tiling().SwizzleModes {
			last = x.img.Depth - 1
		}
		return when(x.img.Type.Layered() && x.img.BaseArray > last, "BASE_ARRAY is beyond the last layer: no layer is seen")
	},
	func(x *tsharp) string {
		beyond := !x.gen.Tiling().SwizzleModes && x.img.Type.Layered() && x.img.LastArray >= x.img.Layers(x.gen)
		return when(beyond, "LAST_ARRAY is beyond DEPTH: the image has %s", count(x.img.Layers(x.gen), "layer"))
	},
	func(x *tsharp) string {
		return when(x.img.Type.Linear1D() && x.img.Height > 1, "HEIGHT does not matter for a %v image", x.img.Type)
	},
	// Rule LO2.
	func(x *tsharp) string {
		return when(!x.img.Type.MSAA() && x.img.MinLOD > float32(x.img.LastLevel), "MIN_LOD is beyond LAST_LEVEL")
	},
	// Rule IM3.
	func(x *tsharp) string {
		return when(x.img.Interlaced, "INTERLACED: no driver uses it, and no source gives the rows of a field")
	},
	// Rule MC2.
	func(x *tsharp) string {
		return when(x.img.Compression, "COMPRESSION_EN: the texels depend on metadata at META_ADDRESS, which is not modelled")
	},
	// Rules TL6 and SW8.
	func(x *tsharp) string {
		return when(x.err != nil && x.img.Type.Valid() && x.format().Name != "", "no layout: %v", x.err)
	},
	func(x *tsharp) string {
		return when(x.layout != nil && x.layout.Assumed != 0, "no source confirms: %v", x.assumed())
	},
	func(x *tsharp) string {
		swizzled := x.layout != nil && x.layout.Base(x.img.Base) != x.img.Base
		return when(swizzled, "the low bits of BASE are pipe and bank swizzle: the surface is at 0x%x", x.base())
	},
	func(x *tsharp) string {
		odd := x.layout != nil && x.base()%x.layout.Align != 0
		return when(odd, "the surface at 0x%x is not aligned to %d bytes", x.base(), x.alignment())
	},
}

func (x *tsharp) base() uint64 {
	if x.layout == nil {
		return x.img.Base
	}
	return x.layout.Base(x.img.Base)
}

func (x *tsharp) alignment() uint64 {
	if x.layout == nil {
		return 0
	}
	return x.layout.Align
}

func (x *tsharp) assumed() tile.Assumption {
	if x.layout == nil {
		return 0
	}
	return x.layout.Assumed
}

// notes returns what deserves attention. An all-zero T# has one note.
func (x *tsharp) notes() []string {
	if x.t == (gcn.TSharp{}) {
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
