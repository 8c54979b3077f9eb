package asm

import (
	"sync"

	"github.com/gcnsim/gcnsim/gcn"
)

// kind says how a part of an instruction's text is written.
type kind uint8

// The operands, in the order of the text, are separated by commas; modifiers follow,
// separated by spaces.
const (
	source  kind = iota // operand code of a source: register, constant or literal
	vgpr                // VGPR number
	sgpr                // scalar register, operand code below 128
	sbase               // scalar register in units of unit registers (SBASE, SRSRC, SSAMP)
	vcc                 // the word vcc: an implied operand
	vccOut              // SDST of a compare with SDWA, vcc unless SDWA names another
	literal             // the 32-bit constant of v_madak and its kin
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
	number                                   // word:N, left out if 0
	cachePol                                 // glc slc, in any order
	high                                     // the upper half of an attribute, OPSEL of v_interp
	omod                                     // mul:2 mul:4 div:2
	opSel                                    // op_sel:[0,1] of VOP3
	opSelP                                   // op_sel:[0,1] of packed instructions
	opSelHi                                  // op_sel_hi:[1,1]
	negLo                                    // neg_lo:[0,0]
	negHi                                    // neg_hi:[0,0]
	dstSel                                   // dst_sel:DWORD
	dstUnused                                // dst_unused:UNUSED_PAD
	srcSel                                   // src0_sel:DWORD
	dppCtrl                                  // quad_perm:[0,1,2,3] and its kin
	hexMask                                  // row_mask:0xf
	swizzle                                  // offset:swizzle(...)
	dmask                                    // dmask:0x1
	implied                                  // a word always written: gds of ds_gws_*
	flatOffset                               // signed offset:N
	smemMore                                 // offset:N beside a register offset
	formatMod                                // format:[32,float] of CLRX
	unused                                   // name=N of CLRX: a field the instruction does not use
	unusedBit                                // abs1 of CLRX: a bit of a source that is not there
	unusedFlag                               // neg1 of CLRX: a modifier of a source that is not there, in a second word
	unusedExp                                // vsrc1=N of CLRX: a source that is off
	vop3Mark                                 // vop3 of CLRX
	secondMark                               // sdwa and dpp of CLRX
)

// mods says which input modifiers a source takes.
type mods uint8

const (
	noMods   mods = iota
	fpMods        // NEG and ABS: -x, |x|
	intMods       // SEXT: sext(x)
	mixMods       // NEG and NEG_HI: -x, |x| of v_mad_mix
	sdwaMods      // NEG and ABS of SDWA and DPP
	allMods       // NEG, ABS and SEXT of SDWA, as CLRX writes them: sext(-abs(x))
	abs3Mods      // NEG of VOP3B, which has no ABS
	lowMods       // NEG of packed instructions in CLRX syntax, which prints neg_lo
)

// part is one operand or modifier of an instruction.
type part struct {
	kind  kind
	field gcn.Field
	typ   gcn.Type // type of a source
	n     uint8    // registers of an operand; unit of sbase is in unit
	unit  uint8
	src   uint8 // which source
	mods  mods
	file  files
	word  string // word of a modifier
	no    bool   // LLVM takes it with "no" before it, too
}

// files says which registers and constants a source may be.
type files uint8

const (
	anyFile      files = iota
	vectorOnly         // VGPRs
	scalarOnly         // scalar registers and constants
	scalarReg          // scalar registers
	registerOnly       // registers of either kind
	belowM0            // scalar registers, in LLVM syntax not M0 and EXEC
)

func (p part) operand() bool { return p.kind <= lastOperand }

// form is how one row is written in one encoding on one processor.
type form struct {
	name    string // the mnemonic, with LLVM's suffix _e32, _e64, _sdwa or _dpp
	parts   []part
	foreign bool // the syntax does not know the instruction by this name
}

// formTables holds the forms, [encoding][op], of each syntax and processor.
var formTables [numSyntaxes][gcn.NumTargets]struct {
	once  sync.Once
	forms [gcn.NumEncodings][]*form
}

// noForm stands for an instruction that does not exist, as the zero Inst.
var noForm = form{name: "invalid", foreign: true}

// formOf returns how op is written in encoding e on t.
func formOf(target gcn.Target, op gcn.Op, e gcn.Encoding, s Syntax) *form {
	t := &formTables[s][target]
	t.once.Do(func() {
		for e := gcn.SOP1; int(e) < gcn.NumEncodings; e++ {
			t.forms[e] = make([]*form, gcn.NumOps())
			for op := gcn.Op(1); int(op) < gcn.NumOps(); op++ {
				in, err := gcn.New(target, op, e)
				if err != nil {
					continue
				}
				f := newForm(in)
				if s == CLRX {
					f = clrxForm(in)
				}
				t.forms[e][op] = &f
			}
		}
	})
	if forms := t.forms[e]; int(op) < len(forms) && forms[op] != nil {
		return forms[op]
	}
	return &noForm
}

func newForm(in gcn.Inst) form {
	r := in.Row()
	f := form{name: r.Name + suffix(in), foreign: r.Has(gcn.Alias) && !r.Has(gcn.NotCLRX)}
	switch r.Enc {
	case gcn.SOP1, gcn.SOP2, gcn.SOPC:
		f.parts = scalarParts(r)
	case gcn.SOPK:
		f.parts = sopkParts(r)
	case gcn.SOPP:
		f.parts = soppParts(r)
	case gcn.SMEM:
		f.parts = smemParts(in, r)
	case gcn.VOP1, gcn.VOP2, gcn.VOPC, gcn.VOP3A, gcn.VOP3B, gcn.VOP3P:
		f.parts = vectorParts(in, r)
	case gcn.VINTRP:
		f.parts = interpParts(in, r, gcn.ATTR)
	case gcn.EXP:
		f.parts = exportParts()
	case gcn.DS:
		f.parts = dsParts(r)
	case gcn.MUBUF, gcn.MTBUF:
		f.parts = bufferParts(in, r)
	case gcn.MIMG:
		f.parts = imageParts(in, r)
	case gcn.FLAT, gcn.GLOBAL, gcn.SCRATCH:
		f.parts = flatParts(in, r)
	}
	return f
}

// suffix is what LLVM appends to the mnemonic: instructions with a 32-bit and a 64-bit
// encoding, and those with a second word, say which it is.
func suffix(in gcn.Inst) string {
	r := in.Row()
	if r.Sig.Dst == gcn.None { // v_nop, v_clrexcp
		return ""
	}
	switch in.Enc {
	case gcn.VOPCSDWA:
		if in.Has(gcn.SDSTEN) {
			return "_sdwa"
		}
	case gcn.VOP1SDWA, gcn.VOP2SDWA:
		return "_sdwa"
	case gcn.VOP1DPP, gcn.VOP2DPP, gcn.VOPCDPP:
		return "_dpp"
	case gcn.VOP1, gcn.VOP2, gcn.VOPC:
		if r.Has(gcn.NoVOP3) || r.Has(gcn.ScalarDst) || r.Has(gcn.ScalarSrc1) {
			return ""
		}
		return "_e32"
	case gcn.VINTRP:
		if in.Target.Traits().SecondWord {
			return "_e32"
		}
	case gcn.VOP3A, gcn.VOP3B:
		if r.Enc != in.Enc || severalForms(r.Name, in.Target) {
			return "_e64"
		}
	}
	return ""
}
