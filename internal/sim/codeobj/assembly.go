package codeobj

import (
	"cmp"
	"debug/elf"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/tool/abi"
)

// IsAssembly reports whether data is the text of a code object: it describes a kernel, as those
// do that clang -S writes for amdhsa.
func IsAssembly(data []byte) bool {
	_, found := abi.Directive(string(data), ".amdhsa_kernel", ".amdgpu_hsa_kernel", ".amd_kernel_code_t")
	return found
}

// TextFile is the file name that [Object.Line] returns for an assembly text, which does not know its own name.
const TextFile = "assembly"

// assemblyBase is where the first word of a text lies, so that nothing is at address 0.
const assemblyBase = linkAlign

// assemble makes an object of the text of a program with kernels, as a linker would of what an
// assembler makes of it.
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
	operands, _ := abi.Directive(src, ".amdhsa_code_object_version") // from LLVM 18 on
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

// assembledSegments returns the code of p, then its data: what is written apart from what is
// only read.
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

// Prefixes of labels that are no symbols of an object, and of those that mark the end of a
// function.
const (
	localPrefix = ".L"
	endPrefix   = ".Lfunc_end"
)

// assembledSymbols returns the labels of p that an object has as symbols, sorted by name.
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

// assembledLines says which line of the text each instruction is.
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
	l.once.Do(func() {}) // they have been read
	return l
}

// readYAML returns the kernels that the metadata of a text names, none if there is none.
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
