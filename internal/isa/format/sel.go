package format

import "github.com/gcnsim/gcnsim/gcn"

// Select is DST_SEL: the source of each register component.
type Select [MaxComponents]gcn.Sel

// Absent is the source of a component that has none.
const Absent = -1

// Load returns the source of register component i for an element of f: component from or, if that is Absent, the
// constant fill. Components that the format lacks and the undefined selectors 2 and 3 are 0 (rules DP14 and DP2).
func (s *Select) Load(f *Format, i int) (from int, fill uint32) {
	switch sel := s[i]; {
	case sel >= gcn.SelR && int(sel-gcn.SelR) < f.Components:
		return int(sel - gcn.SelR), 0
	case sel == gcn.Sel1:
		return Absent, f.One
	}
	return Absent, 0
}

// Store returns which of count register components is stored to component c in memory: the lowest one that selects
// it, or Absent, which stores 0 (rule DP2).
func (s *Select) Store(c, count int) int {
	for i := range min(count, MaxComponents) {
		if s[i] == gcn.SelR+gcn.Sel(c) {
			return i
		}
	}
	return Absent
}
