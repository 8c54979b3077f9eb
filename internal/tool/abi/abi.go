// Package abi maps the numbers in code objects to processors. Source: LLVM AMDGPUUsage.
package abi

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// TargetByMach returns the processor for an EF_AMDGPU_MACH number.
func TargetByMach(mach uint8) (gcn.Target, bool) {
	return find(func(t *isa.Traits) bool { return t.Mach == mach })
}

// TargetByVersion returns the processor for the three version numbers of code object version 2. An odd stepping of
// 9.0 means that XNACK is on: 9.0.1 is gfx900 with XNACK. Source: "Target ID", code object V2.
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
