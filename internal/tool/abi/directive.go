package abi

import (
	"regexp"
	"strconv"

	"github.com/gcnsim/gcnsim/gcn"
)

// How compilers name the processor of a text: .amdgcn_target "amdgcn-amd-amdhsa--gfx900:xnack+",
// and in code objects of version 2 .hsa_code_object_isa 8,0,3,"AMD","AMDGPU" and .amd_amdgpu_isa
// "amdgcn-amd-amdhsa--gfx803".
var (
	idDirective      = regexp.MustCompile(`(?m)^\s*\.(?:amdgcn_target|amd_amdgpu_isa)\s+"([^"]*)"`)
	targetDirective  = regexp.MustCompile(`(?m)^\s*\.amdgcn_target\s+"[^"]*--?(gfx[0-9a-f]+)`)
	versionDirective = regexp.MustCompile(`(?m)^\s*\.hsa_code_object_isa\s+(\d+),\s*(\d+),\s*(\d+)`)
)

// TargetOf returns the processor that a directive of a text names, as those do that compilers
// write, so that one need not say for which target to assemble it. ok is false if none names a
// GCN processor.
func TargetOf(src string) (t gcn.Target, ok bool) {
	if name := targetDirective.FindStringSubmatch(src); name != nil {
		t, err := gcn.ParseTarget(name[1])
		return t, err == nil
	}
	version := versionDirective.FindStringSubmatch(src)
	if version == nil {
		return 0, false
	}
	var v [3]int
	for i := range v {
		v[i], _ = strconv.Atoi(version[1+i]) // digits; too many are no version
	}
	t, _, ok = TargetByVersion(v)
	return t, ok
}

// TargetID returns the target id that a directive of a text names, "" if none does.
func TargetID(src string) string {
	if id := idDirective.FindStringSubmatch(src); id != nil {
		return id[1]
	}
	version := versionDirective.FindStringSubmatch(src)
	if version == nil {
		return ""
	}
	return VersionID(version[1] + version[2] + version[3])
}

// oddProcessor is a processor of version 2 of code objects that has XNACK on.
var oddProcessor = regexp.MustCompile(`-gfx90[1357]\b`)

// VersionID returns the target id of a processor that version 2 of code objects names by three
// numbers, written one after another.
func VersionID(digits string) string { return "amdgcn-amd-amdhsa--gfx" + digits }

// XNACKByName reports whether the processor of a target id of version 2 is one with XNACK on: see
// [TargetByVersion].
func XNACKByName(id string) bool { return oddProcessor.MatchString(id) }
