// Package abi tells processors by the numbers that code objects have for them. Source: LLVM
// AMDGPUUsage.
package abi

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// TargetByMach returns the processor of an EF_AMDGPU_MACH number.
func TargetByMach(mach uint8) (gcn.Target, bool) {
	return find(func(t *isa.Traits) bool { return t.Mach == mach })
}

// TargetByVersion returns the processor that code objects of version 2 name by three numbers.
// An odd stepping of 9.0 says that XNACK is on, as in 9.0.1 of gfx900. Source: "Target ID",
// code object V2.
func TargetByVersion(version [3]int) (t gcn.Target, xnackOn, ok bool) {
	if version[0] == 9 && version[1] == 0 && version[2] < 8 {
		xnackOn = version[2]&1 != 0
		version[2] &^= 1
	}
	t, ok = find(func(t *isa.Traits) bool { return t.Version == version })
	return t, xnackOn && ok, ok
}

func find(is func(*isa.Traits) bool) (gcn.Target, bool) {
	for t := range gcn.Target(gcn.NumTargets) {
		if is(isa.TraitsOf(t)) {
			return t, true
		}
	}
	return 0, false
}
