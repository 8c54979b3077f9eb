package asm

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
)

// form is the text form of one row in one encoding on one processor.
type form struct {
	name    string // the mnemonic with LLVM's suffix _e32, _e64, _sdwa or _dpp
	parts   []part
	foreign bool // the syntax has no such instruction under this name
}

// formTables caches forms by syntax, processor, encoding and op.
var formTables [numSyntaxes][gcn.NumTargets][isa.NumEncodings]struct {
	once  sync.Once
	forms []atomic.Pointer[form]
}

// noForm is the form of an instruction that does not exist, such as the zero Inst.
var noForm = form{name: "invalid", foreign: true}

// formOf returns the form of op in encoding e on target, from the cache if possible.
func formOf(target gcn.Target, op gcn.Op, e gcn.Encoding, s Syntax) *form {
	if op == 0 || int(op) >= isa.NumOps() || e < isa.SOP1 {
		return &noForm
	}
	t := &formTables[s][target][e]
	t.once.Do(func() { t.forms = make([]atomic.Pointer[form], isa.NumOps()) })
	if f := t.forms[op].Load(); f != nil {
		return f
	}
	f := &noForm
	if in, err := isa.New(target, op, e); err == nil {
		one := newForm(in, s)
		f = &one
	}
	t.forms[op].Store(f)
	return f
}

// newForm returns the form of in. CLRX has the operands of LLVM with a few exceptions, its own
// modifiers, and words for fields that the instruction does not use.
func newForm(in isa.Inst, s Syntax) form {
	r := in.Row()
	f := form{name: r.Name + suffix(in), foreign: r.Has(isa.Alias) && !r.Has(isa.NotCLRX), parts: operandList(in, r)}
	if s == CLRX {
		f = form{name: clrxName(in), foreign: r.Has(isa.NotCLRX), parts: operandListCLRX(in, r)}
	}
	f.parts = append(f.parts, modifierList(in, r, s, f.parts)...)
	if s == CLRX {
		f.parts = append(f.parts, unusedList(in, r, f.parts)...)
	}
	for n := range f.parts {
		f.parts[n].syntax = s
	}
	return f
}

// suffix returns the suffix of LLVM's mnemonic. It names the encoding of an instruction that has a
// 32-bit and a 64-bit encoding or a second word.
func suffix(in isa.Inst) string {
	r := in.Row()
	if r.Sig.Dst == isa.None { // v_nop, v_clrexcp
		return ""
	}
	switch in.Enc {
	case isa.VOPCSDWA:
		if in.Has(isa.SDSTEN) {
			return "_sdwa"
		}
	case isa.VOP1SDWA, isa.VOP2SDWA:
		return "_sdwa"
	case isa.VOP1DPP, isa.VOP2DPP, isa.VOPCDPP:
		return "_dpp"
	case isa.VOP1, isa.VOP2, isa.VOPC:
		if r.Has(isa.NoVOP3) || r.Has(isa.ScalarDst) || r.Has(isa.ScalarSrc1) {
			return ""
		}
		return "_e32"
	case isa.VINTRP:
		if isa.TraitsOf(in.Target).SecondWord {
			return "_e32"
		}
	case isa.VOP3A, isa.VOP3B:
		if r.Enc != in.Enc || severalForms(r.Name, in.Target) {
			return "_e64"
		}
	}
	return ""
}

// clrxName returns the mnemonic that CLRX prints.
func clrxName(in isa.Inst) string {
	r := in.Row()
	for op := gcn.Op(1); int(op) < isa.NumOps() && !r.Has(isa.Alias); op++ {
		if a := isa.RowOf(op); a.Has(isa.CLRXName) && a.Enc == r.Enc && a.On(in.Target) &&
			a.Code[in.Target.Gen()] == r.Code[in.Target.Gen()] {
			return a.Name
		}
	}
	return r.Name
}

// ending is a suffix of a mnemonic that selects encodings.
type ending struct {
	word string
	encs []gcn.Encoding
	size uint8 // in CLRX syntax, the size of the instruction in bytes with its literal; 0 is any size
}

// suffixes are the suffixes of mnemonics in each syntax.
var suffixes = [numSyntaxes][]ending{
	LLVM: {
		{"_e32", slices.Concat(shortForms, otherForms), 0},
		{"_e64", longForms, 0},
		{"_sdwa", sdwaForms, 0},
		{"_dpp", dppForms, 0},
	},
	CLRX: {
		{"_e32", slices.Concat(shortForms, otherForms, []gcn.Encoding{isa.VOP3P}), 4},
		{"_e64", slices.Concat(longForms, otherForms), 8},
		{"_sdwa", sdwaForms, 0},
		{"_dpp", dppForms, 0},
	},
}

var _ = enum.Full[Syntax](suffixes[:])

// The encodings in the order in which LLVM tries them.
var (
	shortForms = []gcn.Encoding{isa.VOP1, isa.VOP2, isa.VOPC, isa.VINTRP}
	longForms  = []gcn.Encoding{isa.VOP3A, isa.VOP3B, isa.VOP3P}
	sdwaForms  = []gcn.Encoding{isa.VOP1SDWA, isa.VOP2SDWA, isa.VOPCSDWA}
	dppForms   = []gcn.Encoding{isa.VOP1DPP, isa.VOP2DPP, isa.VOPCDPP}
	otherForms = []gcn.Encoding{ // encodings of instructions that have only one
		isa.SOP1, isa.SOP2, isa.SOPC, isa.SOPK, isa.SOPP, isa.SMEM, isa.EXP, isa.DS, isa.MUBUF, isa.MTBUF, isa.MIMG,
		isa.FLAT, isa.SCRATCH, isa.GLOBAL,
	}
)

// noSuffix allows all encodings.
var noSuffix = ending{encs: slices.Concat(otherForms, shortForms, longForms, sdwaForms, dppForms)}

// candidates returns the rows that mnemonic name can mean on t, and the suffix of name.
func candidates(t gcn.Target, s Syntax, name string) ([]gcn.Op, ending) {
	if ops, err := isa.Lookup(name, t); err == nil {
		return ops, noSuffix
	}
	for _, x := range suffixes[s] {
		if base, ok := strings.CutSuffix(name, x.word); ok {
			ops, _ := isa.Lookup(base, t)
			return ops, x
		}
	}
	return nil, noSuffix
}

// severalForms reports whether a mnemonic on t has rows in different encodings.
func severalForms(name string, t gcn.Target) bool {
	ops, _ := isa.Lookup(name, t)
	return len(ops) > 1
}

// baseName returns name without its suffix.
func baseName(name string) string {
	for _, s := range suffixes[LLVM] {
		if base, ok := strings.CutSuffix(name, s.word); ok && len(isa.Ops(name)) == 0 {
			return base
		}
	}
	return name
}
