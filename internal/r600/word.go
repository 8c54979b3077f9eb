package r600

import "github.com/gcnsim/gcnsim/internal/tool/enum"

// span is the position of a field's bits in a word: the width bits of the word from bit at on are the bits of the
// value from bit from on.
type span struct {
	field     field
	at, width uint8
	from      uint8
}

func (s span) mask() uint32 { return 1<<s.width - 1 }

// word is the kind of a word in an instruction.
type word uint8

const (
	raw word = iota
	cf0
	cf1
	alu0
	alu1
	export0
	memory0
	swiz1
	buf1
	vtx0
	vtx1GPR
	vtx1SEM
	vtx2
	vtxPad
	tex0
	tex1
	tex2
	texPad
	op0
	op12
	op13
	numWords = iota
)

// macros are the names of word kinds in the notation.
var macros = [numWords]string{
	cf0: "CF_DWORD0", cf1: "CF_DWORD1", alu0: "CF_ALU_DWORD0", alu1: "CF_ALU_DWORD1",
	export0: "CF_ALLOC_IMP_EXP_DWORD0", memory0: "CF_ALLOC_IMP_EXP_DWORD0_MEM",
	swiz1: "CF_ALLOC_IMP_EXP_DWORD1_SWIZ", buf1: "CF_ALLOC_IMP_EXP_DWORD1_BUF",
	vtx0: "VTX_DWORD0", vtx1GPR: "VTX_DWORD1_GPR", vtx1SEM: "VTX_DWORD1_SEM", vtx2: "VTX_DWORD2", vtxPad: "VTX_DWORD_PAD",
	tex0: "TEX_DWORD0", tex1: "TEX_DWORD1", tex2: "TEX_DWORD2", texPad: "TEX_DWORD_PAD",
	op0: "ALU_DWORD0", op12: "ALU_DWORD1_OP2", op13: "ALU_DWORD1_OP3",
}

var _ = enum.Full(macros[:], raw)

// spans returns the fields of a word in the order of the notation (rules FS2 to FS4).
func (w word) spans(f Family) []span { return layouts[f][w] }

var layouts = func() (l [families][numWords][]span) {
	for f := range families {
		for w := range word(numWords) {
			l[f][w] = w.layout(Family(f))
		}
	}
	return l
}()

// layout returns the fields of a control flow word. The table layouts is built from it.
func (w word) layout(f Family) []span {
	switch w {
	case cf0:
		return []span{{fieldAddr, 0, 32, 0}}
	case cf1:
		s := []span{{fieldPopCount, 0, 3, 0}, {fieldCFConst, 3, 5, 0}, {fieldCond, 8, 2, 0}, {fieldCount, 10, 3, 0}}
		if f == R700 {
			s = append(s, span{fieldCount, 19, 1, 3})
		}
		return append(append(s, span{fieldCallCount, 13, 6, 0}), ends...)
	case alu0:
		return []span{{fieldAddr, 0, 22, 0}, {fieldKCacheBank0, 22, 4, 0}, {fieldKCacheBank1, 26, 4, 0},
			{fieldKCacheMode0, 30, 2, 0}}
	case alu1:
		s := []span{{fieldKCacheMode1, 0, 2, 0}, {fieldKCacheAddr0, 2, 8, 0}, {fieldKCacheAddr1, 10, 8, 0},
			{fieldCount, 18, 7, 0}, {fieldAltConst, 25, 1, 0}}
		if f == R600 {
			s[4].field = fieldUsesWaterfall
		}
		return append(s, span{fieldALUInst, 26, 4, 0}, span{fieldWholeQuadMode, 30, 1, 0}, span{fieldBarrier, 31, 1, 0})
	case export0:
		return append([]span{{fieldArrayBase, 0, 13, 0}, {fieldExportType, 13, 2, 0}}, registers...)
	case memory0:
		return append([]span{{fieldArrayBase, 0, 13, 0}, {fieldMemoryType, 13, 2, 0}}, registers...)
	case swiz1:
		return append([]span{{fieldSrcSelX, 0, 3, 0}, {fieldSrcSelY, 3, 3, 0}, {fieldSrcSelZ, 6, 3, 0},
			{fieldSrcSelW, 9, 3, 0}}, exportEnd(f)...)
	case buf1:
		return append([]span{{fieldArraySize, 0, 12, 0}, {fieldCompMask, 12, 4, 0}}, exportEnd(f)...)
	}
	return w.fetchLayout(f)
}

// fetchLayout returns the fields of a word of a fetch instruction, or nil if it has no fields.
func (w word) fetchLayout(f Family) []span {
	switch w {
	case vtx0:
		return []span{{fieldVTXInst, 0, 5, 0}, {fieldFetchType, 5, 2, 0}, {fieldFetchWholeQuad, 7, 1, 0},
			{fieldBufferID, 8, 8, 0}, {fieldSrcGPR, 16, 7, 0}, {fieldSrcRel, 23, 1, 0},
			{fieldSrcSelX, 24, 2, 0}, {fieldMegaFetchCount, 26, 6, 0}}
	case vtx1GPR:
		return append([]span{{fieldDstGPR, 0, 7, 0}, {fieldDstRel, 7, 1, 0}}, formatted...)
	case vtx1SEM:
		return append([]span{{fieldSemanticID, 0, 8, 0}}, formatted...)
	case vtx2:
		return []span{{fieldOffset, 0, 16, 0}, {fieldEndianSwap, 16, 2, 0}, {fieldConstBufNoStride, 18, 1, 0},
			{fieldMegaFetch, 19, 1, 0}, {fieldAltConst, 20, 1, 0}}
	case tex0:
		return []span{{fieldTEXInst, 0, 5, 0}, {fieldBCFracMode, 5, 1, 0}, {fieldFetchWholeQuad, 7, 1, 0},
			{fieldResourceID, 8, 8, 0}, {fieldSrcGPR, 16, 7, 0}, {fieldSrcRel, 23, 1, 0}, {fieldAltConst, 24, 1, 0}}
	case tex1:
		return append(append([]span{{fieldDstGPR, 0, 7, 0}, {fieldDstRel, 7, 1, 0}}, dstSelects...),
			span{fieldLODBias, 21, 7, 0}, span{fieldCoordTypeX, 28, 1, 0}, span{fieldCoordTypeY, 29, 1, 0},
			span{fieldCoordTypeZ, 30, 1, 0}, span{fieldCoordTypeW, 31, 1, 0})
	case tex2:
		return []span{{fieldOffsetX, 0, 5, 0}, {fieldOffsetY, 5, 5, 0}, {fieldOffsetZ, 10, 5, 0}, {fieldSamplerID, 15, 5, 0},
			{fieldSrcSelX, 20, 3, 0}, {fieldSrcSelY, 23, 3, 0}, {fieldSrcSelZ, 26, 3, 0}, {fieldSrcSelW, 29, 3, 0}}
	}
	return w.aluLayout(f)
}

// aluLayout returns the fields of a word of an ALU instruction (rule FS9), or nil if it has no fields.
func (w word) aluLayout(f Family) []span {
	switch w {
	case op0:
		return []span{{fieldSrc0Sel, 0, 9, 0}, {fieldSrc0Rel, 9, 1, 0}, {fieldSrc0Elem, 10, 2, 0},
			{fieldSrc0Neg, 12, 1, 0}, {fieldSrc1Sel, 13, 9, 0}, {fieldSrc1Rel, 22, 1, 0}, {fieldSrc1Elem, 23, 2, 0},
			{fieldSrc1Neg, 25, 1, 0}, {fieldIndexMode, 26, 3, 0}, {fieldPredSel, 29, 2, 0}, {fieldLast, 31, 1, 0}}
	case op12:
		s := []span{{fieldSrc0Abs, 0, 1, 0}, {fieldSrc1Abs, 1, 1, 0}, {fieldUpdateExec, 2, 1, 0}, {fieldUpdatePred, 3, 1, 0},
			{fieldWriteMask, 4, 1, 0}}
		if f == R600 {
			s = append(s, span{fieldFogMerge, 5, 1, 0}, span{fieldOMod, 6, 2, 0}, span{fieldOp2, 8, 10, 0})
		} else {
			s = append(s, span{fieldOMod, 5, 2, 0}, span{fieldOp2, 7, 11, 0})
		}
		return append(s, results...)
	case op13:
		return append([]span{{fieldSrc2Sel, 0, 9, 0}, {fieldSrc2Rel, 9, 1, 0}, {fieldSrc2Elem, 10, 2, 0},
			{fieldSrc2Neg, 12, 1, 0}, {fieldOp3, 13, 5, 0}}, results...)
	}
	return nil // raw, vtxPad, texPad
}

var (
	registers = []span{{fieldRWGPR, 15, 7, 0}, {fieldRWRel, 22, 1, 0}, {fieldIndexGPR, 23, 7, 0},
		{fieldElemSize, 30, 2, 0}}
	dstSelects = []span{{fieldDstSelX, 9, 3, 0}, {fieldDstSelY, 12, 3, 0}, {fieldDstSelZ, 15, 3, 0},
		{fieldDstSelW, 18, 3, 0}}
	results = []span{{fieldBankSwizzle, 18, 3, 0}, {fieldDstGPR, 21, 7, 0}, {fieldDstRel, 28, 1, 0},
		{fieldDstElem, 29, 2, 0}, {fieldClamp, 31, 1, 0}}
	formatted = append(dstSelects[:4:4], span{fieldUseConstFields, 21, 1, 0}, span{fieldDataFormat, 22, 6, 0},
		span{fieldNumFormatAll, 28, 2, 0},
		span{fieldFormatCompAll, 30, 1, 0}, span{fieldSRFModeAll, 31, 1, 0})
	ends = []span{{fieldEndOfProgram, 21, 1, 0}, {fieldValidPixelMode, 22, 1, 0}, {fieldCFInst, 23, 7, 0},
		{fieldWholeQuadMode, 30, 1, 0}, {fieldBarrier, 31, 1, 0}}
)

// exportEnd returns the fields of the second word of exports, without its low half.
func exportEnd(f Family) []span {
	s := []span{{fieldBurstCount, 17, 4, 0}}
	if f == R600 {
		s = []span{{fieldElemLoop, 16, 1, 0}, {fieldBurstCount, 17, 4, 0}}
	}
	return append(s, ends...)
}
