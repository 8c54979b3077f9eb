package gcn

import "github.com/gcnsim/gcnsim/internal/isa"

// VSharp is a buffer resource (V#) as four SGPRs hold it. VSharp.Fields returns what it
// means, Buffer.Words packs one.
type VSharp = isa.VSharp

// TSharp is an image resource (T#) as eight SGPRs hold it; of a 128-bit one the upper
// words are 0. TSharp.Fields returns what it means on a generation.
type TSharp = isa.TSharp

// SSharp is a sampler (S#) as four SGPRs hold it. SSharp.Fields returns what it means on a generation.
type SSharp = isa.SSharp

// Buffer holds the meaning of the fields of a V#. Buffer.Words packs it. The zero value of ElemSize and
// IndexStride is the smallest, the selection of DstSel with a DataFormat R, G, B, A.
type Buffer = isa.Buffer

// Image holds the fields of a T#. Image.Words packs it. Sizes are the sizes of level 0 in texels;
// 0 packs as 1. A generation without a field gives 0 for it; Image.On leaves out such fields.
type Image = isa.Image

// SamplerState holds the fields of an S#. SamplerState.Words packs it; SamplerState.On leaves out the
// fields that a generation does not have.
type SamplerState = isa.SamplerState

// Check returns an *[Error] for a field that a descriptor of generation g does not have, or does
// not hold as it is: a V# of a Buffer, a T# of an Image, an S# of a SamplerState. A field that is 0
// is not set. Words of these types panics where Check returns an error: a program checks fields that
// it did not choose itself.
func Check[T Buffer | Image | SamplerState](g Gen, fields T) error { return isa.Check(g, fields) }

// Sel is a DST_SEL code: the component that a destination component takes.
type Sel = isa.Sel

// The codes. 2 and 3 are not defined.
const (
	Sel0 = isa.Sel0
	Sel1 = isa.Sel1
	SelR = isa.SelR
	SelG = isa.SelG
	SelB = isa.SelB
	SelA = isa.SelA
)

// ImageType is the shape of an image. ImageType.String returns it as text, as in "2D array".
type ImageType = isa.ImageType

// The types of images.
const (
	Image1D          = isa.Image1D
	Image2D          = isa.Image2D
	Image3D          = isa.Image3D
	ImageCube        = isa.ImageCube
	Image1DArray     = isa.Image1DArray
	Image2DArray     = isa.Image2DArray
	Image2DMSAA      = isa.Image2DMSAA
	Image2DMSAAArray = isa.Image2DMSAAArray
)

// Clamp says how a sampler treats coordinates outside of an image.
type Clamp = isa.Clamp

// The modes. Source: rule CO4.
const (
	ClampWrap                 = isa.ClampWrap
	ClampMirror               = isa.ClampMirror
	ClampLastTexel            = isa.ClampLastTexel
	ClampMirrorOnceLastTexel  = isa.ClampMirrorOnceLastTexel
	ClampHalfBorder           = isa.ClampHalfBorder
	ClampMirrorOnceHalfBorder = isa.ClampMirrorOnceHalfBorder
	ClampBorder               = isa.ClampBorder
	ClampMirrorOnceBorder     = isa.ClampMirrorOnceBorder
)
