package abi

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
)

// Directive returns the operands of the first directive in a text that has one of the names, such as
// ".amdgcn_target", at the start of its line. found is false if there is none.
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

// TargetOf returns the processor that a directive in a text names, so that users of compilers' output need not give
// one. ok is false if no directive names a GCN processor. The directives are .amdgcn_target
// "amdgcn-amd-amdhsa--gfx900:xnack+", and .hsa_code_object_isa 8,0,3,"AMD","AMDGPU" of code object version 2.
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
		v[i], _ = strconv.Atoi(version[i]) // the text consists of digits; an overflow is not a version
	}
	t, _, ok = TargetByVersion(v)
	return t, ok
}

// TargetID returns the target id that a directive in a text names, or "". The directives are those of [TargetOf] and
// .amd_amdgpu_isa "amdgcn-amd-amdhsa--gfx803".
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

// version returns the three numbers that name the processor in a text of code object version 2.
func version(src string) (v [3]string, found bool) {
	operands, _ := Directive(src, ".hsa_code_object_isa")
	list := strings.Split(operands, ",")
	for i := range min(len(list), len(v)) {
		v[i] = strings.TrimSpace(list[i])
	}
	return v, !slices.ContainsFunc(v[:], func(n string) bool { return n == "" || strings.Trim(n, "0123456789") != "" })
}

// Processor returns the name of the processor in a target id, such as gfx900, or "".
func Processor(id string) string {
	at := strings.LastIndex(id, "-gfx")
	if at < 0 {
		return ""
	}
	name := id[at+1:]
	return name[:len(name)-len(strings.TrimLeft(name[len("gfx"):], "0123456789abcdef"))]
}

// VersionID returns the target id for the three version numbers of code object version 2, which are concatenated in
// digits.
func VersionID(digits string) string { return "amdgcn-amd-amdhsa--gfx" + digits }

// XNACKByName reports whether the processor in a target id of version 2 means that XNACK is on: see
// [TargetByVersion].
func XNACKByName(id string) bool {
	return slices.Contains([]string{"gfx901", "gfx903", "gfx905", "gfx907"}, Processor(id))
}
