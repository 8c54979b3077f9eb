package isa

import "github.com/gcnsim/gcnsim/internal/tool/enum"

// Traits are the facts about a processor except opcodes and fields: those of its generation, with the differences of
// the processor.
type Traits struct {
	Chips   []string // names of its chips in LLVM, or in the amdgpu driver for chips that LLVM does not name
	Version [3]int   // major, minor and stepping, for example 9, 0 and 12 for gfx90c
	Mach    uint8    // EF_AMDGPU_MACH of an AMDGPU ELF header

	// Tiling of surfaces. Source: rules TM1 and SW1.
	SwizzleModes bool // the T# has a SW_MODE instead of an index of GB_TILE_MODE
	MacroModes   bool // bank parameters are in GB_MACROTILE_MODE instead of GB_TILE_MODE
	PRTModes     bool // ARRAY_MODE has values for partially resident textures
	ThinLevels   bool // levels with few slices are not tiled in thick mode (rule TL6)

	SGPRs       int   // number of addressable SGPRs (rules ST1 and K6)
	FlatScratch int16 // operand code of FLAT_SCRATCH_LO, -1 if it does not exist (rule ST2)
	XnackMask   int16 // operand code of XNACK_MASK_LO, -1 if it does not exist
	TTMP        int16 // operand code of TTMP0
	NumTTMP     int
	TBA         int16 // operand code of TBA_LO, followed by TMA; -1 if it does not exist
	Apertures   bool  // SRC_SHARED_BASE and similar operands exist (codes 235 to 239)
	// High dwords of the FLAT addresses of LDS and private memory where amdkfd places them: on GCN 1.4 at 1<<48 and
	// 2<<48, before that at 1<<61 and 4 GiB above (rule F11).
	SharedBase, PrivateBase uint32
	InvTwoPi                bool // operand 248 is 1/(2*pi)
	SecondWord              bool // SDWA and DPP exist
	GPRIndexing             bool // MODE.GPR_IDX_EN exists (rule ST9)
	SMRDLiteral             bool // SMRD can have a 32-bit literal offset (rule SM1)

	NopBits   uint8 // number of bits of SIMM16 that S_NOP uses (rule W11)
	WideLGKM  bool  // documents describe a fifth bit of LGKMCNT in S_WAITCNT (rule K7)
	SRAMECC   bool  // memory may have error correction
	StaleVCCZ bool  // scalar loads may leave a wrong VCCZ (rule W7)

	StoresCountEXP         bool  // stores and atomics count in EXPCNT until their data have been read (rule W2)
	MaxVM, MaxEXP, MaxLGKM uint8 // largest counter values (rule ST10)

	ScalarOffsetUnit  uint8 // bytes per unit of an immediate SMEM OFFSET (rule SM1)
	LDSLimitM0        bool  // M0 limits LDS accesses (rule DS3)
	MaxLDS            int   // largest LDS of a work-group in bytes (rule DS4)
	FlatScratchIsAddr bool  // FLAT_SCRATCH is a 64-bit address (rule F12)
	AlignModes        bool  // SH_MEM_CONFIG.alignment_mode exists (rule L2)
	LDSAlignModes     bool  // alignment_mode applies to DS instructions (rule DS2)
	DSSwizzles        bool  // DS_SWIZZLE_B32 has rotate and FFT modes (rule DS7)
	PackedD16         bool  // D16 format data has two components in a register (rule DP4)
	// loads of 2_10_10_10 treat the 2-bit alpha as unsigned, even in signed number formats (rule DP15)
	UnsignedAlpha    bool
	ETC2             bool // T#s have the data formats of ETC2 (rule TD3)
	features         features
	SnormOGL         bool // buffers have number format 6, SNORM_OGL (rule DP13)
	PackedFloatDoubt bool // according to CLRX, 10_11_11 and 11_11_10 "seemingly" do not work (rule DP12)
	// GATHER4 and FILTER_MODE MIN and MAX read integer texels as point filters do (rules IM9 and FI4)
	IntegerPoints bool
	PackedFace    bool // face and layer of a cube are clamped together as one number (rule IM3)
	VGPRGranule   int  // VGPRs per unit of COMPUTE_PGM_RSRC1.VGPRS
	SGPRGranule   int  // SGPRs are allocated in multiples of this number; RSRC1 is in units of 8 on all generations
	LDSGranule    int  // bytes per unit of COMPUTE_PGM_RSRC2.LDS_SIZE

	FastFMA bool // V_FMA_F32 is as fast as V_ADD_F32. Source: LLVM, FastFMAF32
	// FastMultiply: 32-bit integer products take 8 clocks instead of 16, on chips whose doubles can have half the rate
	// of floats and whose multiplier is wide enough. Source: clpeak.
	FastMultiply bool
	FP16Ovfl     bool // MODE.FP16_OVFL exists (rule ST5)
	XNACK        bool // a wave can replay memory accesses that fault, for which it has XNACK_MASK
	FixedSGPRs   int  // SGPRs that every wave has, 0 if the program determines the number

	// KeepHigh: 16-bit results of rows with the KeepsHigh flag preserve bits 31:16 of the register. Source: LLVM, AMDGPU
	// subtarget facts on zeroed high halves.
	KeepHigh bool
	// MinMaxDenorm: V_MIN and V_MAX of floats obey MODE.FP_DENORM; otherwise they keep denormals. Source: LLVM, AMDGPU
	// subtarget facts on min and max.
	MinMaxDenorm bool
	// HalfModes: conversions from and to half precision obey the half-precision fields of MODE; otherwise they keep
	// denormals and round as single precision does. Source: CLRX, V_CVT_F16_F32 and V_CVT_F32_F16.
	HalfModes bool
	// FrexpSpecial: V_FREXP of infinity returns exponent 0 and the infinity; otherwise -1 and NaN. Source: CLRX,
	// V_FREXP_EXP_I32_F32 and V_FREXP_MANT_F32.
	FrexpSpecial bool
	// FractBelowOne: V_FRACT_F64 of tiny negative numbers is below 1. Source: LLVM, the workaround for V_FRACT_F64 of
	// Southern Islands.
	FractBelowOne bool
}

// generations are the traits that the processors of a generation share.
var generations = [NumGens]Traits{
	GCN10: {
		SharedBase: 0x20000000, PrivateBase: 0x20000001, ThinLevels: true, SnormOGL: true,
		SGPRs: 104, FlatScratch: -1, XnackMask: -1, TTMP: 112, NumTTMP: 12, TBA: 108, StoresCountEXP: true,
		NopBits: 3, WideLGKM: true, StaleVCCZ: true,
		MaxVM: 15, MaxEXP: 7, MaxLGKM: 31, ScalarOffsetUnit: 4,
		IntegerPoints: true, PackedFace: true, UnsignedAlpha: true, PackedFloatDoubt: true, LDSLimitM0: true,
		MaxLDS: 32 << 10, VGPRGranule: 4, SGPRGranule: 8, LDSGranule: 256,
	},
	GCN11: {
		SharedBase: 0x20000000, PrivateBase: 0x20000001, MacroModes: true, PRTModes: true, SnormOGL: true,
		SGPRs: 104, FlatScratch: 104, XnackMask: -1, TTMP: 112, NumTTMP: 12, TBA: 108, SMRDLiteral: true,
		NopBits: 3, WideLGKM: true, StaleVCCZ: true,
		MaxVM: 15, MaxEXP: 7, MaxLGKM: 31, ScalarOffsetUnit: 4, FrexpSpecial: true, FractBelowOne: true, AlignModes: true,
		IntegerPoints: true, PackedFace: true, UnsignedAlpha: true, LDSLimitM0: true, MaxLDS: 64 << 10, VGPRGranule: 4,
		SGPRGranule: 8, LDSGranule: 512,
	},
	GCN12: {
		SharedBase: 0x20000000, PrivateBase: 0x20000001, MacroModes: true, PRTModes: true,
		SGPRs: 102, FlatScratch: 102, XnackMask: 104, TTMP: 112, NumTTMP: 12, TBA: 108, InvTwoPi: true, SecondWord: true,
		GPRIndexing: true,
		NopBits:     3, WideLGKM: true,
		MaxVM: 15, MaxEXP: 7, MaxLGKM: 31, ScalarOffsetUnit: 1, HalfModes: true, FrexpSpecial: true, FractBelowOne: true,
		AlignModes: true, DSSwizzles: true,
		IntegerPoints: true, PackedFace: true, UnsignedAlpha: true, LDSLimitM0: true, MaxLDS: 64 << 10, VGPRGranule: 4,
		SGPRGranule: 16, LDSGranule: 512,
	},
	GCN14:  vega(madMix),
	GCN141: vega(fmaMix),
}

var _ = enum.Full[Gen](generations[:])

func vega(mix features) Traits {
	return Traits{
		SharedBase: 0x00010000, PrivateBase: 0x00020000, SwizzleModes: true,
		features: mix, ETC2: true, FastFMA: true, XNACK: true, SGPRs: 102, FlatScratch: 102, XnackMask: 104, TTMP: 108,
		NumTTMP: 16, TBA: -1, NopBits: 4, InvTwoPi: true, SecondWord: true, GPRIndexing: true,
		Apertures: true, FP16Ovfl: true, MaxVM: 63, MaxEXP: 7, MaxLGKM: 31, ScalarOffsetUnit: 1, FlatScratchIsAddr: true,
		AlignModes: true, LDSAlignModes: true, DSSwizzles: true, KeepHigh: true, MinMaxDenorm: true, HalfModes: true,
		FrexpSpecial: true, FractBelowOne: true,
		PackedD16: true, MaxLDS: 64 << 10, VGPRGranule: 4, SGPRGranule: 16, LDSGranule: 512,
	}
}

// traits are the traits of each processor.
var traits = func() (all [NumTargets]Traits) {
	for t := range targets {
		all[t] = generations[targets[t].gen]
		all[t].Chips, all[t].Mach, all[t].Version = targets[t].chips, targets[t].mach, Target(t).version()
		if other := targets[t].other; other != nil {
			other(&all[t])
		}
	}
	return all
}()

// GenTraits returns the traits that the processors of generation g share. The caller must not change them.
func GenTraits(g Gen) *Traits {
	if g >= NumGens {
		noGen(g)
	}
	return &generations[g]
}

// features is a set of instructions that only some processors of a generation have.
type features uint8

const (
	madMix features = 1 << iota // V_MAD_MIX*
	fmaMix                      // V_FMA_MIX*, with the opcodes of V_MAD_MIX*
)
