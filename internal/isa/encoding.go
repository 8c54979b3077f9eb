package isa

import "github.com/gcnsim/gcnsim/internal/tool/enum"

// Encoding is a microcode format. VOP1, VOP2 and VOPC with an SDWA or DPP second word are separate encodings, because
// their fields differ.
type Encoding uint8

// The encodings. FLAT, SCRATCH and GLOBAL share a format and differ in SEG.
const (
	Invalid Encoding = iota
	SOP1
	SOP2
	SOPC
	SOPK
	SOPP
	SMEM // scalar memory, named SMRD on GCN 1.0 and 1.1
	VOP1
	VOP2
	VOPC
	VOP3A
	VOP3B
	VOP3P
	VINTRP
	EXP
	DS
	MUBUF
	MTBUF
	MIMG
	FLAT
	SCRATCH
	GLOBAL
	VOP1SDWA
	VOP2SDWA
	VOPCSDWA
	VOP1DPP
	VOP2DPP
	VOPCDPP
	NumEncodings = iota
)

var encodingNames = [NumEncodings]string{
	Invalid: "invalid", SOP1: "SOP1", SOP2: "SOP2", SOPC: "SOPC", SOPK: "SOPK", SOPP: "SOPP", SMEM: "SMEM",
	VOP1: "VOP1", VOP2: "VOP2", VOPC: "VOPC",
	VOP3A: "VOP3A", VOP3B: "VOP3B", VOP3P: "VOP3P", VINTRP: "VINTRP", EXP: "EXP", DS: "DS", MUBUF: "MUBUF",
	MTBUF: "MTBUF", MIMG: "MIMG", FLAT: "FLAT",
	SCRATCH: "SCRATCH", GLOBAL: "GLOBAL", VOP1SDWA: "VOP1_SDWA", VOP2SDWA: "VOP2_SDWA", VOPCSDWA: "VOPC_SDWA",
	VOP1DPP: "VOP1_DPP", VOP2DPP: "VOP2_DPP",
	VOPCDPP: "VOPC_DPP",
}

var _ = enum.Full[Encoding](encodingNames[:])

// String returns the name of the encoding in the manuals.
func (e Encoding) String() string {
	return enum.Name(encodingNames[:], e)
}

// Field identifies a bit field of an encoding by its name in the manuals. If two names cover the same bits (OFFSET,
// and OFFSET0 with OFFSET1, of DS), both can be read.
type Field uint8

// The fields.
const (
	SDST  Field = iota // the scalar destination, or SDATA of scalar memory
	SSRC0              // the first scalar source, an operand code from 0 to 255
	SSRC1
	SIMM16
	SBASE // the SGPRs with the base address of scalar memory, in units of two SGPRs
	IMM   // scalar memory: OFFSET is an immediate
	OFFSET
	SOFFSET // the scalar offset: an operand code (MUBUF, MTBUF) or an SGPR number (SMEM of GCN 1.4)
	SOE     // SOFFSET_EN of SMEM: SOFFSET is added to the address
	NV
	VDST
	SRC0 // the first source: an operand code from 0 to 511, or with SDWA and DPP an 8-bit VGPR number
	SRC1
	SRC2
	VSRC1 // a VGPR number: the second source of VOP2 and VOPC, or the source of VINTRP
	ABS
	NEG
	OMOD
	CLAMP
	OPSEL
	OPSELHI  // OPSEL_HI of SRC0 and SRC1
	OPSELHI2 // OPSEL_HI of SRC2
	NEGHI
	ATTR
	ATTRCHAN
	EN // EXP: the components that are exported
	TGT
	COMPR
	DONE
	VM
	OFFSET0
	OFFSET1
	GDS
	ADDR // VGPRs with the address (DS, FLAT); VADDR of MUBUF, MTBUF and MIMG
	DATA0
	DATA1
	GLC
	SLC
	TFE
	LDS
	ADDR64
	OFFEN
	IDXEN
	VDATA
	SRSRC // the SGPRs with the V# or T#, in units of four SGPRs
	SSAMP // the SGPRs with the S#, in units of four SGPRs
	DFMT
	NFMT
	DMASK
	UNRM
	DA
	R128
	A16
	LWE
	D16
	SADDR
	SEG
	DSTSEL // SDWA: the part of the destination that is written
	DSTUNUSED
	SRC0SEL
	SRC0SEXT
	SRC0NEG // SDWA and DPP: SRC0 is negated
	SRC0ABS
	SRC0SGPR
	SRC1SEL
	SRC1SEXT
	SRC1NEG
	SRC1ABS
	SRC1SGPR
	SDSTEN // SDWA VOPC of GCN 1.4: the result goes to SDST instead of VCC
	DPPCTRL
	BOUNDCTRL
	BANKMASK
	ROWMASK
	LITERAL   // the 32 bits after a word with a literal marker
	NumFields = iota
)

var fieldNames = [NumFields]string{
	SDST: "SDST", SSRC0: "SSRC0", SSRC1: "SSRC1", SIMM16: "SIMM16", SBASE: "SBASE", IMM: "IMM", OFFSET: "OFFSET",
	SOFFSET: "SOFFSET", SOE: "SOFFSET_EN",
	NV: "NV", VDST: "VDST", SRC0: "SRC0", SRC1: "SRC1", SRC2: "SRC2", VSRC1: "VSRC1", ABS: "ABS", NEG: "NEG",
	OMOD: "OMOD", CLAMP: "CLAMP", OPSEL: "OP_SEL",
	OPSELHI: "OP_SEL_HI", OPSELHI2: "OP_SEL_HI_2", NEGHI: "NEG_HI", ATTR: "ATTR", ATTRCHAN: "ATTRCHAN", EN: "EN",
	TGT: "TGT", COMPR: "COMPR", DONE: "DONE",
	VM: "VM", OFFSET0: "OFFSET0", OFFSET1: "OFFSET1", GDS: "GDS", ADDR: "ADDR", DATA0: "DATA0", DATA1: "DATA1",
	GLC: "GLC", SLC: "SLC", TFE: "TFE",
	LDS: "LDS", ADDR64: "ADDR64", OFFEN: "OFFEN", IDXEN: "IDXEN", VDATA: "VDATA", SRSRC: "SRSRC", SSAMP: "SSAMP",
	DFMT: "DFMT", NFMT: "NFMT",
	DMASK: "DMASK", UNRM: "UNRM", DA: "DA", R128: "R128", A16: "A16", LWE: "LWE", D16: "D16", SADDR: "SADDR",
	SEG: "SEG", DSTSEL: "DST_SEL",
	DSTUNUSED: "DST_UNUSED", SRC0SEL: "SRC0_SEL", SRC0SEXT: "SRC0_SEXT", SRC0NEG: "SRC0_NEG", SRC0ABS: "SRC0_ABS",
	SRC0SGPR: "S0", SRC1SEL: "SRC1_SEL",
	SRC1SEXT: "SRC1_SEXT", SRC1NEG: "SRC1_NEG", SRC1ABS: "SRC1_ABS", SRC1SGPR: "S1", SDSTEN: "SD", DPPCTRL: "DPP_CTRL",
	BOUNDCTRL: "BOUND_CTRL",
	BANKMASK:  "BANK_MASK", ROWMASK: "ROW_MASK", LITERAL: "LITERAL",
}

var _ = enum.Full[Field](fieldNames[:])

// String returns the name of the field in the manuals.
func (f Field) String() string {
	return enum.Name(fieldNames[:], f)
}

// span is the position of a field in the 64 bits of an instruction. If width is 0, the encoding does not have the
// field.
type span struct {
	shift, width uint8
	signed       bool
}

func at(hi, lo uint8) span     { return span{shift: lo, width: hi - lo + 1} }
func signed(hi, lo uint8) span { return span{shift: lo, width: hi - lo + 1, signed: true} }

// layout describes an encoding on a generation: its fixed bits, its opcode, its size and its fields.
type layout struct {
	prefix uint32 // the value of the fixed bits of the first word
	mask   uint32 // the mask of the fixed bits of the first word
	op     span
	seg    span // a second part of the opcode above op: SEG of FLAT on GCN 1.4
	bytes  uint8
	fields names
}

// names maps the fields of a layout to their positions.
type names [NumFields]span

// with returns n with the fields of more added. If both have a field, that of more is used.
func (n names) with(more names) names {
	for f, s := range &more {
		if s.width != 0 {
			n[f] = s
		}
	}
	return n
}

// lay returns a layout whose highest width bits of the first word are prefix.
func lay(prefix uint32, width, bytes uint8, op span, fields names) layout {
	return layout{prefix: prefix << (32 - width), mask: ^uint32(0) << (32 - width), op: op, bytes: bytes, fields: fields}
}

// Field tables. Source: the microcode format tables of the AMD GCN ISA manuals as CLRX documents them (CLRX
// GcnOperands, CLRX GcnInstrsSMEM and others), compared with the words of llvm-mc and clrxasm.
var (
	literal32 = names{LITERAL: at(63, 32)}

	vop3src = names{SRC0: at(40, 32), SRC1: at(49, 41), SRC2: at(58, 50), NEG: at(63, 61), VDST: at(7, 0)}
	vop3a   = vop3src.with(names{OMOD: at(60, 59), ABS: at(10, 8)})
	vop3b   = vop3src.with(names{OMOD: at(60, 59), SDST: at(14, 8)})

	vop1 = names{VDST: at(24, 17), SRC0: at(8, 0)}
	vop2 = names{VDST: at(24, 17), VSRC1: at(16, 9), SRC0: at(8, 0)}
	vopc = names{VSRC1: at(16, 9), SRC0: at(8, 0)}

	sdwaSrc = names{
		SRC0: at(39, 32), SRC0SEL: at(50, 48), SRC0SEXT: at(51, 51), SRC0NEG: at(52, 52), SRC0ABS: at(53, 53),
		SRC1SEL: at(58, 56), SRC1SEXT: at(59, 59), SRC1NEG: at(60, 60), SRC1ABS: at(61, 61),
	}
	sdwaDst  = names{DSTSEL: at(42, 40), DSTUNUSED: at(44, 43), CLAMP: at(45, 45)}
	sdwa9    = names{SRC0SGPR: at(55, 55), SRC1SGPR: at(63, 63)}
	sdwa9Dst = sdwa9.with(names{OMOD: at(47, 46)})
	sdwa9Cmp = sdwa9.with(names{SDST: at(46, 40), SDSTEN: at(47, 47)})
	dpp      = names{
		SRC0: at(39, 32), DPPCTRL: at(48, 40), BOUNDCTRL: at(51, 51), SRC0NEG: at(52, 52), SRC0ABS: at(53, 53),
		SRC1NEG: at(54, 54), SRC1ABS: at(55, 55), BANKMASK: at(59, 56), ROWMASK: at(63, 60),
	}

	export = names{
		EN: at(3, 0), TGT: at(9, 4), COMPR: at(10, 10), DONE: at(11, 11), VM: at(12, 12),
		VDATA: at(39, 32), // VSRC0 to VSRC3 are eight bits each
	}
	interp = names{VDST: at(25, 18), ATTR: at(15, 10), ATTRCHAN: at(9, 8), VSRC1: at(7, 0)}

	ds = names{
		OFFSET: at(15, 0), OFFSET0: at(7, 0), OFFSET1: at(15, 8),
		ADDR: at(39, 32), DATA0: at(47, 40), DATA1: at(55, 48), VDST: at(63, 56),
	}
	buffer = names{
		OFFSET: at(11, 0), OFFEN: at(12, 12), IDXEN: at(13, 13), GLC: at(14, 14),
		ADDR: at(39, 32), VDATA: at(47, 40), SRSRC: at(52, 48), TFE: at(55, 55), SOFFSET: at(63, 56),
	}
	image = names{
		DMASK: at(11, 8), UNRM: at(12, 12), GLC: at(13, 13), DA: at(14, 14), TFE: at(16, 16), LWE: at(17, 17),
		SLC:  at(25, 25),
		ADDR: at(39, 32), VDATA: at(47, 40), SRSRC: at(52, 48), SSAMP: at(57, 53),
	}
	flat = names{GLC: at(16, 16), SLC: at(17, 17), ADDR: at(39, 32), VDATA: at(47, 40), VDST: at(63, 56)}
	// GCN 1.4: FLAT has a 12-bit unsigned offset, SCRATCH and GLOBAL a 13-bit signed one.
	flat9    = flat.with(names{OFFSET: at(11, 0), LDS: at(13, 13), SEG: at(15, 14), SADDR: at(54, 48), NV: at(55, 55)})
	segment9 = flat9.with(names{OFFSET: signed(12, 0)})
)

// encodings has the layouts of a generation by encoding. If mask is 0, the generation does not have the encoding.
type encodings [NumEncodings]layout

// common has the encodings that are equal in all generations.
var common = encodings{
	SOP2: lay(0b10, 2, 4, at(29, 23), literal32.with(names{SDST: at(22, 16), SSRC1: at(15, 8), SSRC0: at(7, 0)})),
	SOPK: lay(0b1011, 4, 4, at(27, 23), literal32.with(names{SDST: at(22, 16), SIMM16: signed(15, 0)})),
	SOP1: lay(0b101111101, 9, 4, at(15, 8), literal32.with(names{SDST: at(22, 16), SSRC0: at(7, 0)})),
	SOPC: lay(0b101111110, 9, 4, at(22, 16), literal32.with(names{SSRC1: at(15, 8), SSRC0: at(7, 0)})),
	SOPP: lay(0b101111111, 9, 4, at(22, 16), names{SIMM16: signed(15, 0)}),
	VOP2: lay(0b0, 1, 4, at(30, 25), literal32.with(vop2)),
	VOPC: lay(0b0111110, 7, 4, at(24, 17), literal32.with(vopc)),
	VOP1: lay(0b0111111, 7, 4, at(16, 9), literal32.with(vop1)),
	MIMG: lay(0b111100, 6, 8, at(24, 18), image),
}

// gfx67 has the encodings of GCN 1.0 and 1.1.
var gfx67 = encodings{
	SMEM: lay(0b11000, 5, 4, at(26, 22), literal32.with(names{
		SDST: at(21, 15), SBASE: at(14, 9), IMM: at(8, 8), OFFSET: at(7, 0)})),
	VOP3A:  lay(0b110100, 6, 8, at(25, 17), vop3a.with(names{CLAMP: at(11, 11)})),
	VOP3B:  lay(0b110100, 6, 8, at(25, 17), vop3b),
	VINTRP: lay(0b110010, 6, 4, at(17, 16), interp),
	EXP:    lay(0b111110, 6, 8, span{}, export),
	DS:     lay(0b110110, 6, 8, at(25, 18), ds.with(names{GDS: at(17, 17)})),
	MUBUF:  lay(0b111000, 6, 8, at(24, 18), buffer.with(names{ADDR64: at(15, 15), LDS: at(16, 16), SLC: at(54, 54)})),
	MTBUF: lay(0b111010, 6, 8, at(18, 16), buffer.with(names{
		ADDR64: at(15, 15), DFMT: at(22, 19), NFMT: at(25, 23), SLC: at(54, 54)})),
	MIMG: lay(0b111100, 6, 8, at(24, 18), image.with(names{R128: at(15, 15)})),
}

// gfx7 holds the encodings that GCN 1.1 added.
var gfx7 = encodings{
	FLAT: lay(0b110111, 6, 8, at(24, 18), flat.with(names{TFE: at(55, 55)})),
}

// gfx89 has the encodings of GCN 1.2 to 1.4.1.
var gfx89 = encodings{
	SMEM: lay(0b110000, 6, 8, at(25, 18), names{
		GLC: at(16, 16), IMM: at(17, 17), SDST: at(12, 6), SBASE: at(5, 0), OFFSET: at(51, 32)}),
	VOP3A:  lay(0b110100, 6, 8, at(25, 16), vop3a.with(names{CLAMP: at(15, 15)})),
	VOP3B:  lay(0b110100, 6, 8, at(25, 16), vop3b.with(names{CLAMP: at(15, 15)})),
	VINTRP: lay(0b110101, 6, 4, at(17, 16), interp),
	EXP:    lay(0b110001, 6, 8, span{}, export),
	DS:     lay(0b110110, 6, 8, at(24, 17), ds.with(names{GDS: at(16, 16)})),
	MUBUF:  lay(0b111000, 6, 8, at(24, 18), buffer.with(names{LDS: at(16, 16), SLC: at(17, 17)})),
	MTBUF: lay(0b111010, 6, 8, at(18, 15), buffer.with(names{
		DFMT: at(22, 19), NFMT: at(25, 23), SLC: at(54, 54)})),
	MIMG:     lay(0b111100, 6, 8, at(24, 18), image.with(names{R128: at(15, 15), D16: at(63, 63)})),
	FLAT:     lay(0b110111, 6, 8, at(24, 18), flat.with(names{TFE: at(55, 55)})),
	VOP1SDWA: lay(0b0111111, 7, 8, at(16, 9), names{VDST: at(24, 17)}.with(sdwaSrc).with(sdwaDst)),
	VOP2SDWA: lay(0b0, 1, 8, at(30, 25), names{VDST: at(24, 17), VSRC1: at(16, 9)}.with(sdwaSrc).with(sdwaDst)),
	VOPCSDWA: lay(0b0111110, 7, 8, at(24, 17), names{VSRC1: at(16, 9)}.with(sdwaSrc).with(sdwaDst)),
	VOP1DPP:  lay(0b0111111, 7, 8, at(16, 9), names{VDST: at(24, 17)}.with(dpp)),
	VOP2DPP:  lay(0b0, 1, 8, at(30, 25), names{VDST: at(24, 17), VSRC1: at(16, 9)}.with(dpp)),
	VOPCDPP:  lay(0b0111110, 7, 8, at(24, 17), names{VSRC1: at(16, 9)}.with(dpp)),
}

// gfx9 holds the encodings that GCN 1.4 changed.
var gfx9 = encodings{
	SMEM: lay(0b110000, 6, 8, at(25, 18), names{
		GLC: at(16, 16), IMM: at(17, 17), NV: at(15, 15), SOE: at(14, 14),
		SDST: at(12, 6), SBASE: at(5, 0), OFFSET: signed(52, 32), SOFFSET: at(63, 57)}),
	VOP3A: lay(0b110100, 6, 8, at(25, 16), vop3a.with(names{CLAMP: at(15, 15), OPSEL: at(14, 11)})),
	VOP3P: lay(0b110100111, 9, 8, at(22, 16), vop3src.with(names{
		CLAMP: at(15, 15), OPSEL: at(13, 11), NEGHI: at(10, 8), OPSELHI: at(60, 59), OPSELHI2: at(14, 14)})),
	MIMG:     lay(0b111100, 6, 8, at(24, 18), image.with(names{A16: at(15, 15), D16: at(63, 63)})),
	FLAT:     segment(0, flat9),
	SCRATCH:  segment(1, segment9),
	GLOBAL:   segment(2, segment9),
	VOP1SDWA: lay(0b0111111, 7, 8, at(16, 9), names{VDST: at(24, 17)}.with(sdwaSrc).with(sdwaDst).with(sdwa9Dst)),
	VOP2SDWA: lay(0b0, 1, 8, at(30, 25), names{VDST: at(24, 17),
		VSRC1: at(16, 9)}.with(sdwaSrc).with(sdwaDst).with(sdwa9Dst)),
	VOPCSDWA: lay(0b0111110, 7, 8, at(24, 17), names{VSRC1: at(16, 9)}.with(sdwaSrc).with(sdwa9Cmp)),
}

// segment returns the layout of FLAT, SCRATCH or GLOBAL on GCN 1.4, which differ in the SEG field.
func segment(seg uint32, fields names) layout {
	l := lay(0b110111, 6, 8, at(24, 18), fields)
	l.seg = at(15, 14)
	l.prefix |= seg << l.seg.shift
	l.mask |= 3 << l.seg.shift
	return l
}

// encodingsOf has the tables of encodings of each generation. An entry of a later table replaces an earlier entry.
var encodingsOf = [NumGens][]*encodings{
	GCN10: {&common, &gfx67}, GCN11: {&common, &gfx67, &gfx7}, GCN12: {&common, &gfx89},
	GCN14: {&common, &gfx89, &gfx9}, GCN141: {&common, &gfx89, &gfx9},
}

var _ = enum.Full[Gen](encodingsOf[:])

// layouts has the encodings of each generation, merged from encodingsOf.
var layouts = func() (all [NumGens]encodings) {
	for g, tables := range encodingsOf {
		for _, table := range tables {
			for e := range table {
				if table[e].mask != 0 {
					all[g][e] = table[e]
				}
			}
		}
	}
	return all
}()

// FieldBits returns the position of field f of encoding e on generation g. shift is its lowest bit, counted from bit 0
// of the first word. width is 0 if the encoding does not have the field.
func FieldBits(g Gen, e Encoding, f Field) (shift, width int) {
	s := layouts[g][e].fields[f]
	return int(s.shift), int(s.width)
}
