package asm

import (
	"fmt"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/mnemonic"
)

// renaming says how the instruction differs from the RDNA instruction of the same mnemonic.
type renaming struct {
	how mnemonic.Unlike
	yes bool // RDNA has another mnemonic
}

// gcnName returns the mnemonic of GCN for name, with its suffix. It is name itself unless c takes mnemonics of
// RDNA and name is one. The error says that no instruction of the target does the same.
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

// presets returns the modifiers that the mnemonic stands for, or those that decide which operands in has.
func (r renaming) presets(in isa.Inst, s Syntax) []isa.Field {
	if r.how == mnemonic.ToLDS {
		return []isa.Field{isa.LDS}
	}
	return presets(in, s)
}

// apply returns in, whose operands are those of RDNA, with the operands of GCN.
func (r renaming) apply(in isa.Inst) isa.Inst {
	if r.how != mnemonic.Swapped {
		return in
	}
	first, second := int64(in.Get(isa.DATA0)), int64(in.Get(isa.DATA1))
	in, _ = in.Set(isa.DATA0, second) // both are VGPRs
	in, _ = in.Set(isa.DATA1, first)
	return in
}

// offset returns the immediate offset of a scalar memory instruction that RDNA writes as n bytes.
func (r renaming) offset(n int64, in isa.Inst) (int64, *syntaxError) {
	switch {
	case r.how != mnemonic.InDwords:
		return n, nil
	case n%4 != 0:
		return n, &syntaxError{what: fmt.Sprintf("offset is %d, must be a multiple of 4: %v counts dwords", n, in.Target)}
	}
	return n / 4, nil
}

// unifiedPrefix begins the names of formats of RDNA, in which the names of data and number format follow.
const unifiedPrefix = "BUF_FMT_"

// unifiedFormat sets the formats that RDNA calls name, and reports whether there are such. Source: LLVM,
// convertDfmtNfmt2Ufmt.
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

// elsewhere says what the target has in place of name, which other generations have; it is empty if that is not
// known.
func (c *cursor) elsewhere(name string) string {
	base := baseName(name)
	other, _ := mnemonic.Elsewhere(base, int(c.target.Gen()))
	if _, err := isa.Lookup(other, c.target); err != nil {
		return ""
	}
	return fmt.Sprintf("; there it is %s", other+name[len(base):])
}
