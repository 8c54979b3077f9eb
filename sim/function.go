package sim

import "github.com/gcnsim/gcnsim/sim/codeobj"

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
