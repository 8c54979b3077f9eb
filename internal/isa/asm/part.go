package asm

import (
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
)

// kind is the kind of a part of an instruction's text. writings has the text form of each kind.
type kind uint8

// Operands are in the order of the text and separated by commas. Modifiers follow, separated
// by spaces.
const (
	source  kind = iota // operand code of a source: register, constant or literal
	soffset             // SOFFSET of a buffer instruction
	vgpr                // VGPR number
	sgpr                // scalar register, operand code below 128, in units of unit registers
	vcc                 // the word vcc: an implied operand
	vccOut              // SDST of a compare with SDWA, vcc unless SDWA names another
	literal             // the 32-bit constant of v_madak and similar instructions
	target              // SIMM16 of a branch
	uimm16              // SIMM16 as a number
	endImm              // SIMM16 of s_endpgm, left out if 0
	waitcnt
	hwreg
	sendmsg
	gprIndex // mode of s_set_gpr_idx_mode
	smemOffset
	probe    // SDATA of s_atc_probe, a number
	vaddr    // MUBUF address VGPRs, or off
	vdata    // data of MUBUF, MTBUF and MIMG: width depends on modifiers
	iaddr    // MIMG address
	vflat    // address of FLAT, GLOBAL and SCRATCH
	resource // T# of CLRX: four registers with R128
	saddr    // scalar address, or off
	format   // MTBUF format: follows the operand before it without a comma
	expTarget
	expSource
	interpParam // p10, p20 or p0
	interpAttr  // attr0.x

	lastOperand = interpAttr
)

// The modifiers.
const (
	keyword    kind = lastOperand + 1 + iota // a word that sets a one-bit field
	implied                                  // a word always written: gds of ds_gws_*
	boundCtrl                                // bound_ctrl:1 of LLVM, bound_ctrl of CLRX
	number                                   // word:N, left out if 0
	lanes                                    // row_mask:0xf, always written
	dmask                                    // dmask:0x1
	flatOffset                               // signed offset:N
	smemMore                                 // offset:N in addition to a register offset
	cachePol                                 // glc slc, in any order
	high                                     // the upper half of an attribute, OPSEL of v_interp
	omod                                     // mul:2 mul:4 div:2
	bitList                                  // neg_lo:[0,0], a bit for each source
	opSel                                    // op_sel:[0,1] of VOP3
	opSelHi                                  // op_sel_hi:[1,1]
	sdwaSel                                  // src0_sel:DWORD
	dstUnused                                // dst_unused:UNUSED_PAD
	dppCtrl                                  // quad_perm:[0,1,2,3] and other controls
	swizzle                                  // offset:swizzle(...)
	formatMod                                // format:[32,float] of CLRX
	unused                                   // name=N of CLRX: a field the instruction does not use
	unusedBit                                // abs1 of CLRX: a modifier of a source that is not there
	unusedExp                                // vsrc1=N of CLRX: a source that is off
	mark                                     // vop3, sdwa and dpp of CLRX: which encoding it is
	numKinds   = iota + lastOperand + 1
)

// part is one operand or modifier of an instruction.
type part struct {
	kind   kind
	syntax Syntax
	field  isa.Field
	typ    isa.Type // type of a source
	n      uint8    // number of registers of an operand or of elements of a list
	unit   uint8    // number of scalar registers for a step of the field; 0 means 1
	src    uint8    // index of the source
	mods   mods
	file   files
	word   string // the word of a modifier
	no     bool   // LLVM also accepts "no" before the word
}

func (p *part) operand() bool { return p.kind <= lastOperand }

// files is the set of registers and constants that a source may be.
type files uint8

const (
	anyFile      files = iota
	vectorOnly         // VGPRs
	scalarOnly         // scalar registers and constants
	scalarReg          // scalar registers
	registerOnly       // registers of either kind
	belowM0            // scalar registers, in LLVM syntax not M0 and EXEC
)

// printer appends the text of part p of instruction in.
type printer func(b []byte, in isa.Inst, p *part) []byte

// taker parses the text of part q and sets its fields. A modifier may be missing.
type taker func(p *parser, q *part) *syntaxError

// writing has the functions that print and parse a part. It is the zero value if the syntax does not have the part.
type writing struct {
	print printer
	parse taker
}

// columns has the writings of a part in LLVM syntax and in CLRX syntax.
type columns [numSyntaxes]writing

func both(p printer, t taker) columns     { return columns{{p, t}, {p, t}} }
func llvmOnly(p printer, t taker) columns { return columns{{p, t}, {}} }
func clrxOnly(p printer, t taker) columns { return columns{{}, {p, t}} }

// writings has the text form of each kind of part in both syntaxes.
var writings = [numKinds]columns{
	source:      both(appendSource, (*parser).source),
	soffset:     {{appendSource, (*parser).soffsetLLVM}, {appendSource, (*parser).soffset}},
	vgpr:        both(appendVector, (*parser).vector),
	sgpr:        both(appendScalar, (*parser).scalar),
	vcc:         both(appendVCC, (*parser).vcc),
	vccOut:      both(appendVCCOut, (*parser).vccOut),
	literal:     {{appendLiteralK, (*parser).literalK}, {appendHexField, (*parser).literalK}},
	target:      {{appendDecimal, (*parser).branch}, {appendDistance, (*parser).branch}},
	uimm16:      {{appendImm16, (*parser).immediate}, {appendHexField, (*parser).immediate}},
	endImm:      both(appendEndImm, (*parser).endImm),
	waitcnt:     both(appendWaitcnt, (*parser).waitcnt),
	hwreg:       {{appendHwreg, (*parser).hwreg}, {appendHwreg, (*parser).hwregCLRX}},
	sendmsg:     {{appendSendmsg, (*parser).sendmsg}, {appendSendmsgCLRX, (*parser).sendmsgCLRX}},
	gprIndex:    {{appendGPRIndex, (*parser).gprIndex}, {appendHexField, (*parser).gprIndexCLRX}},
	smemOffset:  {{appendSMEMOffset, (*parser).smemOffset}, {appendSMEMOffset, (*parser).smemOffsetCLRX}},
	probe:       {{appendSmallField, (*parser).probe}, {appendHexField, (*parser).probe}},
	vaddr:       {{appendAddress, (*parser).address}, {appendAddress, (*parser).addressCLRX}},
	vdata:       both(appendData, (*parser).data),
	iaddr:       both(appendTuple, (*parser).data),
	vflat:       both(appendFlat, (*parser).address),
	resource:    clrxOnly(appendScalar, (*parser).resource),
	saddr:       both(appendSADDR, (*parser).saddr),
	format:      llvmOnly(appendFormat, (*parser).format),
	expTarget:   both(appendTarget, (*parser).target),
	expSource:   both(appendExpSource, (*parser).expSource),
	interpParam: both(appendParam, (*parser).param),
	interpAttr:  both(appendAttr, (*parser).attr),

	keyword:    {{unlessZero(appendWord), (*parser).keyword}, {unlessZero(appendWord), (*parser).keywordCLRX}},
	implied:    llvmOnly(appendWord, (*parser).implied),
	boundCtrl:  {{unlessZero(appendWord), (*parser).boundCtrl}, {unlessZero(appendWord), (*parser).boundCtrlCLRX}},
	number:     both(unlessZero(appendDecimalMod), (*parser).numberMod),
	lanes:      {{appendHexMod, (*parser).numberMod}, {appendDecimalMod, (*parser).numberMod}},
	dmask:      {{unlessZero(appendHexMod), (*parser).numberMod}, {appendDMASKCLRX, (*parser).numberMod}},
	flatOffset: both(unlessZero(appendSignedMod), (*parser).numberMod),
	smemMore:   {{appendSMEMMore, (*parser).smemMore}, {appendHexMod, (*parser).smemMore}},
	cachePol:   llvmOnly(appendCachePolicy, (*parser).cachePolicy),
	high:       {{appendHigh, (*parser).high}, {appendHigh, (*parser).highCLRX}},
	omod:       {{appendOMOD, (*parser).omod}, {appendOMOD, (*parser).omodCLRX}},
	bitList:    {{appendBits, (*parser).bits}, {appendBits, (*parser).bitsCLRX}},
	opSel:      {{appendBits, (*parser).bits}, {appendBits, (*parser).bitsCLRX}},
	opSelHi:    {{appendOpSelHi, (*parser).bits}, {appendOpSelHi, (*parser).bitsCLRX}},
	sdwaSel:    both(appendSel, (*parser).sel),
	dstUnused:  both(appendDstUnused, (*parser).dstUnused),
	dppCtrl:    {{appendDPP, (*parser).dpp}, {appendDPP, (*parser).dppCLRX}},
	swizzle:    llvmOnly(appendSwizzle, (*parser).swizzle),
	formatMod:  clrxOnly(appendFormat, (*parser).formatCLRX),
	unused:     clrxOnly(appendUnused, (*parser).unused),
	unusedBit:  clrxOnly(appendUnusedBit, (*parser).unusedBit),
	unusedExp:  clrxOnly(appendUnusedExp, (*parser).unusedExp),
	mark:       clrxOnly(appendMark, (*parser).mark),
}

var _ = enum.Full[kind](writings[:])
