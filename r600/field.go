package r600

import (
	"slices"

	"github.com/gcnsim/gcnsim/internal/enum"
)

// Field is a field of an instruction. Fields of the same name in different words are one.
type Field uint8

// The fields.
const (
	Addr Field = iota // of a clause, in units of 8 bytes
	JumpTableSel
	PopCount
	CFConst
	Cond
	Count // of instructions, less one
	CallCount
	EndOfProgram
	ValidPixelMode
	CFInst
	WholeQuadMode
	Mark
	Barrier
	KCacheBank0
	KCacheBank1
	KCacheMode0
	KCacheMode1
	KCacheAddr0
	KCacheAddr1
	UsesWaterfall
	AltConst
	ALUInst // CF_INST of words that start an ALU clause
	ArrayBase
	ExportType // TYPE of exports
	MemoryType // TYPE of memory exports
	RATID
	RATInst
	RATIndexMode
	RWGPR
	RWRel
	IndexGPR
	ElemSize // dwords, less one
	ArraySize
	CompMask
	ElemLoop
	BurstCount // elements, less one
	SrcSelX
	SrcSelY
	SrcSelZ
	SrcSelW
	VTXInst
	FetchType
	FetchWholeQuad
	BufferID
	SrcGPR
	SrcRel
	MegaFetchCount // bytes, less one
	DstGPR
	DstRel
	SemanticID
	DstSelX
	DstSelY
	DstSelZ
	DstSelW
	UseConstFields
	DataFormat
	NumFormatAll
	FormatCompAll
	SRFModeAll
	Offset // bytes
	EndianSwap
	ConstBufNoStride
	MegaFetch
	BufferIndexMode
	TEXInst
	BCFracMode
	InstMod
	ResourceID
	ResourceIndexMode
	SamplerIndexMode
	LODBias
	CoordTypeX
	CoordTypeY
	CoordTypeZ
	CoordTypeW
	OffsetX // texels, a signed number of five bits with one after the point
	OffsetY
	OffsetZ
	SamplerID
	numFields = iota
)

// String returns the name of the field in the notation.
func (f Field) String() string {
	if int(f) < len(fields) {
		return fields[f].name
	}
	return enum.Number(f)
}

// fieldRow says how a field is written.
type fieldRow struct {
	name  string
	less  uint32   // what the word has less than the notation says, but for 0
	names []string // of the values from 0 on; nil if it is written as a number
	ops   []op     // whose names its values have
	head  string   // before the names of ops
}

var (
	selects  = []string{"SQ_SEL_X", "SQ_SEL_Y", "SQ_SEL_Z", "SQ_SEL_W", "SQ_SEL_0", "SQ_SEL_1", "", "SQ_SEL_MASK"}
	relative = []string{"ABSOLUTE", "RELATIVE"}
	coords   = []string{"TEX_UNNORMALIZED", "TEX_NORMALIZED"}
)

var fields = [numFields]fieldRow{
	Addr: {name: "ADDR"}, JumpTableSel: {name: "JUMPTABLE_SEL"}, PopCount: {name: "POP_COUNT"}, CFConst: {name: "CF_CONST"},
	Cond:  {name: "COND", names: []string{"SQ_CF_COND_ACTIVE", "SQ_CF_COND_FALSE", "SQ_CF_COND_BOOL", "SQ_CF_COND_NOT_BOOL"}},
	Count: {name: "I_COUNT", less: 1}, CallCount: {name: "CALL_COUNT"}, EndOfProgram: {name: "END_OF_PROGRAM"},
	ValidPixelMode: {name: "VALID_PIXEL_MODE"}, CFInst: {name: "CF_INST", ops: cfOps, head: "SQ_CF_INST_"},
	WholeQuadMode: {name: "WHOLE_QUAD_MODE"}, Mark: {name: "MARK"}, Barrier: {name: "BARRIER"},
	KCacheBank0: {name: "KCACHE_BANK0"}, KCacheBank1: {name: "KCACHE_BANK1"}, KCacheMode0: {name: "KCACHE_MODE0"}, KCacheMode1: {name: "KCACHE_MODE1"},
	KCacheAddr0: {name: "KCACHE_ADDR0"}, KCacheAddr1: {name: "KCACHE_ADDR1"}, UsesWaterfall: {name: "USES_WATERFALL"},
	AltConst: {name: "R7xx_ALT_CONST"}, ALUInst: {name: "CF_INST", ops: aluOps, head: "SQ_CF_INST_"},
	ArrayBase:  {name: "ARRAY_BASE"}, // names by TYPE, see number
	ExportType: {name: "TYPE", names: []string{"SQ_EXPORT_PIXEL", "SQ_EXPORT_POS", "SQ_EXPORT_PARAM"}},
	MemoryType: {name: "TYPE", names: []string{"SQ_EXPORT_WRITE", "SQ_EXPORT_WRITE_IND", "SQ_EXPORT_WRITE_ACK", "SQ_EXPORT_WRITE_IND_ACK"}},
	RATID:      {name: "RAT_ID"}, RATInst: {name: "RAT_INST"}, RATIndexMode: {name: "RAT_INDEX_MODE"},
	RWGPR: {name: "RW_GPR"}, RWRel: {name: "RW_REL", names: relative}, IndexGPR: {name: "INDEX_GPR"}, ElemSize: {name: "ELEM_SIZE", less: 1},
	ArraySize: {name: "ARRAY_SIZE"}, CompMask: {name: "COMP_MASK"}, ElemLoop: {name: "R6xx_ELEM_LOOP"}, BurstCount: {name: "BURST_COUNT", less: 1},
	SrcSelX: {name: "SRC_SEL_X", names: selects}, SrcSelY: {name: "SRC_SEL_Y", names: selects},
	SrcSelZ: {name: "SRC_SEL_Z", names: selects}, SrcSelW: {name: "SRC_SEL_W", names: selects},
	VTXInst:        {name: "VTX_INST", ops: vtxOps, head: "SQ_VTX_INST_"},
	FetchType:      {name: "FETCH_TYPE", names: []string{"SQ_VTX_FETCH_VERTEX_DATA", "SQ_VTX_FETCH_INSTANCE_DATA", "SQ_VTX_FETCH_NO_INDEX_OFFSET"}},
	FetchWholeQuad: {name: "FETCH_WHOLE_QUAD"}, BufferID: {name: "BUFFER_ID"}, SrcGPR: {name: "SRC_GPR"}, SrcRel: {name: "SRC_REL", names: relative},
	MegaFetchCount: {name: "MEGA_FETCH_COUNT", less: 1}, DstGPR: {name: "DST_GPR"}, DstRel: {name: "DST_REL", names: relative},
	SemanticID: {name: "SEMANTIC_ID"}, DstSelX: {name: "DST_SEL_X", names: selects}, DstSelY: {name: "DST_SEL_Y", names: selects},
	DstSelZ: {name: "DST_SEL_Z", names: selects}, DstSelW: {name: "DST_SEL_W", names: selects}, UseConstFields: {name: "USE_CONST_FIELDS"},
	DataFormat:    {name: "DATA_FORMAT", names: dataFormats},
	NumFormatAll:  {name: "NUM_FORMAT_ALL", names: []string{"SQ_NUM_FORMAT_NORM", "SQ_NUM_FORMAT_INT", "SQ_NUM_FORMAT_SCALED"}},
	FormatCompAll: {name: "FORMAT_COMP_ALL", names: []string{"SQ_FORMAT_COMP_UNSIGNED", "SQ_FORMAT_COMP_SIGNED"}},
	SRFModeAll:    {name: "SRF_MODE_ALL", names: []string{"SRF_MODE_ZERO_CLAMP_MINUS_ONE", "SRF_MODE_NO_ZERO"}},
	Offset:        {name: "OFFSET"}, EndianSwap: {name: "ENDIAN_SWAP", names: []string{"SQ_ENDIAN_NONE", "SQ_ENDIAN_8IN16", "SQ_ENDIAN_8IN32"}},
	ConstBufNoStride: {name: "CONST_BUF_NO_STRIDE"}, MegaFetch: {name: "MEGA_FETCH"}, BufferIndexMode: {name: "BUFFER_INDEX_MODE"},
	TEXInst: {name: "TEX_INST", ops: texOps, head: "SQ_TEX_INST_"}, BCFracMode: {name: "BC_FRAC_MODE"}, InstMod: {name: "INST_MOD"},
	ResourceID: {name: "RESOURCE_ID"}, ResourceIndexMode: {name: "RESOURCE_INDEX_MODE"}, SamplerIndexMode: {name: "SAMPLER_INDEX_MODE"},
	LODBias: {name: "LOD_BIAS"}, CoordTypeX: {name: "COORD_TYPE_X", names: coords}, CoordTypeY: {name: "COORD_TYPE_Y", names: coords},
	CoordTypeZ: {name: "COORD_TYPE_Z", names: coords}, CoordTypeW: {name: "COORD_TYPE_W", names: coords},
	OffsetX: {name: "OFFSET_X"}, OffsetY: {name: "OFFSET_Y"}, OffsetZ: {name: "OFFSET_Z"}, SamplerID: {name: "SAMPLER_ID"},
}

var _ = enum.Full[Field](fields[:])

// bases are the names of values of ARRAY_BASE that exports use; several have the same value.
var bases = map[string]uint32{
	"CF_PIXEL_MRT0": 0, "CF_PIXEL_MRT1": 1, "CF_PIXEL_MRT2": 2, "CF_PIXEL_MRT3": 3, "CF_PIXEL_MRT4": 4, "CF_PIXEL_MRT5": 5, "CF_PIXEL_MRT6": 6, "CF_PIXEL_MRT7": 7,
	"CF_PIXEL_Z": 61, "CF_POS0": 60, "CF_POS1": 61, "CF_POS2": 62, "CF_POS3": 63,
}

// value returns what a name stands for in field f of a family.
func (f Field) value(fam Family, name string) (uint32, bool) {
	if v, ok := bases[name]; ok && f == ArrayBase {
		return v, true
	}
	for _, n := range f.names(fam) {
		if n.name == name {
			return n.value, true
		}
	}
	return 0, false
}

// named is a value that has a name.
type named struct {
	name  string
	value uint32
}

// names returns the names that values of the field have.
func (f Field) names(fam Family) (all []named) {
	row := &fields[f]
	for v, name := range row.names {
		if name != "" {
			all = append(all, named{name, uint32(v)})
		}
	}
	for _, o := range row.ops {
		if code := o.codes[fam]; code != none {
			all = append(all, named{row.head + o.name, uint32(code)})
		}
	}
	return all
}

// name returns the name of a value, "" if it has none.
func (f Field) name(fam Family, v uint32) string {
	all := f.names(fam)
	if i := slices.IndexFunc(all, func(n named) bool { return n.value == v }); i >= 0 {
		return all[i].name
	}
	return ""
}
