package codeobj

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
)

// spelling has the key names of a metadata version; an empty name means that the version lacks the key. Sources:
// AMDGPUUsage, "Code Object V2 Metadata" and "Code Object V3 Metadata" (v4 and v5 add values and no keys).
type spelling struct {
	kernels, name, symbol, args             string
	groups                                  []string // maps inside of a kernel's map that are read as parts of it
	kernargSize, flat, reqd, stack, uniform string

	argName, size, offset, align, valueKind, typeName, space, pointeeAlign, restrict, access string
	kindColumn                                                                               int // column of argKindNames
}

var yamlSpelling = spelling{
	kernels: "Kernels", name: "Name", symbol: "SymbolName", args: "Args", groups: []string{"CodeProps", "Attrs"},
	kernargSize: "KernargSegmentSize", flat: "MaxFlatWorkGroupSize", reqd: "ReqdWorkGroupSize",
	stack:   "IsDynamicCallStack",
	argName: "Name", size: "Size", align: "Align", valueKind: "ValueKind", typeName: "TypeName",
	space: "AddrSpaceQual", pointeeAlign: "PointeeAlign", restrict: "IsRestrict", access: "ActualAccQual", kindColumn: 1,
}

var msgpackSpelling = spelling{
	kernels: "amdhsa.kernels", name: ".name", symbol: ".symbol", args: ".args",
	kernargSize: ".kernarg_segment_size", flat: ".max_flat_workgroup_size", reqd: ".reqd_workgroup_size",
	stack: ".uses_dynamic_stack", uniform: ".uniform_work_group_size",
	argName: ".name", size: ".size", offset: ".offset", valueKind: ".value_kind", typeName: ".type_name",
	space: ".address_space", pointeeAlign: ".pointee_align", restrict: ".is_restrict", access: ".actual_access",
	kindColumn: 0,
}

// kind returns the argument kind with the version's spelling s.
func (sp *spelling) kind(s string) (ArgKind, bool) {
	for k := range numArgKinds {
		if k.names()[sp.kindColumn] == s && s != "" {
			return k, true
		}
	}
	return 0, false
}

// kernelMeta holds the metadata of one kernel.
type kernelMeta struct {
	name, symbol     string
	args             []Arg
	kernargBytes     uint32
	reqd             [3]uint32
	maxFlat          uint32
	uniformGroups    bool
	usesDynamicStack bool
}

// maxKernarg bounds the size of a kernarg segment in bytes. Compilers lay out far smaller ones.
const maxKernarg = 1 << 20

// readMetadata returns the kernels in the metadata note, none if there is no note.
func readMetadata(version int, notes []note) ([]kernelMeta, *Error) {
	var root any
	var err error
	sp, where := &msgpackSpelling, "note NT_AMDGPU_METADATA"
	if version == 2 {
		sp, where = &yamlSpelling, "note NT_AMD_HSA_METADATA"
		desc, _ := findNote(notes, ownerV2, noteMetadataV2)
		root, err = unmarshalYAML(string(desc))
	} else if desc, ok := findNote(notes, ownerV3, noteMetadata); ok {
		root, err = unmarshalMsgpack(desc)
	}
	if err != nil {
		return nil, &Error{where, err.Error(), adviseRebuild, err}
	}
	return kernelsOf(root, sp, where)
}

// kernelsOf returns the kernels in decoded metadata, none if root is nil.
func kernelsOf(root any, sp *spelling, where string) ([]kernelMeta, *Error) {
	if root == nil {
		return nil, nil
	}
	r := &metaReader{sp: sp, where: where}
	var all []kernelMeta
	for _, k := range r.list(r.dict(root), sp.kernels) {
		all = append(all, r.kernel(r.dict(k)))
	}
	return all, r.err
}

// metaReader reads values of metadata and keeps the first error.
type metaReader struct {
	sp    *spelling
	where string
	err   *Error
}

func (r *metaReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = errorf(r.where, adviseRebuild, "%s", fmt.Sprintf(format, args...))
	}
}

func (r *metaReader) dict(v any) map[string]any {
	m, ok := v.(map[string]any)
	if !ok {
		r.fail("expected a map, found %v", v)
	}
	return m
}

func (r *metaReader) list(m map[string]any, key string) []any {
	l, ok := m[key].([]any)
	if !ok && m[key] != nil {
		r.fail("%s is not a list", key)
	}
	return l
}

func (r *metaReader) str(m map[string]any, key string) string {
	s, ok := m[key].(string)
	if !ok && m[key] != nil {
		r.fail("%s is not a string", key)
	}
	return s
}

// uint returns an integer, 0 if it is absent. All numbers in a kernel's metadata are sizes or counts that fit 32
// bits.
func (r *metaReader) uint(m map[string]any, key string) uint32 {
	if m[key] == nil {
		return 0
	}
	return r.number(key, m[key])
}

func (r *metaReader) number(key string, v any) uint32 {
	n, ok := v.(uint64)
	if s, isText := v.(string); isText { // the value comes from YAML
		var err error
		n, err = strconv.ParseUint(s, 0, 64)
		ok = err == nil
	}
	if !ok || n > 1<<32-1 {
		r.fail("%s is %v, not a 32-bit unsigned integer", key, v)
	}
	return uint32(n)
}

func (r *metaReader) flag(m map[string]any, key string) bool {
	return m[key] == true || m[key] == "true"
}

func (r *metaReader) kernel(m map[string]any) (k kernelMeta) {
	sp, flat := r.sp, map[string]any{}
	maps.Copy(flat, m)
	for _, g := range sp.groups {
		if m[g] != nil {
			maps.Copy(flat, r.dict(m[g]))
		}
	}
	k.name, k.symbol = r.str(flat, sp.name), r.str(flat, sp.symbol)
	k.kernargBytes = r.uint(flat, sp.kernargSize)
	k.maxFlat = r.uint(flat, sp.flat)
	k.usesDynamicStack = r.flag(flat, sp.stack)
	k.uniformGroups = sp.uniform != "" && r.uint(flat, sp.uniform) != 0
	if reqd := r.list(flat, sp.reqd); len(reqd) == 3 {
		for i := range reqd {
			k.reqd[i] = r.number(sp.reqd, reqd[i])
		}
	} else if len(reqd) != 0 {
		r.fail("kernel %q: %s has %d numbers, not 3", k.name, sp.reqd, len(reqd))
	}
	end := uint64(0)
	for _, v := range r.list(flat, sp.args) {
		a := r.arg(r.dict(v), k.name, uint32(end))
		if end = uint64(a.Offset) + uint64(a.Size); end > maxKernarg {
			r.fail("kernel %q: argument %q ends at byte %d of the kernarg segment", k.name, a.Name, end)
		}
		if r.err != nil {
			break
		}
		k.args = append(k.args, a)
		k.kernargBytes = max(k.kernargBytes, uint32(end))
	}
	if k.kernargBytes > maxKernarg {
		r.fail("kernel %q: %s is %d bytes", k.name, sp.kernargSize, k.kernargBytes)
	}
	return k
}

// arg decodes an argument. end is the size of the arguments before it, because v2 has sizes and alignments instead of
// offsets.
func (r *metaReader) arg(m map[string]any, kernel string, end uint32) (a Arg) {
	sp := r.sp
	a = Arg{
		Name: r.str(m, sp.argName), TypeName: r.str(m, sp.typeName), ValueKind: r.str(m, sp.valueKind),
		addressSpace: r.str(m, sp.space),
		Size:         r.uint(m, sp.size), PointeeAlign: r.uint(m, sp.pointeeAlign),
	}
	// LLVM writes the access that code makes only of pointers that are noalias.
	a.NoAlias = r.flag(m, sp.restrict) || r.str(m, sp.access) != "" || strings.EqualFold(a.addressSpace, "constant")
	var ok bool
	if a.Kind, ok = sp.kind(a.ValueKind); !ok {
		r.fail("kernel %q: argument %q has the unknown %s %q", kernel, a.Name, sp.valueKind, a.ValueKind)
	}
	a.Hidden = a.Kind >= firstHidden
	if sp.offset != "" {
		a.Offset = r.uint(m, sp.offset)
		return a
	}
	if a.align = max(r.uint(m, sp.align), 1); a.align&(a.align-1) != 0 || a.align > 1<<15 {
		r.fail("kernel %q: argument %q has an alignment of %d", kernel, a.Name, a.align)
		return a
	}
	a.Offset = (end + a.align - 1) &^ (a.align - 1)
	return a
}
