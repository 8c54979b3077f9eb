package isa

import (
	"github.com/gcnsim/gcnsim/internal/tool/enum"
)

// ImageType is the TYPE of an image resource: the shape of the image.
type ImageType uint8

// The types of images. Source: rule TD2; codes 0 to 7 are not images.
const (
	Image1D          ImageType = 8
	Image2D          ImageType = 9
	Image3D          ImageType = 10
	ImageCube        ImageType = 11
	Image1DArray     ImageType = 12
	Image2DArray     ImageType = 13
	Image2DMSAA      ImageType = 14
	Image2DMSAAArray ImageType = 15
)

// ImageShape describes the images of a type.
type ImageShape struct {
	Valid    bool // the type is a type of images
	Dims     int  // number of spatial coordinates, 1 to 3
	Linear1D bool // the images have one row
	Layered  bool // the images have layers (faces, slices)
	MSAA     bool // the images have samples
	Short    bool // a T# of 128 bits can describe them (rule TD2)
	name     string
}

var imageShapes = [16]ImageShape{
	Image1D:          {Valid: true, Dims: 1, Linear1D: true, Short: true, name: "1D"},
	Image2D:          {Valid: true, Dims: 2, Short: true, name: "2D"},
	Image3D:          {Valid: true, Dims: 3, name: "3D"},
	ImageCube:        {Valid: true, Dims: 2, Layered: true, name: "cube"},
	Image1DArray:     {Valid: true, Dims: 1, Linear1D: true, Layered: true, name: "1D array"},
	Image2DArray:     {Valid: true, Dims: 2, Layered: true, name: "2D array"},
	Image2DMSAA:      {Valid: true, Dims: 2, MSAA: true, Short: true, name: "2D MSAA"},
	Image2DMSAAArray: {Valid: true, Dims: 2, Layered: true, MSAA: true, name: "2D MSAA array"},
}

var _ = enum.Full(imageShapes[:], 0, 1, 2, 3, 4, 5, 6, ImageType(7))

// bufferShape is the shape of resource types that are not images.
var bufferShape = ImageShape{Dims: 2}

// ShapeOf returns the shape of images of type t; for other types a shape with two dimensions. The caller must not
// change it.
func ShapeOf(t ImageType) *ImageShape {
	if int(t) < len(imageShapes) && imageShapes[t].Valid {
		return &imageShapes[t]
	}
	return &bufferShape
}

// String returns the name of the shape, for example "2D array".
func (t ImageType) String() string {
	if s := ShapeOf(t); s.Valid {
		return s.name
	}
	return enum.Number(t)
}

// ImageFormat describes an image data format.
type ImageFormat struct {
	Name          string // name without prefix, for example "8_8_8_8"
	Bytes         uint8  // bytes of an element in memory; 0 if no source states it
	Width, Height uint8  // texels in an element: 1x1, 4x4 in a compressed block, 8x1 in a byte of 1-bit texels
}

func oneTexel(name string, bytes uint8) ImageFormat   { return ImageFormat{name, bytes, 1, 1} }
func texelBlock(name string, bytes uint8) ImageFormat { return ImageFormat{name, bytes, 4, 4} }
func texelByte(name string) ImageFormat               { return ImageFormat{name, 1, 8, 1} }
func texelPair(name string) ImageFormat               { return ImageFormat{name, 4, 2, 1} }

// imageFormats are the image data formats, indexed by code; buffers have the first 16. Names list the widths of the
// components from the highest bit. Source: rule TD3; for the sample counts of FMASK rule MC2. An older version of
// CLRX's page has the names of 8 and 9 exchanged. Drivers agree with this one: they use 9 for the format with a 2-bit
// alpha in the highest bits.
var imageFormats = [64]ImageFormat{
	Data8:              oneTexel("8", 1),
	Data16:             oneTexel("16", 2),
	Data8_8:            oneTexel("8_8", 2),
	Data32:             oneTexel("32", 4),
	Data16_16:          oneTexel("16_16", 4),
	Data10_11_11:       oneTexel("10_11_11", 4),
	Data11_11_10:       oneTexel("11_11_10", 4),
	Data10_10_10_2:     oneTexel("10_10_10_2", 4),
	Data2_10_10_10:     oneTexel("2_10_10_10", 4),
	Data8_8_8_8:        oneTexel("8_8_8_8", 4),
	Data32_32:          oneTexel("32_32", 8),
	Data16_16_16_16:    oneTexel("16_16_16_16", 8),
	Data32_32_32:       oneTexel("32_32_32", 12),
	Data32_32_32_32:    oneTexel("32_32_32_32", 16),
	Data5_6_5:          oneTexel("5_6_5", 2),
	Data1_5_5_5:        oneTexel("1_5_5_5", 2),
	Data5_5_5_1:        oneTexel("5_5_5_1", 2),
	Data4_4_4_4:        oneTexel("4_4_4_4", 2),
	Data8_24:           oneTexel("8_24", 4),
	Data24_8:           oneTexel("24_8", 4),
	DataX24_8_32:       oneTexel("X24_8_32", 8),
	DataGB_GR:          texelPair("GB_GR"),
	DataBG_RG:          texelPair("BG_RG"),
	Data5_9_9_9:        oneTexel("5_9_9_9", 4),
	DataBC1:            texelBlock("BC1", 8),
	DataBC2:            texelBlock("BC2", 16),
	DataBC3:            texelBlock("BC3", 16),
	DataBC4:            texelBlock("BC4", 8),
	DataBC5:            texelBlock("BC5", 16),
	DataBC6:            texelBlock("BC6", 16),
	DataBC7:            texelBlock("BC7", 16),
	DataFMASK8_S2_F1:   oneTexel("FMASK8_S2_F1", 1),
	DataFMASK8_S4_F1:   oneTexel("FMASK8_S4_F1", 1),
	DataFMASK8_S8_F1:   oneTexel("FMASK8_S8_F1", 1),
	DataFMASK8_S2_F2:   oneTexel("FMASK8_S2_F2", 1),
	DataFMASK8_S4_F2:   oneTexel("FMASK8_S4_F2", 1),
	DataFMASK8_S4_F4:   oneTexel("FMASK8_S4_F4", 1),
	DataFMASK16_S16_F1: oneTexel("FMASK16_S16_F1", 2),
	DataFMASK16_S8_F2:  oneTexel("FMASK16_S8_F2", 2),
	DataFMASK32_S16_F2: oneTexel("FMASK32_S16_F2", 4),
	DataFMASK32_S8_F4:  oneTexel("FMASK32_S8_F4", 4),
	DataFMASK32_S8_F8:  oneTexel("FMASK32_S8_F8", 4),
	DataFMASK64_S16_F4: oneTexel("FMASK64_S16_F4", 8),
	DataFMASK64_S16_F8: oneTexel("FMASK64_S16_F8", 8),
	Data4_4:            oneTexel("4_4", 1),
	Data6_5_5:          oneTexel("6_5_5", 2),
	Data1:              texelByte("1"),
	Data1_REVERSED:     texelByte("1_REVERSED"),
	61:                 oneTexel("32_AS_8", 0),
	62:                 oneTexel("32_AS_8_8", 0),
	63:                 oneTexel("32_AS_32_32_32_32", 0),
}

// vegaImageFormats are the codes that GCN 1.4 changed. Source: rule TD3.
var vegaImageFormats = map[uint8]ImageFormat{
	23: oneTexel("8_AS_8_8_8_8", 0), DataETC2_RGB: texelBlock("ETC2_RGB", 8),
	DataETC2_RGBA: texelBlock("ETC2_RGBA", 16), DataETC2_R: texelBlock("ETC2_R", 8),
	DataETC2_RG: texelBlock("ETC2_RG", 16), DataETC2_RGBA1: texelBlock("ETC2_RGBA1", 8), 31: oneTexel("6E4", 0),
	42: oneTexel("16_AS_32_32", 0), 43: oneTexel("16_AS_16_16_16_16", 0), 44: oneTexel("16_AS_32_32_32_32", 0),
	DataFMASK: oneTexel("FMASK", 0),
	46:        oneTexel("ASTC_2D_LDR", 0), 47: oneTexel("ASTC_2D_HDR", 0), 48: oneTexel("ASTC_2D_LDR_SRGB", 0),
	49: oneTexel("ASTC_3D_LDR", 0),
	50: oneTexel("ASTC_3D_HDR", 0), 51: oneTexel("ASTC_3D_LDR_SRGB", 0), 52: oneTexel("N_IN_16", 0),
	53: oneTexel("N_IN_16_16", 0),
	54: oneTexel("N_IN_16_16_16_16", 0), 55: oneTexel("N_IN_16_AS_16_16_16_16", 0), 56: {}, 59: oneTexel("S8_16", 0),
	60: oneTexel("S8_32", 0),
	61: oneTexel("8_AS_32", 0), 62: oneTexel("8_AS_32_32", 0),
}

// ImageFormatOf returns the data format that the codes of a T# select on generation g. The number format matters for
// FMASK of GCN 1.4 only. A reserved code has no name.
func ImageFormatOf(g Gen, data, num uint8) ImageFormat {
	if GenTraits(g).SwizzleModes {
		if data == DataFMASK && num <= DataFMASK64_S16_F8-DataFMASK8_S2_F1 {
			return imageFormats[DataFMASK8_S2_F1+num]
		}
		if f, ok := vegaImageFormats[data]; ok {
			return f
		}
	}
	if int(data) < len(imageFormats) {
		return imageFormats[data]
	}
	return ImageFormat{}
}
