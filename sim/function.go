package sim

// Function is a part of a program: a kernel or a function of its code object, or what lies
// before, between and after them.
type Function struct {
	Name       string // "" of code that has no name
	Start, End uint64 // addresses; that of End is behind it
}

// Functions returns the parts of p in the order of their addresses. Words that belong to no
// code object are one part.
func (p *Program) Functions() []Function {
	var all []Function
	at := p.Base
	if p.object != nil {
		for _, s := range p.object.Functions {
			start := p.load + s.VAddr
			if start < at || start >= p.End() {
				continue
			}
			end := start + min(s.Size, p.End()-start)
			if start > at {
				all = append(all, Function{"", at, start})
			}
			all = append(all, Function{s.Name, start, end})
			at = end
		}
	}
	if at < p.End() {
		all = append(all, Function{"", at, p.End()})
	}
	return all
}

// Offset returns pc as the file of a code object has it, and as disassemblers print it:
// from where that is loaded on. Of other programs it is pc.
func (p *Program) Offset(pc uint64) uint64 {
	if p == nil {
		return pc
	}
	return pc - p.load
}
