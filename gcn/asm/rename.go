package asm

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
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
	exists := func(name string) bool { return gcn.Ops(name) != nil }
	old, how, known := mnemonic.Lookup(base, int(t.Gen()), !t.Traits().PackedD16, exists)
	if !known || old == base {
		return name, renaming{}, nil
	}
	if _, err := gcn.Lookup(old, t); err != nil {
		_, err = gcn.Lookup(base, t)
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
func (r renaming) presets(in gcn.Inst, s Syntax) []gcn.Field {
	if r.how == mnemonic.ToLDS {
		return []gcn.Field{gcn.LDS}
	}
	return presets(in, s)
}

// apply returns in, whose operands are those of RDNA, with the operands of GCN.
func (r renaming) apply(in gcn.Inst) gcn.Inst {
	if r.how != mnemonic.Swapped {
		return in
	}
	first, second := int64(in.Get(gcn.DATA0)), int64(in.Get(gcn.DATA1))
	in, _ = in.Set(gcn.DATA0, second) // both are VGPRs
	in, _ = in.Set(gcn.DATA1, first)
	return in
}

// offset returns the immediate offset of a scalar memory instruction that RDNA writes as n bytes.
func (r renaming) offset(n int64, in gcn.Inst) (int64, *syntaxError) {
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
				p.set(gcn.DFMT, int64(d))
				p.set(gcn.NFMT, int64(n))
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
	if _, err := gcn.Lookup(other, c.target); err != nil {
		return ""
	}
	return fmt.Sprintf("; there it is %s", other+name[len(base):])
}
