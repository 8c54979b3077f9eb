package codeobj

import (
	"cmp"
	"debug/elf"
	"slices"
)

// functions returns the function symbols, in the form of [Object].Functions.
func functions(symbols []Symbol) []Symbol {
	var all []Symbol
	for _, s := range symbols {
		if !s.abs && (s.kind == elf.STT_FUNC || s.kind == symKernel) {
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b Symbol) int {
		return cmp.Or(cmp.Compare(a.VAddr, b.VAddr), cmp.Compare(b.Size, a.Size))
	})
	apart := all[:0]
	for _, s := range all {
		if n := len(apart); n > 0 {
			last := &apart[n-1]
			if s.VAddr == last.VAddr || s.VAddr-last.VAddr < last.Size {
				continue
			}
			if last.Size == 0 {
				last.Size = s.VAddr - last.VAddr
			}
		}
		apart = append(apart, s)
	}
	if n := len(apart); n > 0 && apart[n-1].Size == 0 {
		apart[n-1].Size = -apart[n-1].VAddr
	}
	return apart
}
