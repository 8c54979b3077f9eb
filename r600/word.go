package r600

import "github.com/gcnsim/gcnsim/internal/enum"

// span is where bits of a field lie in a word: width bits from bit at on are the bits of
// the value from bit from on.
type span struct {
	field     Field
	at, width uint8
	from      uint8
}

func (s span) mask() uint32 { return 1<<s.width - 1 }

// word is the kind of a word.
type word uint8

const (
	raw word = iota
	cf0
	cf1
	alu0
	alu1
	export0
	memory0
	rat0
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
	numWords = iota
)

// macros are the names of words in the notation.
var macros = [numWords]string{
	cf0: "CF_DWORD0", cf1: "CF_DWORD1", alu0: "CF_ALU_DWORD0", alu1: "CF_ALU_DWORD1",
	export0: "CF_ALLOC_IMP_EXP_DWORD0", memory0: "CF_ALLOC_IMP_EXP_DWORD0_MEM", rat0: "CF_ALLOC_IMP_EXP_DWORD0_RAT",
	swiz1: "CF_ALLOC_IMP_EXP_DWORD1_SWIZ", buf1: "CF_ALLOC_IMP_EXP_DWORD1_BUF",
	vtx0: "VTX_DWORD0", vtx1GPR: "VTX_DWORD1_GPR", vtx1SEM: "VTX_DWORD1_SEM", vtx2: "VTX_DWORD2", vtxPad: "VTX_DWORD_PAD",
	tex0: "TEX_DWORD0", tex1: "TEX_DWORD1", tex2: "TEX_DWORD2", texPad: "TEX_DWORD_PAD",
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

// layout makes the entry of layouts.
func (w word) layout(f Family) []span {
	old := f < Evergreen // CF words of R600 and R700
	switch w {
	case cf0:
		if old {
			return []span{{Addr, 0, 32, 0}}
		}
		return []span{{Addr, 0, 24, 0}, {JumpTableSel, 24, 3, 0}}
	case cf1:
		s := []span{{PopCount, 0, 3, 0}, {CFConst, 3, 5, 0}, {Cond, 8, 2, 0}}
		switch f {
		case R600:
			s = append(s, span{Count, 10, 3, 0}, span{CallCount, 13, 6, 0})
		case R700:
			s = append(s, span{Count, 10, 3, 0}, span{Count, 19, 1, 3}, span{CallCount, 13, 6, 0})
		default:
			s = append(s, span{Count, 10, 6, 0})
		}
		return append(append(s, w.end(f)...), span{WholeQuadMode, 30, 1, 0}, span{Barrier, 31, 1, 0})
	case alu0:
		return []span{{Addr, 0, 22, 0}, {KCacheBank0, 22, 4, 0}, {KCacheBank1, 26, 4, 0}, {KCacheMode0, 30, 2, 0}}
	case alu1:
		s := []span{{KCacheMode1, 0, 2, 0}, {KCacheAddr0, 2, 8, 0}, {KCacheAddr1, 10, 8, 0}, {Count, 18, 7, 0}, {AltConst, 25, 1, 0}}
		if f == R600 {
			s[4].field = UsesWaterfall
		}
		return append(s, span{ALUInst, 26, 4, 0}, span{WholeQuadMode, 30, 1, 0}, span{Barrier, 31, 1, 0})
	case export0:
		return append([]span{{ArrayBase, 0, 13, 0}, {ExportType, 13, 2, 0}}, registers...)
	case memory0:
		return append([]span{{ArrayBase, 0, 13, 0}, {MemoryType, 13, 2, 0}}, registers...)
	case rat0:
		return append([]span{{RATID, 0, 4, 0}, {RATInst, 4, 6, 0}, {RATIndexMode, 11, 2, 0}, {MemoryType, 13, 2, 0}}, registers...)
	case swiz1:
		return append([]span{{SrcSelX, 0, 3, 0}, {SrcSelY, 3, 3, 0}, {SrcSelZ, 6, 3, 0}, {SrcSelW, 9, 3, 0}}, w.exportEnd(f)...)
	case buf1:
		return append([]span{{ArraySize, 0, 12, 0}, {CompMask, 12, 4, 0}}, w.exportEnd(f)...)
	case vtx0:
		return []span{{VTXInst, 0, 5, 0}, {FetchType, 5, 2, 0}, {FetchWholeQuad, 7, 1, 0}, {BufferID, 8, 8, 0}, {SrcGPR, 16, 7, 0}, {SrcRel, 23, 1, 0},
			{SrcSelX, 24, 2, 0}, {MegaFetchCount, 26, 6, 0}}
	case vtx1GPR:
		return append([]span{{DstGPR, 0, 7, 0}, {DstRel, 7, 1, 0}}, formatted...)
	case vtx1SEM:
		return append([]span{{SemanticID, 0, 8, 0}}, formatted...)
	case vtx2:
		s := []span{{Offset, 0, 16, 0}, {EndianSwap, 16, 2, 0}, {ConstBufNoStride, 18, 1, 0}, {MegaFetch, 19, 1, 0}, {AltConst, 20, 1, 0}}
		if !old {
			s = append(s, span{BufferIndexMode, 21, 2, 0})
		}
		return s
	case tex0:
		s := []span{{TEXInst, 0, 5, 0}, {BCFracMode, 5, 1, 0}, {FetchWholeQuad, 7, 1, 0}, {ResourceID, 8, 8, 0}, {SrcGPR, 16, 7, 0}, {SrcRel, 23, 1, 0}, {AltConst, 24, 1, 0}}
		if !old {
			s[1] = span{InstMod, 5, 2, 0}
			s = append(s, span{ResourceIndexMode, 25, 2, 0}, span{SamplerIndexMode, 27, 2, 0})
		}
		return s
	case tex1:
		return append(append([]span{{DstGPR, 0, 7, 0}, {DstRel, 7, 1, 0}}, dstSelects...),
			span{LODBias, 21, 7, 0}, span{CoordTypeX, 28, 1, 0}, span{CoordTypeY, 29, 1, 0}, span{CoordTypeZ, 30, 1, 0}, span{CoordTypeW, 31, 1, 0})
	case tex2:
		return []span{{OffsetX, 0, 5, 0}, {OffsetY, 5, 5, 0}, {OffsetZ, 10, 5, 0}, {SamplerID, 15, 5, 0},
			{SrcSelX, 20, 3, 0}, {SrcSelY, 23, 3, 0}, {SrcSelZ, 26, 3, 0}, {SrcSelW, 29, 3, 0}}
	}
	return nil // raw, vtxPad, texPad
}

var (
	registers  = []span{{RWGPR, 15, 7, 0}, {RWRel, 22, 1, 0}, {IndexGPR, 23, 7, 0}, {ElemSize, 30, 2, 0}}
	dstSelects = []span{{DstSelX, 9, 3, 0}, {DstSelY, 12, 3, 0}, {DstSelZ, 15, 3, 0}, {DstSelW, 18, 3, 0}}
	formatted  = append(dstSelects[:4:4], span{UseConstFields, 21, 1, 0}, span{DataFormat, 22, 6, 0}, span{NumFormatAll, 28, 2, 0},
		span{FormatCompAll, 30, 1, 0}, span{SRFModeAll, 31, 1, 0})
)

// end returns the fields of CF words that Evergreen moved. Cayman ends with CF_END, but
// programs set the bit of Evergreen there as well.
func (word) end(f Family) []span {
	if f < Evergreen {
		return []span{{EndOfProgram, 21, 1, 0}, {ValidPixelMode, 22, 1, 0}, {CFInst, 23, 7, 0}}
	}
	return []span{{EndOfProgram, 21, 1, 0}, {ValidPixelMode, 20, 1, 0}, {CFInst, 22, 8, 0}}
}

// exportEnd returns the fields of the second word of exports above its low half.
func (w word) exportEnd(f Family) (s []span) {
	switch f {
	case R600:
		s = []span{{ElemLoop, 16, 1, 0}, {BurstCount, 17, 4, 0}}
	case R700:
		s = []span{{BurstCount, 17, 4, 0}}
	default:
		return append(append([]span{{BurstCount, 16, 4, 0}}, w.end(f)...), span{Mark, 30, 1, 0}, span{Barrier, 31, 1, 0})
	}
	return append(append(s, w.end(f)...), span{WholeQuadMode, 30, 1, 0}, span{Barrier, 31, 1, 0})
}
