package format

import "github.com/gcnsim/gcnsim/gcn"

// Select is DST_SEL: what each register component takes.
type Select [MaxComponents]gcn.Sel

// Absent is the source of a component that none selects.
const Absent = -1

// Load returns what register component i takes of an element of f: component from, or if
// that is Absent the constant fill. Components that the format does not have and the
// undefined selectors 2 and 3 are 0 (rules DP14 and DP2).
func (s *Select) Load(f *Format, i int) (from int, fill uint32) {
	switch sel := s[i]; {
	case sel >= gcn.SelR && int(sel-gcn.SelR) < f.Components:
		return int(sel - gcn.SelR), 0
	case sel == gcn.Sel1:
		return Absent, f.One
	}
	return Absent, 0
}

// Store returns which of count register components component c in memory takes: the lowest
// that selects it, Absent if none does; then it is 0 (rule DP2).
func (s *Select) Store(c, count int) int {
	for i := range min(count, MaxComponents) {
		if s[i] == gcn.SelR+gcn.Sel(c) {
			return i
		}
	}
	return Absent
}
