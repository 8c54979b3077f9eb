package codeobj

import (
	"cmp"
	"debug/elf"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/tool/abi"
)

// IsAssembly reports whether data is the assembly text of a code object: it describes a kernel, as the output of
// clang -S for amdhsa does.
func IsAssembly(data []byte) bool {
	_, found := abi.Directive(string(data), ".amdhsa_kernel", ".amdgpu_hsa_kernel", ".amd_kernel_code_t")
	return found
}

// TextFile is the file name that [Object.Line] returns for an assembly text, whose own name is unknown.
const TextFile = "assembly"

// assemblyBase is the address of the first word of a text. It is not 0, so that no symbol has address 0.
const assemblyBase = linkAlign

// assemble returns the object that an assembler and a linker would make of a text with kernels.
func assemble(data []byte) (*Object, *Error) {
	const where = "assembly"
	src := string(data)
	o := &Object{}
	var ok bool
	if o.Target, ok = abi.TargetOf(src); !ok {
		return nil, errorf(where, `write .amdgcn_target "amdgcn-amd-amdhsa--gfx803", as compilers do`,
			"no directive says for which GCN processor it is")
	}
	p, err := asm.Assemble(o.Target, src, asm.LLVM)
	if err != nil {
		return nil, &Error{Where: where, What: err.Error(), Err: err}
	}
	o.Version = 5
	operands, _ := abi.Directive(src, ".amdhsa_code_object_version") // LLVM 18 and later emit it
	if v, _, _ := strings.Cut(operands, " "); len(v) == 1 && "3" <= v && v <= "6" {
		o.Version = int(v[0] - '0')
	}
	if slices.ContainsFunc(p.Kernels, func(k asm.Kernel) bool { return k.CodeT }) {
		o.Version = 2
	}
	o.features = idFeatures(o.Version, abi.TargetID(src))
	o.segments = assembledSegments(p)
	o.symbols = assembledSymbols(p)
	o.lines = assembledLines(p)
	for _, place := range p.Relocs {
		r := reloc{kind: relativeKind, rebased: true}
		if err := r.locate(o, assemblyBase+uint64(place)); err != nil {
			return nil, errorf(where, "", "%v", err)
		}
		r.addend = int64(le.Uint64(o.segments[r.seg].Data[r.off:])) + assemblyBase
		o.relocs = append(o.relocs, r)
	}
	md, failed := readYAML(p.Metadata, o.Version)
	if failed != nil {
		return nil, failed
	}
	return o, o.readKernels(md)
}

// assembledSegments returns the segments of p: code, read-only data and writable data.
func assembledSegments(p *asm.Program) []Segment {
	code := make([]byte, 0, 4*len(p.Words))
	for _, w := range p.Words {
		code = le.AppendUint32(code, w)
	}
	all := []Segment{{VAddr: assemblyBase, Data: code, Exec: true}}
	for _, s := range p.Sections {
		at := assemblyBase + uint64(s.Offset)
		last := &all[len(all)-1]
		if last.Exec || last.Write != s.Write {
			all = append(all, Segment{VAddr: at, Write: s.Write})
			last = &all[len(all)-1]
		}
		gap := at - last.VAddr - uint64(len(last.Data))
		last.Data = append(append(last.Data, make([]byte, gap)...), s.Data...)
	}
	for i := range all {
		all[i].MemSize = uint64(len(all[i].Data))
	}
	return all
}

// Prefixes of labels that are not symbols of an object, and of labels that mark the end of a function.
const (
	localPrefix = ".L"
	endPrefix   = ".Lfunc_end"
)

// assembledSymbols returns the labels of p that are symbols of an object, sorted by name.
func assembledSymbols(p *asm.Program) []Symbol {
	var ends []uint64
	for name, at := range p.Labels {
		if strings.HasPrefix(name, endPrefix) {
			ends = append(ends, uint64(at))
		}
	}
	slices.Sort(ends)
	var all []Symbol
	add := func(name string, at int, kind elf.SymType) *Symbol {
		if !strings.HasPrefix(name, localPrefix) {
			all = append(all, Symbol{Name: name, VAddr: assemblyBase + uint64(at), kind: kind})
			return &all[len(all)-1]
		}
		return &Symbol{}
	}
	kernels := map[string]asm.Kernel{}
	for _, k := range p.Kernels {
		if k.CodeT {
			kernels[k.Name] = k
			add(k.Name, k.Descriptor, symKernel).Size = kernelCode.size
		} else {
			kernels[k.Name+descriptorName] = k
			add(k.Name+descriptorName, k.Descriptor, elf.STT_OBJECT).Size = kernelDescriptor.size
		}
	}
	for name, at := range p.Labels {
		if _, known := kernels[name]; known {
			continue
		}
		s := add(name, at, elf.STT_FUNC)
		if i, _ := slices.BinarySearch(ends, uint64(at)); i < len(ends) {
			s.Size = ends[i] - uint64(at)
		}
	}
	for _, section := range p.Sections {
		for name, at := range section.Labels {
			if _, known := kernels[name]; !known {
				add(name, at, elf.STT_OBJECT)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Symbol) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// assembledLines returns the text line of each instruction.
func assembledLines(p *asm.Program) *lines {
	l := &lines{files: []string{TextFile}}
	for _, line := range p.Lines {
		row := lineRow{addr: assemblyBase + uint64(line.Offset), line: int32(line.Line)}
		if n := len(l.rows); n > 0 && l.rows[n-1].addr == row.addr {
			l.rows[n-1] = row
			continue
		}
		l.rows = append(l.rows, row)
	}
	l.rows = append(l.rows, lineRow{addr: assemblyBase + uint64(4*len(p.Words)), line: -1})
	l.once.Do(func() {}) // the lines are complete: mark them as read
	return l
}

// readYAML returns the kernels in the metadata of a text, none if it has no metadata.
func readYAML(text string, version int) ([]kernelMeta, *Error) {
	const where = "metadata"
	root, err := unmarshalYAML(text)
	if err != nil {
		return nil, &Error{where, err.Error(), "", err}
	}
	sp := &msgpackSpelling
	if version == 2 {
		sp = &yamlSpelling
	}
	return kernelsOf(root, sp, where)
}
