package executor

import (
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
)

// ReservedSel reports whether a component of DST_SEL has a reserved code (rule DP14).
func ReservedSel(sel [4]gcn.Sel) bool {
	return slices.ContainsFunc(sel[:], func(c gcn.Sel) bool { return c > gcn.Sel1 && c < gcn.SelR })
}
