package r600

import (
	"slices"

	"github.com/gcnsim/gcnsim/internal/tool/enum"
)

// field is a field of an instruction. Fields with the same name in different words are the same field.
type field uint8

// The fields.
const (
	fieldAddr field = iota // address of a clause, in units of 8 bytes
	fieldPopCount
	fieldCFConst
	fieldCond
	fieldCount // number of instructions, less one
	fieldCallCount
	fieldEndOfProgram
	fieldValidPixelMode
	fieldCFInst
	fieldWholeQuadMode
	fieldBarrier
	fieldKCacheBank0
	fieldKCacheBank1
	fieldKCacheMode0
	fieldKCacheMode1
	fieldKCacheAddr0
	fieldKCacheAddr1
	fieldUsesWaterfall
	fieldAltConst
	fieldALUInst // CF_INST of words that start an ALU clause
	fieldArrayBase
	fieldExportType // TYPE of exports
	fieldMemoryType // TYPE of memory exports
	fieldRWGPR
	fieldRWRel
	fieldIndexGPR
	fieldElemSize // dwords, less one
	fieldArraySize
	fieldCompMask
	fieldElemLoop
	fieldBurstCount // number of elements, less one
	fieldSrcSelX
	fieldSrcSelY
	fieldSrcSelZ
	fieldSrcSelW
	fieldVTXInst
	fieldFetchType
	fieldFetchWholeQuad
	fieldBufferID
	fieldSrcGPR
	fieldSrcRel
	fieldMegaFetchCount // number of bytes, less one
	fieldDstGPR
	fieldDstRel
	fieldSemanticID
	fieldDstSelX
	fieldDstSelY
	fieldDstSelZ
	fieldDstSelW
	fieldUseConstFields
	fieldDataFormat
	fieldNumFormatAll
	fieldFormatCompAll
	fieldSRFModeAll
	fieldOffset // in bytes
	fieldEndianSwap
	fieldConstBufNoStride
	fieldMegaFetch
	fieldTEXInst
	fieldBCFracMode
	fieldResourceID
	fieldLODBias
	fieldCoordTypeX
	fieldCoordTypeY
	fieldCoordTypeZ
	fieldCoordTypeW
	fieldOffsetX // in texels: a signed number of five bits, one of them after the binary point
	fieldOffsetY
	fieldOffsetZ
	fieldSamplerID
	fieldSrc0Sel // of ALU instructions
	fieldSrc0Rel
	fieldSrc0Elem
	fieldSrc0Neg
	fieldSrc1Sel
	fieldSrc1Rel
	fieldSrc1Elem
	fieldSrc1Neg
	fieldSrc2Sel
	fieldSrc2Rel
	fieldSrc2Elem
	fieldSrc2Neg
	fieldIndexMode
	fieldPredSel
	fieldLast
	fieldSrc0Abs
	fieldSrc1Abs
	fieldUpdateExec
	fieldUpdatePred
	fieldWriteMask
	fieldFogMerge
	fieldOMod
	fieldOp2 // ALU_INST of instructions with at most two sources
	fieldOp3 // ALU_INST of instructions with three sources
	fieldBankSwizzle
	fieldDstElem
	fieldClamp
	numFields = iota
)

// String returns the name of the field in the notation.
func (f field) String() string {
	if int(f) < len(fields) {
		return fields[f].name
	}
	return enum.Number(f)
}

// fieldRow describes the text of a field.
type fieldRow struct {
	name string
	// subtracted from the number in the text: with 1, COUNT(4) is stored as 3, COUNT(1) and COUNT(0) as 0
	less  uint32
	names []string // names of the values from 0 on; nil if the text is a number
	ops   []op     // operations whose names are the value's text
	head  string   // prefix of the names of ops
}

var (
	selects  = []string{"SQ_SEL_X", "SQ_SEL_Y", "SQ_SEL_Z", "SQ_SEL_W", "SQ_SEL_0", "SQ_SEL_1", "", "SQ_SEL_MASK"}
	relative = []string{"ABSOLUTE", "RELATIVE"}
	elems    = []string{"ELEM_X", "ELEM_Y", "ELEM_Z", "ELEM_W"}
	coords   = []string{"TEX_UNNORMALIZED", "TEX_NORMALIZED"}
)

var fields = [numFields]fieldRow{
	fieldAddr: {name: "ADDR"}, fieldPopCount: {name: "POP_COUNT"},
	fieldCFConst: {name: "CF_CONST"},
	fieldCond: {name: "COND", names: []string{"SQ_CF_COND_ACTIVE", "SQ_CF_COND_FALSE", "SQ_CF_COND_BOOL",
		"SQ_CF_COND_NOT_BOOL"}},
	fieldCount: {name: "I_COUNT", less: 1}, fieldCallCount: {name: "CALL_COUNT"},
	fieldEndOfProgram:   {name: "END_OF_PROGRAM"},
	fieldValidPixelMode: {name: "VALID_PIXEL_MODE"}, fieldCFInst: {name: "CF_INST", ops: cfOps, head: "SQ_CF_INST_"},
	fieldWholeQuadMode: {name: "WHOLE_QUAD_MODE"}, fieldBarrier: {name: "BARRIER"},
	fieldKCacheBank0: {name: "KCACHE_BANK0"}, fieldKCacheBank1: {name: "KCACHE_BANK1"},
	fieldKCacheMode0: {name: "KCACHE_MODE0"}, fieldKCacheMode1: {name: "KCACHE_MODE1"},
	fieldKCacheAddr0: {name: "KCACHE_ADDR0"}, fieldKCacheAddr1: {name: "KCACHE_ADDR1"},
	fieldUsesWaterfall: {name: "USES_WATERFALL"},
	fieldAltConst:      {name: "R7xx_ALT_CONST"}, fieldALUInst: {name: "CF_INST", ops: aluOps, head: "SQ_CF_INST_"},
	fieldArrayBase:  {name: "ARRAY_BASE"}, // its names depend on TYPE, see number
	fieldExportType: {name: "TYPE", names: []string{"SQ_EXPORT_PIXEL", "SQ_EXPORT_POS", "SQ_EXPORT_PARAM"}},
	fieldMemoryType: {name: "TYPE", names: []string{"SQ_EXPORT_WRITE", "SQ_EXPORT_WRITE_IND", "SQ_EXPORT_WRITE_ACK",
		"SQ_EXPORT_WRITE_IND_ACK"}},

	fieldRWGPR: {name: "RW_GPR"}, fieldRWRel: {name: "RW_REL", names: relative}, fieldIndexGPR: {name: "INDEX_GPR"},
	fieldElemSize:  {name: "ELEM_SIZE", less: 1},
	fieldArraySize: {name: "ARRAY_SIZE"}, fieldCompMask: {name: "COMP_MASK"}, fieldElemLoop: {name: "R6xx_ELEM_LOOP"},
	fieldBurstCount: {name: "BURST_COUNT", less: 1},
	fieldSrcSelX:    {name: "SRC_SEL_X", names: selects}, fieldSrcSelY: {name: "SRC_SEL_Y", names: selects},
	fieldSrcSelZ: {name: "SRC_SEL_Z", names: selects}, fieldSrcSelW: {name: "SRC_SEL_W", names: selects},
	fieldVTXInst: {name: "VTX_INST", ops: vtxOps, head: "SQ_VTX_INST_"},
	fieldFetchType: {name: "FETCH_TYPE", names: []string{"SQ_VTX_FETCH_VERTEX_DATA", "SQ_VTX_FETCH_INSTANCE_DATA",
		"SQ_VTX_FETCH_NO_INDEX_OFFSET"}},
	fieldFetchWholeQuad: {name: "FETCH_WHOLE_QUAD"}, fieldBufferID: {name: "BUFFER_ID"}, fieldSrcGPR: {name: "SRC_GPR"},
	fieldSrcRel:         {name: "SRC_REL", names: relative},
	fieldMegaFetchCount: {name: "MEGA_FETCH_COUNT", less: 1}, fieldDstGPR: {name: "DST_GPR"},
	fieldDstRel:     {name: "DST_REL", names: relative},
	fieldSemanticID: {name: "SEMANTIC_ID"}, fieldDstSelX: {name: "DST_SEL_X", names: selects},
	fieldDstSelY: {name: "DST_SEL_Y", names: selects},
	fieldDstSelZ: {name: "DST_SEL_Z", names: selects}, fieldDstSelW: {name: "DST_SEL_W", names: selects},
	fieldUseConstFields: {name: "USE_CONST_FIELDS"},
	fieldDataFormat:     {name: "DATA_FORMAT", names: dataFormats},
	fieldNumFormatAll: {name: "NUM_FORMAT_ALL",
		names: []string{"SQ_NUM_FORMAT_NORM", "SQ_NUM_FORMAT_INT", "SQ_NUM_FORMAT_SCALED"}},
	fieldFormatCompAll: {name: "FORMAT_COMP_ALL", names: []string{"SQ_FORMAT_COMP_UNSIGNED", "SQ_FORMAT_COMP_SIGNED"}},
	fieldSRFModeAll:    {name: "SRF_MODE_ALL", names: []string{"SRF_MODE_ZERO_CLAMP_MINUS_ONE", "SRF_MODE_NO_ZERO"}},
	fieldOffset:        {name: "OFFSET"}, fieldEndianSwap: {name: "ENDIAN_SWAP",
		names: []string{"SQ_ENDIAN_NONE", "SQ_ENDIAN_8IN16", "SQ_ENDIAN_8IN32"}},
	fieldConstBufNoStride: {name: "CONST_BUF_NO_STRIDE"}, fieldMegaFetch: {name: "MEGA_FETCH"},
	fieldTEXInst: {name: "TEX_INST", ops: texOps, head: "SQ_TEX_INST_"}, fieldBCFracMode: {name: "BC_FRAC_MODE"},
	fieldResourceID: {name: "RESOURCE_ID"},
	fieldLODBias:    {name: "LOD_BIAS"}, fieldCoordTypeX: {name: "COORD_TYPE_X", names: coords},
	fieldCoordTypeY: {name: "COORD_TYPE_Y", names: coords},
	fieldCoordTypeZ: {name: "COORD_TYPE_Z", names: coords}, fieldCoordTypeW: {name: "COORD_TYPE_W", names: coords},
	fieldOffsetX: {name: "OFFSET_X"}, fieldOffsetY: {name: "OFFSET_Y"}, fieldOffsetZ: {name: "OFFSET_Z"},
	fieldSamplerID: {name: "SAMPLER_ID"},
	// names of SRC0_SEL: see sources
	fieldSrc0Sel: {name: "SRC0_SEL"}, fieldSrc0Rel: {name: "SRC0_REL", names: relative},
	fieldSrc0Elem: {name: "SRC0_ELEM", names: elems}, fieldSrc0Neg: {name: "SRC0_NEG"},
	fieldSrc1Sel: {name: "SRC1_SEL"}, fieldSrc1Rel: {name: "SRC1_REL", names: relative},
	fieldSrc1Elem: {name: "SRC1_ELEM", names: elems}, fieldSrc1Neg: {name: "SRC1_NEG"},
	fieldSrc2Sel: {name: "SRC2_SEL"}, fieldSrc2Rel: {name: "SRC2_REL", names: relative},
	fieldSrc2Elem: {name: "SRC2_ELEM", names: elems}, fieldSrc2Neg: {name: "SRC2_NEG"},
	fieldIndexMode: {name: "INDEX_MODE", names: []string{"SQ_INDEX_AR_X", "SQ_INDEX_AR_Y", "SQ_INDEX_AR_Z",
		"SQ_INDEX_AR_W", "SQ_INDEX_LOOP"}},
	fieldPredSel: {name: "PRED_SEL", names: []string{"SQ_PRED_SEL_OFF", "", "SQ_PRED_SEL_ZERO", "SQ_PRED_SEL_ONE"}},
	fieldLast:    {name: "LAST"}, fieldSrc0Abs: {name: "SRC0_ABS"}, fieldSrc1Abs: {name: "SRC1_ABS"},
	fieldUpdateExec: {name: "UPDATE_EXECUTE_MASK"}, fieldUpdatePred: {name: "UPDATE_PRED"},
	fieldWriteMask: {name: "WRITE_MASK"}, fieldFogMerge: {name: "FOG_MERGE"},
	fieldOMod: {name: "OMOD", names: []string{"SQ_ALU_OMOD_OFF", "SQ_ALU_OMOD_M2", "SQ_ALU_OMOD_M4", "SQ_ALU_OMOD_D2"}},
	fieldOp2:  {name: "ALU_INST", ops: ops2, head: "SQ_OP2_INST_"},
	fieldOp3:  {name: "ALU_INST", ops: ops3, head: "SQ_OP3_INST_"},
	fieldBankSwizzle: {name: "BANK_SWIZZLE", names: []string{"SQ_ALU_VEC_012", "SQ_ALU_VEC_021", "SQ_ALU_VEC_120",
		"SQ_ALU_VEC_102", "SQ_ALU_VEC_201", "SQ_ALU_VEC_210"}},
	fieldDstElem: {name: "DST_ELEM", names: elems}, fieldClamp: {name: "CLAMP"},
}

var _ = enum.Full[field](fields[:])

// bases are the names of ARRAY_BASE values in exports. Several names have the same value.
var bases = map[string]uint32{
	"CF_PIXEL_MRT0": 0, "CF_PIXEL_MRT1": 1, "CF_PIXEL_MRT2": 2, "CF_PIXEL_MRT3": 3, "CF_PIXEL_MRT4": 4,
	"CF_PIXEL_MRT5": 5, "CF_PIXEL_MRT6": 6, "CF_PIXEL_MRT7": 7,
	"CF_PIXEL_Z": 61, "CF_POS0": 60, "CF_POS1": 61, "CF_POS2": 62, "CF_POS3": 63,
}

// value returns the value of a name in field f.
func (f field) value(fam Family, name string) (uint32, bool) {
	if v, ok := bases[name]; ok && f == fieldArrayBase {
		return v, true
	}
	for _, n := range f.names(fam) {
		if n.name == name {
			return n.value, true
		}
	}
	return 0, false
}

// named is a name with its value.
type named struct {
	name  string
	value uint32
}

// names returns the field's named values.
func (f field) names(fam Family) (all []named) {
	row := &fields[f]
	if f == fieldSrc0Sel || f == fieldSrc1Sel || f == fieldSrc2Sel {
		return sources
	}
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

// name returns the name of a value, or "".
func (f field) name(fam Family, v uint32) string {
	all := f.names(fam)
	if i := slices.IndexFunc(all, func(n named) bool { return n.value == v }); i >= 0 {
		return all[i].name
	}
	return ""
}

// sources are the names of SRC0_SEL values (rule FS9). Registers are ALU_SRC_GPR_BASE + n.
var sources = []named{
	{"ALU_SRC_0", srcZero}, {"ALU_SRC_1", srcOne}, {"ALU_SRC_1_INT", srcOneInt}, {"ALU_SRC_M_1_INT", srcMinusOneInt},
	{"ALU_SRC_0_5", srcHalf}, {"ALU_SRC_LITERAL", srcLiteral}, {"ALU_SRC_PV", srcPV}, {"ALU_SRC_PS", srcPS},
	{"ALU_SRC_LOOP_IDX", srcLoop}, {"ALU_SRC_GPR_BASE", 0},
	{"ALU_SRC_KCACHE0_BASE", srcKCache0}, {"ALU_SRC_KCACHE1_BASE", srcKCache1}, {"ALU_SRC_CFILE_BASE", srcFile},
}

// dataFormats are the names of DATA_FORMAT, by code (rule FS6).
var dataFormats = []string{
	0: "FMT_INVALID", 1: "FMT_8", 2: "FMT_4_4", 3: "FMT_3_3_2", 5: "FMT_16", 6: "FMT_16_FLOAT", 7: "FMT_8_8",
	8: "FMT_5_6_5", 9: "FMT_6_5_5", 10: "FMT_1_5_5_5", 11: "FMT_4_4_4_4", 12: "FMT_5_5_5_1", 13: "FMT_32",
	14: "FMT_32_FLOAT",
	15: "FMT_16_16", 16: "FMT_16_16_FLOAT", 17: "FMT_8_24", 18: "FMT_8_24_FLOAT", 19: "FMT_24_8", 20: "FMT_24_8_FLOAT",
	21: "FMT_10_11_11", 22: "FMT_10_11_11_FLOAT", 23: "FMT_11_11_10", 24: "FMT_11_11_10_FLOAT", 25: "FMT_2_10_10_10",
	26: "FMT_8_8_8_8", 27: "FMT_10_10_10_2", 28: "FMT_X24_8_32_FLOAT", 29: "FMT_32_32", 30: "FMT_32_32_FLOAT",
	31: "FMT_16_16_16_16", 32: "FMT_16_16_16_16_FLOAT", 34: "FMT_32_32_32_32", 35: "FMT_32_32_32_32_FLOAT", 37: "FMT_1",
	39: "FMT_GB_GR", 40: "FMT_BG_RG", 41: "FMT_32_AS_8", 42: "FMT_32_AS_8_8", 43: "FMT_5_9_9_9_SHAREDEXP",
	44: "FMT_8_8_8", 45: "FMT_16_16_16", 46: "FMT_16_16_16_FLOAT", 47: "FMT_32_32_32", 48: "FMT_32_32_32_FLOAT",
}
