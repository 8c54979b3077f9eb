package isa

import (
	"cmp"
	"fmt"

	"github.com/gcnsim/gcnsim/internal/tool/enum"
)

// TSharp is an image resource (T#) as eight SGPRs hold it; of a 128-bit one the upper
// words are 0. What differs between generations is told by [TSharpFields].
type TSharp [8]uint32

// imageField names the fields of a T#.
type imageField uint8

const (
	imgBase imageField = iota
	imgMinLOD
	imgDataFormat
	imgNumFormat
	imgMType
	imgNV
	imgMetaDirect
	imgWidth
	imgHeight
	imgPerfMod
	imgInterlaced
	imgDstSelX
	imgDstSelY
	imgDstSelZ
	imgDstSelW
	imgBaseLevel
	imgLastLevel
	imgTiling
	imgPow2Pad
	imgMTypeHigh
	imgATC
	imgType
	imgDepth
	imgPitch
	imgBCSwizzle
	imgBaseArray
	imgLastArray
	imgArrayPitch
	imgMetaHigh
	imgMetaLinear
	imgMetaPipeAligned
	imgMetaRBAligned
	imgMaxMip
	imgMinLODWarn
	imgCounterBank
	imgLODCount
	imgCompression
	imgAlphaOnMSB
	imgColorTransform
	imgLostAlpha
	imgLostColor
	imgMeta
	numImageFields
)

var imageFieldNames = [numImageFields]string{
	imgBase: "BASE", imgMinLOD: "MIN_LOD", imgDataFormat: "DATA_FORMAT", imgNumFormat: "NUM_FORMAT", imgMType: "MTYPE",
	imgNV:         "NV",
	imgMetaDirect: "META_DIRECT", imgWidth: "WIDTH", imgHeight: "HEIGHT", imgPerfMod: "PERF_MOD",
	imgInterlaced: "INTERLACED", imgDstSelX: "DST_SEL_X",
	imgDstSelY: "DST_SEL_Y", imgDstSelZ: "DST_SEL_Z", imgDstSelW: "DST_SEL_W", imgBaseLevel: "BASE_LEVEL",
	imgLastLevel: "LAST_LEVEL",
	imgTiling:    "TILING_INDEX", imgPow2Pad: "POW2_PAD", imgMTypeHigh: "MTYPE[2]", imgATC: "ATC", imgType: "TYPE",
	imgDepth: "DEPTH", imgPitch: "PITCH",
	imgBCSwizzle: "BC_SWIZZLE", imgBaseArray: "BASE_ARRAY", imgLastArray: "LAST_ARRAY", imgArrayPitch: "ARRAY_PITCH",
	imgMetaHigh:   "META_ADDRESS[47:40]",
	imgMetaLinear: "META_LINEAR", imgMetaPipeAligned: "META_PIPE_ALIGNED", imgMetaRBAligned: "META_RB_ALIGNED",
	imgMaxMip:     "MAX_MIP",
	imgMinLODWarn: "MIN_LOD_WARN", imgCounterBank: "COUNTER_BANK_ID", imgLODCount: "LOD_HDW_CNT_EN",
	imgCompression: "COMPRESSION_EN",
	imgAlphaOnMSB:  "ALPHA_IS_ON_MSB", imgColorTransform: "COLOR_TRANSFORM", imgLostAlpha: "LOST_ALPHA_BITS",
	imgLostColor: "LOST_COLOR_BITS",
	imgMeta:      "META_ADDRESS",
}

var _ = enum.Full[imageField](imageFieldNames[:])

type imageLayout [numImageFields]bitField

// commonImage lists the fields that lie at the same bits on all generations.
// Source: rule TD1.
var commonImage = imageLayout{
	imgBase: {0, 40}, imgMinLOD: {40, 12}, imgDataFormat: {52, 6}, imgNumFormat: {58, 4}, imgWidth: {64, 14},
	imgHeight: {78, 14}, imgPerfMod: {92, 3},
	imgDstSelX: {96, 3}, imgDstSelY: {99, 3}, imgDstSelZ: {102, 3}, imgDstSelW: {105, 3}, imgBaseLevel: {108, 4},
	imgLastLevel: {112, 4}, imgTiling: {116, 5},
	imgType: {124, 4}, imgDepth: {128, 13}, imgBaseArray: {160, 13}, imgMinLODWarn: {192, 12},
}

// with returns l with more fields.
func (l imageLayout) with(more imageLayout) imageLayout {
	for f, b := range more {
		if b.width != 0 {
			l[f] = b
		}
	}
	return l
}

var (
	// siImage is the image resource of GCN 1.0, as CLRX describes it.
	siImage = commonImage.with(imageLayout{imgInterlaced: {95, 1}, imgPow2Pad: {121, 1}, imgPitch: {141, 14},
		imgLastArray: {173, 13}})
	// ciImage and the layouts below it follow AMD's register headers (rule TD1).
	ciImage = siImage.with(imageLayout{imgMType: {62, 2}, imgMTypeHigh: {122, 1}, imgATC: {123, 1},
		imgCounterBank: {204, 8}, imgLODCount: {212, 1}})
	viColor = imageLayout{imgCompression: {213, 1}, imgAlphaOnMSB: {214, 1}, imgColorTransform: {215, 1},
		imgLostAlpha: {216, 4}, imgLostColor: {220, 4}, imgMeta: {224, 32}}
	viImage   = ciImage.with(viColor)
	vegaImage = commonImage.with(viColor).with(imageLayout{
		imgNV: {62, 1}, imgMetaDirect: {63, 1}, imgPitch: {141, 16}, imgBCSwizzle: {157, 3}, imgArrayPitch: {173, 4},
		imgMetaHigh:   {177, 8},
		imgMetaLinear: {185, 1}, imgMetaPipeAligned: {186, 1}, imgMetaRBAligned: {187, 1}, imgMaxMip: {188, 4},
		imgCounterBank: {204, 8}, imgLODCount: {212, 1},
	})
)

var imageLayouts = [NumGens]*imageLayout{GCN10: &siImage, GCN11: &ciImage, GCN12: &viImage, GCN14: &vegaImage,
	GCN141: &vegaImage}

var _ = enum.Full[Gen](imageLayouts[:])

// vegaNames are the fields that GCN 1.4 calls otherwise.
var vegaNames = map[imageField]string{imgTiling: "SW_MODE", imgPitch: "EPITCH"}

// TSharpFields are the fields of a T# of each generation from the lowest bit up.
var TSharpFields = func() (all [NumGens][]BitField) {
	for g := range Gen(NumGens) {
		names := imageFieldNames
		if GenTraits(g).SwizzleModes {
			for f, name := range vegaNames {
				names[f] = name
			}
		}
		all[g] = bitFields(names[:], imageLayouts[g][:])
	}
	return all
}()

// Image holds the fields of a T#: what [TSharp.Fields] returns and what [Image.Words]
// packs. Sizes are the sizes of level 0 in texels; 0 packs as 1. A generation without a field
// gives 0 for it.
type Image struct {
	Base       uint64  // byte address, a multiple of 256, 48 bits; low bits can be pipe and bank swizzle
	MinLOD     float32 // 0 to 16 in steps of 1/256
	DataFormat uint8   // data format, for example Data8_8_8_8; see [ImageFormatOf]
	NumFormat  uint8   // number format, for example NumUNORM
	Width      int     // texels
	Height     int     // texels
	PerfMod    uint8
	Interlaced bool
	DstSel     [4]Sel
	BaseLevel  int
	LastLevel  int // of MSAA images: log2 of the fragments
	TileMode   int // TILING_INDEX, or SW_MODE on GCN 1.4
	Pow2Pad    bool
	Type       ImageType
	Depth      int // 3D: texels; cubes: cubes; arrays: layers; GCN 1.4: last layer plus 1 for all but 3D
	Pitch      int // texels of a row; GCN 1.4: see EPITCH, rule SW10
	BaseArray  int
	LastArray  int     // before GCN 1.4
	MinLODWarn float32 // 0 to 16 in steps of 1/256

	MType       uint8 // memory type, 3 bits
	ATC         bool
	CounterBank uint8
	LODCount    bool // LOD_HDW_CNT_EN

	Compression    bool   // COMPRESSION_EN: metadata is read
	Meta           uint64 // byte address of metadata, a multiple of 256
	AlphaOnMSB     bool
	ColorTransform bool
	LostAlpha      uint8
	LostColor      uint8

	NV              bool
	MetaDirect      bool
	BCSwizzle       uint8
	ArrayPitch      uint8
	MetaLinear      bool
	MetaPipeAligned bool
	MetaRBAligned   bool
	MaxMip          int // last level of the resource; of MSAA images: log2 of the fragments
}

func (t TSharp) field(g Gen, f imageField) uint64 { return imageLayouts[g][f].get(t[:]) }

// Fields returns the fields of t on generation g.
func (t TSharp) Fields(g Gen) Image {
	get := func(f imageField) uint64 { return t.field(g, f) }
	flag := func(f imageField) bool { return get(f) != 0 }
	size := func(f imageField) int { return int(get(f)) + 1 }
	return Image{
		Base: get(imgBase) << 8, MinLOD: unfixed(get(imgMinLOD), 12, 8, false), DataFormat: uint8(get(imgDataFormat)),
		NumFormat: uint8(get(imgNumFormat)),
		Width:     size(imgWidth), Height: size(imgHeight), PerfMod: uint8(get(imgPerfMod)), Interlaced: flag(imgInterlaced),
		DstSel:    [4]Sel{Sel(get(imgDstSelX)), Sel(get(imgDstSelY)), Sel(get(imgDstSelZ)), Sel(get(imgDstSelW))},
		BaseLevel: int(get(imgBaseLevel)), LastLevel: int(get(imgLastLevel)), TileMode: int(get(imgTiling)),
		Pow2Pad: flag(imgPow2Pad), Type: ImageType(get(imgType)),
		Depth: size(imgDepth), Pitch: size(imgPitch), BaseArray: int(get(imgBaseArray)), LastArray: int(get(imgLastArray)),
		MinLODWarn: unfixed(get(imgMinLODWarn), 12, 8, false),
		MType:      uint8(get(imgMType) | get(imgMTypeHigh)<<2), ATC: flag(imgATC),
		CounterBank: uint8(get(imgCounterBank)), LODCount: flag(imgLODCount),
		Compression: flag(imgCompression), Meta: get(imgMeta)<<8 | get(imgMetaHigh)<<40, AlphaOnMSB: flag(imgAlphaOnMSB),
		ColorTransform: flag(imgColorTransform), LostAlpha: uint8(get(imgLostAlpha)), LostColor: uint8(get(imgLostColor)),
		NV: flag(imgNV), MetaDirect: flag(imgMetaDirect), BCSwizzle: uint8(get(imgBCSwizzle)),
		ArrayPitch: uint8(get(imgArrayPitch)),
		MetaLinear: flag(imgMetaLinear), MetaPipeAligned: flag(imgMetaPipeAligned), MetaRBAligned: flag(imgMetaRBAligned),
		MaxMip: int(get(imgMaxMip)),
	}
}

// Words packs i as a T# of generation g, for eight consecutive SGPRs. Levels of detail are
// rounded to nearest. Words panics if a T# of g has no such field, or does not hold it as it is;
// [Check] says so as an error.
func (i Image) Words(g Gen) []uint32 {
	for _, size := range []*int{&i.Width, &i.Height, &i.Depth, &i.Pitch} {
		*size = cmp.Or(*size, 1)
	}
	t := i.pack(g)
	if t.Fields(g) != i {
		mustHold(g, i)
	}
	return t[:]
}

// pack drops bits that do not fit their field, and clamps levels of detail.
func (i Image) pack(g Gen) (t TSharp) {
	for f, v := range [numImageFields]uint64{
		imgBase: i.Base >> 8, imgMinLOD: fixed(i.MinLOD, 12, 8, false), imgDataFormat: uint64(i.DataFormat),
		imgNumFormat: uint64(i.NumFormat),
		imgMType:     uint64(i.MType), imgMTypeHigh: uint64(i.MType >> 2), imgNV: bit(i.NV), imgMetaDirect: bit(i.MetaDirect),
		imgWidth: less1(i.Width), imgHeight: less1(i.Height), imgPerfMod: uint64(i.PerfMod), imgInterlaced: bit(i.Interlaced),
		imgDstSelX: uint64(i.DstSel[0]), imgDstSelY: uint64(i.DstSel[1]), imgDstSelZ: uint64(i.DstSel[2]),
		imgDstSelW:   uint64(i.DstSel[3]),
		imgBaseLevel: uint64(i.BaseLevel), imgLastLevel: uint64(i.LastLevel), imgTiling: uint64(i.TileMode),
		imgPow2Pad: bit(i.Pow2Pad), imgATC: bit(i.ATC),
		imgType: uint64(i.Type), imgDepth: less1(i.Depth), imgPitch: less1(i.Pitch), imgBCSwizzle: uint64(i.BCSwizzle),
		imgBaseArray: uint64(i.BaseArray), imgLastArray: uint64(i.LastArray), imgArrayPitch: uint64(i.ArrayPitch),
		imgMetaHigh: i.Meta >> 40, imgMetaLinear: bit(i.MetaLinear), imgMetaPipeAligned: bit(i.MetaPipeAligned),
		imgMetaRBAligned: bit(i.MetaRBAligned),
		imgMaxMip:        uint64(i.MaxMip), imgMinLODWarn: fixed(i.MinLODWarn, 12, 8, false),
		imgCounterBank: uint64(i.CounterBank), imgLODCount: bit(i.LODCount),
		imgCompression: bit(i.Compression), imgAlphaOnMSB: bit(i.AlphaOnMSB), imgColorTransform: bit(i.ColorTransform),
		imgLostAlpha: uint64(i.LostAlpha), imgLostColor: uint64(i.LostColor), imgMeta: i.Meta >> 8,
	} {
		imageLayouts[g][f].set(t[:], v)
	}
	return t
}

// Extent is how much of an image there is, and how much of that instructions reach.
type Extent struct {
	// layers of the whole image, with each face of a cube counted; 1 for images without layers (rule TD1, DEPTH)
	Layers     int
	Levels     int // levels of the whole image as far as the T# tells, 1 for MSAA
	Fragments  int // samples that are stored, 1 for images that are not MSAA
	ViewLayers int // layers from BASE_ARRAY on, counted like Layers (rules CO1 and TD1)
	ViewLevels int // levels from BASE_LEVEL on, 1 for MSAA (rule IM10)
}

// ExtentOf returns how much of an image there is on generation g.
func ExtentOf(i Image, g Gen) Extent {
	e := Extent{Layers: 1, Levels: 1, Fragments: 1, ViewLayers: 1, ViewLevels: 1}
	shape, swizzled := ShapeOf(i.Type), GenTraits(g).SwizzleModes
	if shape.Layered {
		e.Layers, e.ViewLayers = i.Depth, max(0, i.LastArray-i.BaseArray+1)
		switch {
		case swizzled:
			e.ViewLayers = max(0, i.Depth-i.BaseArray)
		case i.Type == ImageCube:
			e.Layers = 6 * i.Depth
		}
	}
	if shape.MSAA {
		e.Fragments = 1 << i.LastLevel
		return e
	}
	e.Levels, e.ViewLevels = i.LastLevel+1, max(0, i.LastLevel-i.BaseLevel+1)
	if swizzled {
		e.Levels = i.MaxMip + 1
	}
	return e
}

// WithNumFormat returns t with another number format code. It panics if a T# does not hold the code.
func WithNumFormat(t TSharp, code uint8) TSharp {
	if most := 1<<commonImage[imgNumFormat].width - 1; int(code) > most {
		panic(fmt.Sprintf("gcn: NumFormat is %d, which a T# does not hold; give 0 to %d", code, most))
	}
	commonImage[imgNumFormat].set(t[:], uint64(code))
	return t
}
