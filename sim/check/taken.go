package check

import "slices"

// This file records which branches waves take, so that a finding on a path says whether a run took that path.

// comesTo records that w continues at pc, as the way that its last branch took.
func (w *wave) comesTo(pc uint64) {
	if s := w.branched; s != nil {
		w.branched = nil
		s.goesTo(pc)
	}
}

// goesTo records that the instruction at pc followed s, if s is a branch.
func (s *site) goesTo(pc uint64) {
	if s.branches && !slices.Contains(s.to, pc) {
		s.to = append(s.to, pc)
	}
}

// recordWays records which ways branches of a batch took. w executed the whole batch so many times, and then its first
// rest instructions.
func (b *batch) recordWays(w *wave, times, rest uint64) {
	n := rest
	if times > 0 {
		n = uint64(len(b.body))
	}
	for ; b.recorded+1 < n; b.recorded++ {
		b.body[b.recorded].goesTo(b.body[b.recorded+1].at)
	}
	if times > 1 || times > 0 && rest > 0 {
		b.body[len(b.body)-1].goesTo(b.body[0].at)
	}
	if rest > 0 {
		n = rest
	}
	if n > 0 && b.body[n-1].branches {
		w.branched = b.body[n-1]
	}
}

// siteAt returns the site of the instruction at pc in the latest programs, or nil if no wave executed the instruction.
func (c *Checker) siteAt(pc uint64) *site {
	for _, p := range c.code {
		if pc >= p.Base && pc < p.End {
			if s := p.sites[(pc-p.Base)/4]; s != nil {
				return s
			}
		}
	}
	return nil
}

// took reports whether waves took each branch of the path of f, and executed the instruction that f is about.
func (c *Checker) took(f *Finding) bool {
	for i := range len(f.Path) - 1 {
		next := f.Path[i+1].PC
		for pc := f.Path[i].PC; pc != next; {
			s := c.siteAt(pc)
			if s == nil || s.branches && !slices.Contains(s.to, next) {
				return false
			}
			if pc += uint64(s.inst.Size); s.branches {
				pc = next
			}
		}
	}
	return len(f.Path) > 0 && c.siteAt(f.PC) != nil
}
