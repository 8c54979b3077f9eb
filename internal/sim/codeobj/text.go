package codeobj

import (
	"cmp"
	"debug/elf"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
)

// Text is a section of machine code.
type Text struct {
	Name   string
	Addr   uint64 // address of the first byte; 0 in an unlinked object
	Data   []byte
	Labels []Label // ordered by offset
	Linked bool    // the file is linked, so that addresses are final

	lines *lines
}

// Label names a position in a section.
type Label struct {
	Name   string
	Offset uint64 // offset in bytes
	Data   uint64 // number of bytes at the label that are data: the description of a kernel in v2
}

// ReadText returns the machine code sections of an AMDGPU ELF file, linked or not, for any operating system. The
// error is an *[Error].
func ReadText(data []byte) (gcn.Target, []Text, error) {
	t, texts, err := readText(data)
	if err != nil {
		return 0, nil, err
	}
	return t, texts, nil
}

func readText(data []byte) (gcn.Target, []Text, *Error) {
	f, err := openAMDGPU(data)
	if err != nil {
		return 0, nil, err
	}
	version := 0
	if f.OSABI == osabiHSA && int(f.ABIVersion) < len(versionByABI) {
		version = versionByABI[f.ABIVersion]
	}
	notes, err := readNotes(f)
	if err != nil {
		return 0, nil, err
	}
	t, err := target(version, f.mach(), notes)
	if err != nil {
		return 0, nil, err
	}
	symbols := map[elf.SectionIndex][]elf.Symbol{}
	for _, is := range []elf.SectionType{elf.SHT_SYMTAB, elf.SHT_DYNSYM} {
		table, _ := f.symbols(is) // an error means that there are no labels
		for _, s := range table {
			symbols[s.Section] = append(symbols[s.Section], s)
		}
	}
	var texts []Text
	whole, _ := f.symbols(elf.SHT_SYMTAB) // an error means that unlinked code has no lines
	lines := f.lines(whole)
	for i, s := range f.Sections {
		if s.Type != elf.SHT_PROGBITS || s.Flags&elf.SHF_EXECINSTR == 0 {
			continue
		}
		code, ok := slice(f.data, s.Offset, s.FileSize)
		if !ok {
			return 0, nil, errorf(s.Name, adviseRebuild, "%d bytes at file offset 0x%x are beyond the end of the file",
				s.FileSize, s.Offset)
		}
		texts = append(texts, Text{s.Name, s.Addr, code, labels(&f.Sections[i], symbols[elf.SectionIndex(i)]),
			f.Type != elf.ET_REL, lines})
	}
	if len(texts) == 0 {
		return 0, nil, errorf("section headers", adviseRebuild, "there is no section with code")
	}
	return t, texts, nil
}

// labels returns the symbols of section s.
func labels(s *elf.SectionHeader, symbols []elf.Symbol) []Label {
	var all []Label
	for _, sym := range symbols {
		kind := elf.ST_TYPE(sym.Info)
		if sym.Name == "" || kind == elf.STT_SECTION || kind == elf.STT_FILE {
			continue
		}
		if off := sym.Value - s.Addr; off < s.FileSize {
			l := Label{Name: sym.Name, Offset: off}
			if kind == symKernel {
				l.Data = kernelCode.size
			}
			all = append(all, l)
		}
	}
	slices.SortStableFunc(all, func(a, b Label) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset),
			cmp.Compare(a.Name, b.Name))
	})
	return slices.Compact(all)
}
