package asm

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
)

// form is how one row is written in one encoding on one processor.
type form struct {
	name    string // the mnemonic, with LLVM's suffix _e32, _e64, _sdwa or _dpp
	parts   []part
	foreign bool // the syntax does not know the instruction by this name
}

// formTables holds the forms, [op], of each syntax, processor and encoding, as far as they have been asked for.
var formTables [numSyntaxes][gcn.NumTargets][gcn.NumEncodings]struct {
	once  sync.Once
	forms []atomic.Pointer[form]
}

// noForm stands for an instruction that does not exist, as the zero Inst.
var noForm = form{name: "invalid", foreign: true}

// formOf returns how op is written in encoding e on t.
func formOf(target gcn.Target, op gcn.Op, e gcn.Encoding, s Syntax) *form {
	if op == 0 || int(op) >= gcn.NumOps() || e < gcn.SOP1 {
		return &noForm
	}
	t := &formTables[s][target][e]
	t.once.Do(func() { t.forms = make([]atomic.Pointer[form], gcn.NumOps()) })
	if f := t.forms[op].Load(); f != nil {
		return f
	}
	f := &noForm
	if in, err := gcn.New(target, op, e); err == nil {
		one := newForm(in, s)
		f = &one
	}
	t.forms[op].Store(f)
	return f
}

// newForm returns how in is written: the operands, which CLRX takes from LLVM with a few
// exceptions; the modifiers; and what CLRX shows of fields that the instruction does not use.
func newForm(in gcn.Inst, s Syntax) form {
	r := in.Row()
	f := form{name: r.Name + suffix(in), foreign: r.Has(gcn.Alias) && !r.Has(gcn.NotCLRX), parts: operandList(in, r)}
	if s == CLRX {
		f = form{name: clrxName(in), foreign: r.Has(gcn.NotCLRX), parts: operandListCLRX(in, r)}
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

// clrxName returns the mnemonic CLRX prints.
func clrxName(in gcn.Inst) string {
	r := in.Row()
	for op := gcn.Op(1); int(op) < gcn.NumOps() && !r.Has(gcn.Alias); op++ {
		if a := op.Row(); a.Has(gcn.CLRXName) && a.Enc == r.Enc && a.On(in.Target) &&
			a.Code[in.Target.Gen()] == r.Code[in.Target.Gen()] {
			return a.Name
		}
	}
	return r.Name
}

// ending is the end of a mnemonic that chooses among encodings.
type ending struct {
	word string
	encs []gcn.Encoding
	size uint8 // in CLRX syntax, how many bytes any instruction has: a 32-bit one has a literal
}

// suffixes are the endings of mnemonics in each syntax.
var suffixes = [numSyntaxes][]ending{
	LLVM: {
		{"_e32", slices.Concat(shortForms, otherForms), 0},
		{"_e64", longForms, 0},
		{"_sdwa", sdwaForms, 0},
		{"_dpp", dppForms, 0},
	},
	CLRX: {
		{"_e32", slices.Concat(shortForms, otherForms, []gcn.Encoding{gcn.VOP3P}), 4},
		{"_e64", slices.Concat(longForms, otherForms), 8},
		{"_sdwa", sdwaForms, 0},
		{"_dpp", dppForms, 0},
	},
}

var _ = enum.Full[Syntax](suffixes[:])

// The encodings, those first that LLVM tries first.
var (
	shortForms = []gcn.Encoding{gcn.VOP1, gcn.VOP2, gcn.VOPC, gcn.VINTRP}
	longForms  = []gcn.Encoding{gcn.VOP3A, gcn.VOP3B, gcn.VOP3P}
	sdwaForms  = []gcn.Encoding{gcn.VOP1SDWA, gcn.VOP2SDWA, gcn.VOPCSDWA}
	dppForms   = []gcn.Encoding{gcn.VOP1DPP, gcn.VOP2DPP, gcn.VOPCDPP}
	otherForms = []gcn.Encoding{ // of instructions that have no other
		gcn.SOP1, gcn.SOP2, gcn.SOPC, gcn.SOPK, gcn.SOPP, gcn.SMEM, gcn.EXP, gcn.DS, gcn.MUBUF, gcn.MTBUF, gcn.MIMG,
		gcn.FLAT, gcn.SCRATCH, gcn.GLOBAL,
	}
)

// noSuffix leaves all encodings.
var noSuffix = ending{encs: slices.Concat(otherForms, shortForms, longForms, sdwaForms, dppForms)}

// candidates returns the rows that mnemonic name may mean on t, and its suffix.
func candidates(t gcn.Target, s Syntax, name string) ([]gcn.Op, ending) {
	if ops, err := gcn.Lookup(name, t); err == nil {
		return ops, noSuffix
	}
	for _, x := range suffixes[s] {
		if base, ok := strings.CutSuffix(name, x.word); ok {
			ops, _ := gcn.Lookup(base, t)
			return ops, x
		}
	}
	return nil, noSuffix
}

// severalForms reports whether a mnemonic has rows of different encodings on t.
func severalForms(name string, t gcn.Target) bool {
	ops, _ := gcn.Lookup(name, t)
	return len(ops) > 1
}

// baseName returns name without a suffix.
func baseName(name string) string {
	for _, s := range suffixes[LLVM] {
		if base, ok := strings.CutSuffix(name, s.word); ok && len(gcn.Ops(name)) == 0 {
			return base
		}
	}
	return name
}
