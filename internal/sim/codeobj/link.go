package codeobj

import (
	"debug/elf"
	"slices"
)

// link assigns addresses to the sections of a relocatable object, as a linker does for a single object: read-only
// sections, then code, then writable sections, each group on its own pages. It applies relative relocations and
// leaves the others to [Load]. It returns the symbols with their addresses.
func (o *Object) link(f *elfFile) ([]elf.Symbol, *Error) {
	symbols, err := f.symbols(elf.SHT_SYMTAB)
	if err != nil {
		return nil, err
	}
	l := &linker{o: o, f: f, addr: make([]uint64, len(f.Sections)), got: map[uint64]uint64{}}
	if err := l.place(); err != nil {
		return nil, err
	}
	for i := range symbols {
		if s := &symbols[i]; l.placed(uint32(s.Section)) {
			s.Value += l.addr[s.Section]
		}
	}
	o.lines = f.lines(symbols)
	if o.relocs, err = o.readRelocs(f, symbols, l); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(symbols, func(s elf.Symbol) bool {
		return s.Section != elf.SHN_ABS && !l.placed(uint32(s.Section))
	}), o.settle()
}

// linker is the state of link for one object.
type linker struct {
	o    *Object
	f    *elfFile
	addr []uint64          // address of each section; 0 if it has none
	got  map[uint64]uint64 // addresses of slots of the global offset table, by symbol number
}

// linkAlign is the alignment of segments and the address of the first one, so that no section is at 0.
const linkAlign = 0x1000

// maxGaps is the largest growth by alignment, in multiples of the file's size.
const maxGaps = 16

// placed reports whether section n has an address.
func (l *linker) placed(n uint32) bool { return uint64(n) < uint64(len(l.addr)) && l.addr[n] != 0 }

// place computes the segments and the addresses of sections.
func (l *linker) place() *Error {
	total, gaps := sum{most: maxImage}, sum{most: maxGaps * uint64(len(l.f.data))}
	end := uint64(linkAlign)
	for _, flags := range []elf.SectionFlag{0, elf.SHF_EXECINSTR, elf.SHF_WRITE} {
		seg := Segment{VAddr: end, Exec: flags == elf.SHF_EXECINSTR, Write: flags == elf.SHF_WRITE}
		for _, empty := range []bool{false, true} { // sections without data in the file come last
			for i := range l.f.Sections {
				s := &l.f.Sections[i]
				if s.Flags&elf.SHF_ALLOC == 0 || s.Size == 0 || s.Type == elf.SHT_NOTE || segmentFlag(s.Flags) != flags ||
					empty != (s.Type == elf.SHT_NOBITS) {
					continue
				}
				align := max(s.Addralign, 4)
				if align&(align-1) != 0 || align > linkAlign {
					return errorf(s.Name, adviseLink, "its alignment is %d", s.Addralign)
				}
				at := (seg.MemSize + align - 1) &^ (align - 1)
				if !total.add(s.Size) || !gaps.add(at-seg.MemSize) {
					return errorf(s.Name, adviseRebuild, "the sections up to it have %d bytes; they may have %d", total.bytes,
						total.most)
				}
				if !empty {
					data, ok := slice(l.f.data, s.Offset, s.Size)
					if !ok {
						return errorf(s.Name, adviseRebuild, "%d bytes at file offset 0x%x are beyond the end of the file", s.Size,
							s.Offset)
					}
					seg.Data = append(append(seg.Data, make([]byte, at-uint64(len(seg.Data)))...), data...)
				}
				l.addr[i] = seg.VAddr + at
				seg.MemSize = at + s.Size
			}
		}
		if seg.MemSize > 0 {
			l.o.segments = append(l.o.segments, seg)
			end = (seg.VAddr + seg.MemSize + linkAlign - 1) &^ (linkAlign - 1)
		}
	}
	if len(l.o.segments) == 0 {
		return errorf("section headers", adviseRebuild, "no section is to be loaded")
	}
	return nil
}

// segmentFlag returns the flags that select the segment of a section.
func segmentFlag(flags elf.SectionFlag) elf.SectionFlag {
	if flags&elf.SHF_EXECINSTR != 0 {
		return elf.SHF_EXECINSTR
	}
	return flags & elf.SHF_WRITE
}

// slot returns the address of the symbol's slot in the global offset table, and whether the slot is new.
func (l *linker) slot(symbol uint64) (addr uint64, first bool) {
	if addr, ok := l.got[symbol]; ok {
		return addr, false
	}
	table := &l.o.segments[len(l.o.segments)-1]
	if len(l.got) == 0 {
		end := table.VAddr + table.MemSize
		l.o.segments = append(l.o.segments, Segment{VAddr: (end + linkAlign - 1) &^ (linkAlign - 1)})
		table = &l.o.segments[len(l.o.segments)-1]
	}
	addr = table.VAddr + table.MemSize
	table.Data = append(table.Data, make([]byte, slotBytes)...)
	table.MemSize += slotBytes
	l.got[symbol] = addr
	return addr, true
}

// slotBytes is the size of a slot of the global offset table.
const slotBytes = 8

// settle applies the relocations that do not depend on the load address, and keeps the others.
func (o *Object) settle() *Error {
	left := o.relocs[:0]
	for i := range o.relocs {
		r := &o.relocs[i]
		if !r.kind.pcrel || !r.rebased {
			left = append(left, *r)
		} else if err := r.apply(o.segments, 0); err != nil {
			return err
		}
	}
	o.relocs = left
	return nil
}
