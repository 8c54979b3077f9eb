package gcn

import "github.com/gcnsim/gcnsim/internal/isa"

// VSharp is a buffer resource (V#) as four SGPRs hold it. VSharp.Fields decodes it, Buffer.Words encodes one.
type VSharp = isa.VSharp

// TSharp is an image resource (T#) as eight SGPRs hold it. A 128-bit T# has 0 in the upper four dwords. TSharp.Fields
// decodes it for a generation.
type TSharp = isa.TSharp

// SSharp is a sampler (S#) as four SGPRs hold it. SSharp.Fields decodes it for a generation.
type SSharp = isa.SSharp

// Buffer holds the decoded fields of a V#. Buffer.Words encodes it. If ElemSize and IndexStride are not set, the
// smallest sizes apply; if DstSel is not set and DataFormat is, components are selected in the order R, G, B, A.
type Buffer = isa.Buffer

// Image holds the decoded fields of a T#. Image.Words encodes it. Width, height and depth are those of level 0 in
// texels; 0 is encoded as 1. A field that a generation lacks decodes as 0, and Image.On removes it.
type Image = isa.Image

// SamplerState holds the decoded fields of an S#. SamplerState.Words encodes it. SamplerState.On removes the fields
// that a generation lacks.
type SamplerState = isa.SamplerState

// Check returns an *[Error] if a field is set that the descriptors of generation g lack, or if its value does not
// fit: of a Buffer for a V#, an Image for a T#, a SamplerState for an S#. A field that is 0 counts as not set. The
// method Words panics where Check returns an error, so call Check for fields that come from outside of the program.
func Check[T Buffer | Image | SamplerState](g Gen, fields T) error { return isa.Check(g, fields) }

// Sel is a DST_SEL code: it selects the component, or the constant, that a destination component receives.
type Sel = isa.Sel

// The DST_SEL codes. 2 and 3 are not defined.
const (
	Sel0 = isa.Sel0
	Sel1 = isa.Sel1
	SelR = isa.SelR
	SelG = isa.SelG
	SelB = isa.SelB
	SelA = isa.SelA
)

// ImageType is the shape of an image. ImageType.String returns its name, for example "2D array".
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

// Clamp is the treatment of coordinates outside of an image by a sampler.
type Clamp = isa.Clamp

// The clamp modes. Source: rule CO4.
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
