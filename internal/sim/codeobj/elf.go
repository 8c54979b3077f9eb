package codeobj

import (
	"debug/elf"
	"strings"
)

// elfFile holds the parts of an ELF file that code objects use. Package elf is not used, because it expects valid
// files: its allocations are not bounded by the size of a malformed file.
type elfFile struct {
	data       []byte
	Type       elf.Type
	Machine    elf.Machine
	OSABI      elf.OSABI
	ABIVersion byte
	Flags      uint32 // e_flags
	Progs      []elf.ProgHeader
	Sections   []elf.SectionHeader
}

// Sizes in bytes of the structures of a 64-bit file. Source: ELF-64 Object File Format.
const (
	headerBytes  = 64
	programBytes = 56
	sectionBytes = 64
	symbolBytes  = 24
)

// readELF reads the headers of a 64-bit little-endian file.
func readELF(data []byte) (*elfFile, *Error) {
	h, ok := slice(data, 0, headerBytes)
	if !ok {
		return nil, errorf(elfHeader, adviseRebuild, "the file has %d bytes, the header %d", len(data), headerBytes)
	}
	if elf.Data(h[elf.EI_DATA]) != elf.ELFDATA2LSB {
		return nil, errorf(elfHeader, adviseRebuild, "this is a big-endian file, code objects are little-endian")
	}
	f := &elfFile{
		data: data, Type: elf.Type(le.Uint16(h[16:])), Machine: elf.Machine(le.Uint16(h[18:])),
		OSABI:      elf.OSABI(h[elf.EI_OSABI]),
		ABIVersion: h[elf.EI_ABIVERSION], Flags: le.Uint32(h[48:]),
	}
	if err := f.readPrograms(le.Uint64(h[32:]), le.Uint16(h[54:]), le.Uint16(h[56:])); err != nil {
		return nil, err
	}
	return f, f.readSections(le.Uint64(h[40:]), le.Uint16(h[58:]), le.Uint16(h[60:]), le.Uint16(h[62:]))
}

// table returns n entries of size bytes at off.
func (f *elfFile) table(where string, off uint64, size uint16, want, n uint64) ([]byte, *Error) {
	if n == 0 {
		return nil, nil
	}
	b, ok := slice(f.data, off, n*want)
	if !ok || uint64(size) != want {
		return nil, errorf(where, adviseRebuild, "%d entries of %d bytes at file offset 0x%x; the file has %d bytes, "+
			"and an entry %d", n, size, off, len(f.data), want)
	}
	return b, nil
}

func (f *elfFile) readPrograms(off uint64, size, n uint16) *Error {
	b, err := f.table("program headers", off, size, programBytes, uint64(n))
	for ; len(b) > 0; b = b[programBytes:] {
		f.Progs = append(f.Progs, elf.ProgHeader{
			Type: elf.ProgType(le.Uint32(b)), Flags: elf.ProgFlag(le.Uint32(b[4:])), Off: le.Uint64(b[8:]),
			Vaddr:  le.Uint64(b[16:]),
			Filesz: le.Uint64(b[32:]), Memsz: le.Uint64(b[40:]), Align: le.Uint64(b[48:]),
		})
	}
	return err
}

// readSections reads n section headers. Section number names contains their names. If there are more than the ELF
// header can count, the number is in the first section header.
func (f *elfFile) readSections(off uint64, size, n, names uint16) *Error {
	const where = "section headers"
	count, section := uint64(n), uint32(names)
	if first, ok := slice(f.data, off, sectionBytes); ok && off > 0 {
		if count == 0 {
			count = le.Uint64(first[32:])
		}
		if elf.SectionIndex(section) == elf.SHN_XINDEX {
			section = le.Uint32(first[40:])
		}
	}
	if count > uint64(len(f.data)) {
		return errorf(where, adviseRebuild, "there are %d in a file of %d bytes", count, len(f.data))
	}
	b, err := f.table(where, off, size, sectionBytes, count)
	if err != nil {
		return err
	}
	nameOf := make([]uint32, 0, count)
	for ; len(b) > 0; b = b[sectionBytes:] {
		nameOf = append(nameOf, le.Uint32(b))
		f.Sections = append(f.Sections, elf.SectionHeader{
			Type: elf.SectionType(le.Uint32(b[4:])), Flags: elf.SectionFlag(le.Uint64(b[8:])), Addr: le.Uint64(b[16:]),
			Offset: le.Uint64(b[24:]), Size: le.Uint64(b[32:]), FileSize: le.Uint64(b[32:]), Link: le.Uint32(b[40:]),
			Info: le.Uint32(b[44:]), Addralign: le.Uint64(b[48:]),
		})
	}
	if len(f.Sections) == 0 || section == uint32(elf.SHN_UNDEF) {
		return nil
	}
	table, err := f.stringTable(where, section)
	if err != nil {
		return err
	}
	for i := range f.Sections {
		if f.Sections[i].Name, err = table.at(where, nameOf[i]); err != nil {
			return err
		}
	}
	return nil
}

// contents returns the bytes of section number n, which must have type is.
func (f *elfFile) contents(where string, n uint32, is elf.SectionType) ([]byte, *Error) {
	if uint64(n) >= uint64(len(f.Sections)) {
		return nil, errorf(where, adviseRebuild, "there is no section %d of %d", n, len(f.Sections))
	}
	s := &f.Sections[n]
	b, ok := slice(f.data, s.Offset, s.FileSize)
	switch {
	case s.Type != is || s.Flags&elf.SHF_COMPRESSED != 0:
		return nil, errorf(where, adviseRebuild, "section %d is of type %v with flags %v, not a plain %v", n, s.Type,
			s.Flags, is)
	case !ok:
		return nil, errorf(where, adviseRebuild, "%d bytes at file offset 0x%x are beyond the end of the file (%d bytes)",
			s.FileSize, s.Offset, len(f.data))
	}
	return b, nil
}

// stringTable is the contents of a string table. Names are substrings of it and are not copied.
type stringTable string

// stringTable returns the string table in section number n.
func (f *elfFile) stringTable(where string, n uint32) (stringTable, *Error) {
	b, err := f.contents(where, n, elf.SHT_STRTAB)
	return stringTable(b), err
}

// maxName bounds the length of a name, so that the time to search for the ends of all names is bounded.
const maxName = 1 << 16

// at returns the string at an offset.
func (t stringTable) at(where string, off uint32) (string, *Error) {
	if uint64(off) < uint64(len(t)) {
		rest := string(t[off:])
		if n := strings.IndexByte(rest[:min(len(rest), maxName)], 0); n >= 0 {
			return rest[:n], nil
		}
	}
	return "", errorf(where, adviseRebuild, "no name of at most %d bytes is at offset %d of a string table of %d bytes",
		maxName, off, len(t))
}

// symbols returns the symbols of the first table of type is, without symbol 0, which is empty; none if there is no
// table.
func (f *elfFile) symbols(is elf.SectionType) ([]elf.Symbol, *Error) {
	for i := range f.Sections {
		s := &f.Sections[i]
		if s.Type != is {
			continue
		}
		where := "symbols"
		if is == elf.SHT_DYNSYM {
			where = "dynamic symbols"
		}
		b, err := f.contents(where, uint32(i), is)
		if err != nil {
			return nil, err
		}
		if len(b)%symbolBytes != 0 {
			return nil, errorf(where, adviseRebuild, "the table has %d bytes, a symbol %d", len(b), symbolBytes)
		}
		names, err := f.stringTable(where, s.Link)
		if err != nil {
			return nil, err
		}
		var all []elf.Symbol
		for b = b[min(symbolBytes, len(b)):]; len(b) > 0; b = b[symbolBytes:] {
			name, err := names.at(where, le.Uint32(b))
			if err != nil {
				return nil, err
			}
			all = append(all, elf.Symbol{
				Name: name, Info: b[4], Other: b[5], Section: elf.SectionIndex(le.Uint16(b[6:])), Value: le.Uint64(b[8:]),
				Size: le.Uint64(b[16:]),
			})
		}
		return all, nil
	}
	return nil, nil
}

// sum limits a sum of sizes, such as to the file's size. Without it, data to which many headers point would be read
// as many times.
type sum struct{ bytes, most uint64 }

// add adds n and reports whether the sum is within the limit.
func (s *sum) add(n uint64) bool {
	s.bytes += min(n, s.most+1)
	return s.bytes <= s.most
}
