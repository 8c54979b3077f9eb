package check

import (
	"cmp"
	"slices"

	"github.com/gcnsim/gcnsim/gcn/asm"
)

// Unexecuted returns the instructions that no wave executed, by PC: those of kernels and
// functions of which a wave executed some, and of programs that are not parts of code
// objects all. Only the latest programs are looked at, 8 of them. more is how many there are
// beyond the first 65536, which are not returned.
func (c *Checker) Unexecuted() (all []Site, more int) {
	executed := map[siteKey]bool{}
	for _, p := range c.code {
		for _, s := range p.sites {
			if s != nil {
				executed[s.key()] = true
			}
		}
	}
	for _, p := range c.code {
		for _, f := range p.Functions() {
			if p.entered(f.VAddr, f.VAddr+f.Size) {
				var left int
				all, left = p.without(executed, f.VAddr, f.VAddr+f.Size, all)
				more += left
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Site) int { return cmp.Compare(a.PC, b.PC) })
	return slices.CompactFunc(all, func(a, b Site) bool { return a.PC == b.PC && a.Inst.Words == b.Inst.Words }), more
}

// maxUnexecuted is how many instructions that no wave executed are kept apart.
const maxUnexecuted = 1 << 16

// key tells s apart from the instructions of other programs, whatever SGPRs are allocated.
func (s *site) key() siteKey { return siteKey{pc: s.at, words: s.inst.Words, target: s.inst.Target} }

// entered reports whether a wave executed an instruction from start to below end.
func (p *code) entered(start, end uint64) bool {
	return slices.ContainsFunc(p.sites[(start-p.Base)/4:(end-p.Base)/4], func(s *site) bool { return s != nil })
}

// without appends to all the instructions from start to below end that are not among those
// executed, and returns how many there was no room for. Words that are no instruction are
// data.
func (p *code) without(executed map[siteKey]bool, start, end uint64, all []Site) (_ []Site, more int) {
	for pc := start; pc < end; {
		in, ok := p.Inst(pc)
		if !ok {
			pc += 4
			continue
		}
		switch {
		case executed[siteKey{pc: pc, words: in.Words, target: in.Target}]:
		case len(all) == maxUnexecuted:
			more++
		default:
			all = append(all, Site{PC: pc, Inst: in, Text: asm.Format(in, asm.LLVM), Source: p.Source(pc)})
		}
		pc += uint64(in.Size)
	}
	return all, more
}
