package rect

import "fmt"

// Byte addresses of registers. For colour buffers they belong to the first one.
const (
	shFirst      = 0xb000
	shEnd        = 0xb800
	contextFirst = 0x28000
	contextEnd   = 0x29000

	primitiveTypeConfig = 0x8958 // VGT_PRIMITIVE_TYPE of GCN 1.0
	primitiveType       = 0x30908

	pgmLoPS   = 0xb020 // SPI_SHADER_PGM_LO_PS, HI, RSRC1, RSRC2
	userPS    = 0xb030
	pgmLoVS   = 0xb120
	userVS    = 0xb130
	rsrc1     = 8  // offset from the stage's PGM_LO
	rsrc2     = 12 // offset from the stage's PGM_LO
	programHi = 4

	dbRenderControl  = 0x28000
	dbDepthView      = 0x28008
	dbRenderOverride = 0x2800c

	dbDepthInfo    = 0x2803c // up to GCN 1.2
	dbZInfo        = 0x28040
	dbStencilInfo  = 0x28044
	dbZWrite       = 0x28050
	dbStencilWrite = 0x28054
	dbDepthSize    = 0x28058

	dbDepthSizeVega    = 0x2801c // GCN 1.4
	dbZInfoVega        = 0x28038
	dbStencilInfoVega  = 0x2803c
	dbZWriteVega       = 0x28050
	dbStencilWriteVega = 0x28058
	dbZInfo2           = 0x28068
	dbStencilInfo2     = 0x2806c

	screenScissor    = 0x28030
	windowOffset     = 0x28200
	windowScissor    = 0x28204
	clipRectRule     = 0x2820c
	targetMask       = 0x28238
	shaderMask       = 0x2823c
	genericScissor   = 0x28240
	viewportScissor  = 0x28250
	viewportDepth    = 0x282d0
	stencilRefMask   = 0x28430
	viewportScale    = 0x2843c // XSCALE, XOFFSET, YSCALE, YOFFSET, ZSCALE, ZOFFSET
	inputControl     = 0x28644 // SPI_PS_INPUT_CNTL_0
	inputEnable      = 0x286cc
	inputAddress     = 0x286d0
	depthFormat      = 0x28710
	colorFormat      = 0x28714
	blendControl     = 0x28780
	pitchVega        = 0x287a0 // CB_MRT0_EPITCH
	depthControl     = 0x28800
	colorControl     = 0x28808
	dbShaderControl  = 0x2880c
	viewportControl  = 0x28818
	vsOutControl     = 0x2881c
	stencilControl   = 0x2842c
	shaderStages     = 0x28b54
	aaConfig         = 0x28be0
	colorBase        = 0x28c60
	colorStride      = 0x3c
	colorTargets     = 8
	interpolatorsEnd = 32
)

// Registers are the values of the graphics pipeline's registers.
type Registers struct {
	sh        [(shEnd - shFirst) / 4]uint32
	context   [(contextEnd - contextFirst) / 4]uint32
	primitive uint32
}

// At returns the register at a byte address, or nil if it does not belong to the pipeline.
func (r *Registers) At(addr uint32) *uint32 {
	switch {
	case addr%4 != 0:
		return nil
	case addr >= shFirst && addr < shEnd:
		return &r.sh[(addr-shFirst)/4]
	case addr >= contextFirst && addr < contextEnd:
		return &r.context[(addr-contextFirst)/4]
	case addr == primitiveType || addr == primitiveTypeConfig:
		return &r.primitive
	}
	return nil
}

// whole is the lower right corner of a scissor that cuts nothing.
const whole = 0x4000<<16 | 0x4000

// Clear resets the context registers like CLEAR_STATE does: to 0, with scissors that cut nothing.
func (r *Registers) Clear() {
	clear(r.context[:])
	for _, scissor := range []uint32{screenScissor, windowScissor, genericScissor, viewportScissor} {
		*r.At(scissor + 4) = whole
	}
	*r.At(clipRectRule) = 0xffff
}

// get returns a register that this package knows.
func (r *Registers) get(addr uint32) uint32 { return *r.At(addr) }

// field returns bits hi to lo of a register.
func (r *Registers) field(addr uint32, hi, lo int) uint32 {
	return r.get(addr) >> lo & (1<<(hi-lo+1) - 1)
}

// Error says which unsupported feature a draw uses.
type Error struct{ What string }

// Error returns the feature's name.
func (e *Error) Error() string { return e.What }

func refuse(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }
