package asm

import (
	"fmt"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/mnemonic"
)

// renaming is the difference between an instruction and the RDNA instruction for which the text has the mnemonic.
type renaming struct {
	how mnemonic.Unlike
	yes bool // the mnemonic of RDNA differs
}

// gcnName returns the GCN mnemonic for name, with its suffix. If c does not accept mnemonics of RDNA, or if name is
// not one of them, it returns name. The error says that the target has no equivalent instruction.
func (c *cursor) gcnName(name string, at int) (string, renaming, *syntaxError) {
	if !c.rdna {
		return name, renaming{}, nil
	}
	t, base := c.target, baseName(name)
	exists := func(name string) bool { return isa.Ops(name) != nil }
	old, how, known := mnemonic.Lookup(base, int(t.Gen()), !isa.TraitsOf(t).PackedD16, exists)
	if !known || old == base {
		return name, renaming{}, nil
	}
	if _, err := isa.Lookup(old, t); err != nil {
		_, err = isa.Lookup(base, t)
		return "", renaming{}, &syntaxError{at: at, what: err.Error(), err: err}
	}
	switch how { //exhaustive:enforce
	case mnemonic.Carries, mnemonic.ClearsHigh, mnemonic.Unpacked:
		return "", renaming{}, c.errorf(at, "no instruction of %v does what RDNA calls %s; the nearest is %s, %v",
			t, base, old, how)
	case mnemonic.Same, mnemonic.Swapped, mnemonic.ToLDS, mnemonic.InDwords:
	}
	return old + name[len(base):], renaming{how, true}, nil
}

// presets returns the modifiers that the mnemonic implies, or those that decide which operands in has.
func (r renaming) presets(in isa.Inst, s Syntax) []isa.Field {
	if r.how == mnemonic.ToLDS {
		return []isa.Field{isa.LDS}
	}
	return presets(in, s)
}

// apply converts an instruction with operands in the order of RDNA to the order of GCN.
func (r renaming) apply(in isa.Inst) isa.Inst {
	if r.how != mnemonic.Swapped {
		return in
	}
	first, second := int64(in.Get(isa.DATA0)), int64(in.Get(isa.DATA1))
	in, _ = in.Set(isa.DATA0, second) // both are VGPRs
	in, _ = in.Set(isa.DATA1, first)
	return in
}

// offset converts the immediate offset of a scalar memory instruction from the n bytes of RDNA to the unit of in.
func (r renaming) offset(n int64, in isa.Inst) (int64, *syntaxError) {
	switch {
	case r.how != mnemonic.InDwords:
		return n, nil
	case n%4 != 0:
		return n, &syntaxError{what: fmt.Sprintf("offset is %d, must be a multiple of 4: %v counts dwords", n, in.Target)}
	}
	return n / 4, nil
}

// unifiedPrefix begins the names of RDNA formats. The data format and the number format follow.
const unifiedPrefix = "BUF_FMT_"

// unifiedFormat sets the data format and the number format for the RDNA format name. It reports whether name is such a
// format. Source: LLVM, convertDfmtNfmt2Ufmt.
func (p *parser) unifiedFormat(name string) bool {
	for d := 1; d < len(dfmtNames)-1; d++ {
		for n := range uint32(len(nfmtNames)) {
			if n != snormOGL && name == unifiedPrefix+dfmtNames[d]+"_"+nfmtName(p.g, n, LLVM) {
				p.set(isa.DFMT, int64(d))
				p.set(isa.NFMT, int64(n))
				return true
			}
		}
	}
	return false
}

// elsewhere returns a text about the instruction that the target has instead of name, which other generations have.
// The text is empty if no such instruction is known.
func (c *cursor) elsewhere(name string) string {
	base := baseName(name)
	other, _ := mnemonic.Elsewhere(base, int(c.target.Gen()))
	if _, err := isa.Lookup(other, c.target); err != nil {
		return ""
	}
	return fmt.Sprintf("; there it is %s", other+name[len(base):])
}
