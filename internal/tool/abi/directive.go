package abi

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
)

// Directive returns what follows the first directive in a text that has one of some names, such as
// ".amdgcn_target", and begins its line. found is false if there is none.
func Directive(src string, names ...string) (operands string, found bool) {
	for line := range strings.Lines(src) {
		line = strings.TrimSpace(line)
		if end := strings.IndexAny(line, " \t"); slices.Contains(names, line[:max(end, 0)]) {
			return strings.TrimSpace(line[end:]), true
		} else if slices.Contains(names, line) {
			return "", true
		}
	}
	return "", false
}

// TargetOf returns the processor that a directive of a text names, as those do that compilers
// write, so that one need not say for which target to assemble it. ok is false if none names a
// GCN processor. The directives are .amdgcn_target "amdgcn-amd-amdhsa--gfx900:xnack+", and in code
// objects of version 2 .hsa_code_object_isa 8,0,3,"AMD","AMDGPU".
func TargetOf(src string) (t gcn.Target, ok bool) {
	if id, found := Directive(src, ".amdgcn_target"); found && Processor(id) != "" {
		t, err := gcn.ParseTarget(Processor(id))
		return t, err == nil
	}
	version, found := version(src)
	if !found {
		return 0, false
	}
	var v [3]int
	for i := range v {
		v[i], _ = strconv.Atoi(version[i]) // digits; too many are no version
	}
	t, _, ok = TargetByVersion(v)
	return t, ok
}

// TargetID returns the target id that a directive of a text names, "" if none does: one of those of
// [TargetOf], or .amd_amdgpu_isa "amdgcn-amd-amdhsa--gfx803".
func TargetID(src string) string {
	id, _ := Directive(src, ".amdgcn_target", ".amd_amdgpu_isa")
	if _, id, found := strings.Cut(id, `"`); found {
		id, _, _ = strings.Cut(id, `"`)
		return id
	}
	if version, found := version(src); found {
		return VersionID(version[0] + version[1] + version[2])
	}
	return ""
}

// version returns the three numbers by which a text of version 2 names its processor.
func version(src string) (v [3]string, found bool) {
	operands, _ := Directive(src, ".hsa_code_object_isa")
	list := strings.Split(operands, ",")
	for i := range min(len(list), len(v)) {
		v[i] = strings.TrimSpace(list[i])
	}
	return v, !slices.ContainsFunc(v[:], func(n string) bool { return n == "" || strings.Trim(n, "0123456789") != "" })
}

// Processor returns the name of the processor in a target id, such as gfx900; "" if there is none.
func Processor(id string) string {
	at := strings.LastIndex(id, "-gfx")
	if at < 0 {
		return ""
	}
	name := id[at+1:]
	return name[:len(name)-len(strings.TrimLeft(name[len("gfx"):], "0123456789abcdef"))]
}

// VersionID returns the target id of a processor that version 2 of code objects names by three
// numbers, written one after another.
func VersionID(digits string) string { return "amdgcn-amd-amdhsa--gfx" + digits }

// XNACKByName reports whether the processor of a target id of version 2 is one with XNACK on: see
// [TargetByVersion].
func XNACKByName(id string) bool {
	return slices.Contains([]string{"gfx901", "gfx903", "gfx905", "gfx907"}, Processor(id))
}
