package asm

import (
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/enum"
)

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
		gcn.SOP1, gcn.SOP2, gcn.SOPC, gcn.SOPK, gcn.SOPP, gcn.SMEM, gcn.EXP, gcn.DS, gcn.MUBUF, gcn.MTBUF, gcn.MIMG, gcn.FLAT, gcn.SCRATCH, gcn.GLOBAL,
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
