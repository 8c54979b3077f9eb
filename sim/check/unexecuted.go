package check

import (
	"cmp"
	"slices"

	"github.com/gcnsim/gcnsim/internal/isa/asm"
)

// maxUnexecuted is the greatest number of unexecuted instructions that are returned.
const maxUnexecuted = 1 << 16

// Unexecuted returns the instructions that no wave executed, ordered by PC. In code objects only kernels and
// functions count in which a wave executed some instruction; other programs count as a whole. It only covers the
// latest 8 programs, and returns at most 65536 instructions; more is the number of the others.
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
			if !p.entered(f.VAddr, f.VAddr+f.Size) {
				continue
			}
			for pc, in := range p.Insts(f.VAddr, f.VAddr+f.Size) {
				switch {
				case executed[siteKey{pc: pc, words: in.Words, target: in.Target}]:
				case len(all) == maxUnexecuted:
					more++
				default:
					all = append(all, Site{PC: pc, Inst: in, Text: asm.Format(in, asm.LLVM), Source: p.Source(pc)})
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Site) int { return cmp.Compare(a.PC, b.PC) })
	return slices.CompactFunc(all, func(a, b Site) bool { return a.PC == b.PC && a.Inst.Words == b.Inst.Words }), more
}

// key identifies s, independent of the number of allocated SGPRs.
func (s *site) key() siteKey { return siteKey{pc: s.at, words: s.inst.Words, target: s.inst.Target} }

// entered reports whether a wave executed an instruction in the range from start up to, but not including, end.
func (p *code) entered(start, end uint64) bool {
	return slices.ContainsFunc(p.sites[(start-p.Base)/4:(end-p.Base)/4], func(s *site) bool { return s != nil })
}
