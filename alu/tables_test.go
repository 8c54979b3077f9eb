package alu

import (
	"testing"

	"github.com/gcnsim/gcnsim/gcn"
)

// TestKeysNameRows finds operations that no row would ever use.
func TestKeysNameRows(t *testing.T) {
	check := func(table, name string, used bool) {
		if !used {
			t.Errorf("%s: %q names no row", table, name)
		}
	}
	uses(t, "scalarOps", scalarOps, func(op gcn.Op) bool { return scalarTable[op] != nil }, check)
	uses(t, "execMaskOps", execMaskOps, func(op gcn.Op) bool { return maskTable[op].op != nil }, check)
	uses(t, "controls", controls, func(op gcn.Op) bool { return controlTable[op] != nil }, check)
	uses(t, "lanesOps", lanesOps, func(op gcn.Op) bool { return lanesTable[op] != nil }, check)
	uses(t, "f32Conversions", f32Conversions, func(op gcn.Op) bool { return lanesTable[op] != nil }, check)
	uses(t, "f32Ops", f32Ops, func(op gcn.Op) bool { return maskedTable[op] != nil }, check)
	uses(t, "f64Ops", f64Ops, func(op gcn.Op) bool { return maskedTable[op] != nil }, check)
	uses(t, "pairsOps", pairsOps, func(op gcn.Op) bool { return pairsTable[op] != nil }, check)
	uses(t, "bitOps", bitOps, func(op gcn.Op) bool { return lanesTable[op] != nil }, check)
	uses(t, "sadOps", sadOps, func(op gcn.Op) bool { return pairsTable[op] != nil }, check)
	uses(t, "saturatedOps", saturatedOps, func(op gcn.Op) bool { return saturatedTable[op] != nil }, check)
	uses(t, "saturatedCarryOps", saturatedCarryOps, func(op gcn.Op) bool { return saturatedCarryTable[op] != nil }, check)
	uses(t, "carryOps", carryOps, func(op gcn.Op) bool { return carryTable[op] != nil }, check)
	uses(t, "laneOps", laneOps, func(op gcn.Op) bool { return laneTable[op] != nil }, check)
}

func uses[T any](t *testing.T, table string, keyed map[string]T, resolved func(gcn.Op) bool, check func(table, name string, used bool)) {
	t.Helper()
	for name := range keyed {
		used := false
		for _, op := range gcn.Ops(name) {
			used = used || resolved(op)
		}
		check(table, name, used)
	}
}
