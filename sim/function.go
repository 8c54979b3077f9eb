package sim

import (
	"fmt"

	"github.com/gcnsim/gcnsim/sim/codeobj"
)

// Symbol returns the place of pc in the code object that p is part of, as in "vadd+0x48"; "" if
// p is part of none, or pc in none of its kernels and functions.
func (p *Program) Symbol(pc uint64) string {
	if p != nil && p.object != nil {
		for _, f := range p.Functions() {
			if f.Name != "" && pc >= f.VAddr && pc-f.VAddr < f.Size {
				return fmt.Sprintf("%s+0x%x", f.Name, pc-f.VAddr)
			}
		}
	}
	return ""
}

// Functions returns the parts of p in the order of their addresses, which are absolute: the
// kernels and functions of its code object, and without a name what lies before, between and
// after them. Words that belong to no code object are one part.
func (p *Program) Functions() []codeobj.Symbol {
	var all []codeobj.Symbol
	at := p.Base
	if p.object != nil {
		for _, s := range p.object.Functions {
			start := p.Load + s.VAddr
			if start < at || start >= p.End {
				continue
			}
			if start > at {
				all = append(all, codeobj.Symbol{VAddr: at, Size: start - at})
			}
			s.VAddr, s.Size = start, min(s.Size, p.End-start)
			all = append(all, s)
			at = start + s.Size
		}
	}
	if at < p.End {
		all = append(all, codeobj.Symbol{VAddr: at, Size: p.End - at})
	}
	return all
}
