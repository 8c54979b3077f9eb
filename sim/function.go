package sim

import (
	"fmt"
	"iter"
	"sort"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
)

// Symbol returns the position of pc in the code object of p, for example "vadd+0x48". It is "" if p has no code
// object, or pc is not in one of its kernels and functions.
func (p *Program) Symbol(pc uint64) string {
	if f := p.function(pc); f != nil {
		return fmt.Sprintf("%s+0x%x", f.Name, pc-p.Load-f.VAddr)
	}
	return ""
}

// function returns the function that contains pc, nil if it is unknown or has no name.
func (p *Program) function(pc uint64) *codeobj.Symbol {
	if p == nil || p.object == nil {
		return nil
	}
	at := pc - p.Load
	i := sort.Search(len(p.object.Functions), func(i int) bool { return p.object.Functions[i].VAddr > at }) - 1
	if i < 0 || pc < p.Base || pc >= p.End {
		return nil
	}
	if f := &p.object.Functions[i]; f.Name != "" && at-f.VAddr < f.Size {
		return f
	}
	return nil
}

// Insts returns the instructions of p from start up to end with their addresses, in the order of addresses. Words
// that are not an instruction are data and are omitted.
func (p *Program) Insts(start, end uint64) iter.Seq2[uint64, gcn.Inst] {
	return func(yield func(uint64, gcn.Inst) bool) {
		for pc := start; pc < end; {
			in, ok := p.Inst(pc)
			if ok && !yield(pc, in) {
				return
			}
			pc += max(uint64(in.Size), 4)
		}
	}
}

// Functions returns the parts of p in the order of their absolute addresses: the kernels and functions of its code
// object, and nameless parts before, between and after them. A program without a code object is one part.
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
