package codeobj

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sort"
)

var le = binary.LittleEndian

// Segment is a range of memory that a code object requires.
type Segment struct {
	VAddr       uint64
	Data        []byte // initial contents; zeros follow up to MemSize
	MemSize     uint64 // size in bytes
	Exec, Write bool
	// Relocated is set if Data from [Load] differs from the contents of the file.
	Relocated bool
}

// maxAddress bounds the addresses of a code object, maxImage the total bytes of its segments. Larger values come from
// a damaged header.
const (
	maxAddress = 1 << 32
	maxImage   = 1 << 30
)

// loadSegments returns the PT_LOAD segments by address.
func loadSegments(f *elfFile) ([]Segment, *Error) {
	const where = "program headers"
	var segs []Segment
	total := sum{most: maxImage}
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD {
			continue
		}
		b, ok := slice(f.data, p.Off, p.Filesz)
		if !ok {
			return nil, errorf(where, adviseRebuild, "segment at 0x%x: %d bytes at file offset 0x%x are beyond the end of "+
				"the file (%d bytes)", p.Vaddr, p.Filesz, p.Off, len(f.data))
		}
		exec := p.Flags&elf.PF_X != 0
		switch {
		case p.Memsz < p.Filesz || p.Memsz > maxAddress || p.Vaddr > maxAddress-p.Memsz:
			return nil, errorf(where, adviseRebuild, "segment at 0x%x has a size of %d bytes in memory, %d in the file",
				p.Vaddr, p.Memsz, p.Filesz)
		case !total.add(p.Memsz):
			return nil, errorf(where, adviseRebuild, "the segments up to that at 0x%x have %d bytes in memory; they may "+
				"have %d", p.Vaddr, total.bytes, total.most)
		case exec && p.Vaddr%4 != 0:
			return nil, errorf(where, adviseRebuild, "the code at 0x%x is not aligned to 4 bytes", p.Vaddr)
		}
		if p.Memsz > 0 {
			segs = append(segs, Segment{VAddr: p.Vaddr, Data: b, MemSize: p.Memsz, Exec: exec, Write: p.Flags&elf.PF_W != 0})
		}
	}
	if len(segs) == 0 {
		return nil, errorf(where, adviseLink, "no segment is to be loaded")
	}
	sort.SliceStable(segs, func(i, j int) bool { return segs[i].VAddr < segs[j].VAddr })
	for i := 1; i < len(segs); i++ {
		if segs[i].VAddr < segs[i-1].VAddr+segs[i-1].MemSize {
			return nil, errorf(where, adviseRebuild, "segments at 0x%x and 0x%x overlap", segs[i-1].VAddr, segs[i].VAddr)
		}
	}
	return segs, nil
}

// slice returns the n bytes of data from off on, if data is long enough.
func slice(data []byte, off, n uint64) ([]byte, bool) {
	if off > uint64(len(data)) || n > uint64(len(data))-off {
		return nil, false
	}
	return data[off : off+n : off+n], true
}

// Bytes returns n bytes, not relocated, at an address relative to the load base. ok is false if the file does not
// contain them.
func (o *Object) Bytes(vaddr, n uint64) ([]byte, bool) {
	if i := o.segmentAt(vaddr); i >= 0 {
		return slice(o.segments[i].Data, vaddr-o.segments[i].VAddr, n)
	}
	return nil, false
}

// segmentAt returns the index of the segment that contains vaddr, or -1.
func (o *Object) segmentAt(vaddr uint64) int {
	i := sort.Search(len(o.segments), func(i int) bool { return o.segments[i].VAddr > vaddr }) - 1
	if i >= 0 && vaddr-o.segments[i].VAddr < o.segments[i].MemSize {
		return i
	}
	return -1
}

// extent returns the first address and the end of the image at load base 0.
func (o *Object) extent() (lo, hi uint64) {
	last := o.segments[len(o.segments)-1]
	return o.segments[0].VAddr, last.VAddr + last.MemSize
}

// reloc is a dynamic relocation. Its field is within the file bytes of segment seg.
type reloc struct {
	kind    *relocKind
	seg     int
	off     uint64 // offset of the field in the segment
	sym     uint64 // value of the symbol
	rebased bool   // the load base must be added to sym
	addend  int64
}

// relocKind describes how a relocation computes its field: (S + A [- P]) >> shift.
type relocKind struct {
	name  string
	bytes uint64
	pcrel bool
	shift uint8
	fits  bool // the value must fit the field
	base  bool // RELATIVE64: no symbol, the load base stands for S
}

// relocKinds are the kinds of relocations by type number. Source: AMDGPUUsage, "Relocation Records".
var relocKinds = map[uint32]*relocKind{
	1:  {name: "R_AMDGPU_ABS32_LO", bytes: 4},
	2:  {name: "R_AMDGPU_ABS32_HI", bytes: 4, shift: 32},
	3:  {name: "R_AMDGPU_ABS64", bytes: 8},
	4:  {name: "R_AMDGPU_REL32", bytes: 4, pcrel: true, fits: true},
	5:  {name: "R_AMDGPU_REL64", bytes: 8, pcrel: true},
	6:  {name: "R_AMDGPU_ABS32", bytes: 4, fits: true},
	10: {name: "R_AMDGPU_REL32_LO", bytes: 4, pcrel: true},
	11: {name: "R_AMDGPU_REL32_HI", bytes: 4, pcrel: true, shift: 32},
	13: {name: "R_AMDGPU_RELATIVE64", bytes: 8, base: true},
}

// relativeKind is the kind of R_AMDGPU_RELATIVE64, the relocation of a pointer into the object.
var relativeKind = relocKinds[13]

// gotKinds are the relocations whose field refers to a slot of the global offset table, which a linker creates. They
// are by type number: R_AMDGPU_GOTPCREL, R_AMDGPU_GOTPCREL32_LO and R_AMDGPU_GOTPCREL32_HI. They are converted to
// relocations relative to the slot.
var gotKinds = map[uint32]*relocKind{7: relocKinds[4], 8: relocKinds[10], 9: relocKinds[11]}

// slotKind is the kind of the relocation that fills such a slot: R_AMDGPU_ABS64.
var slotKind = relocKinds[3]

// readRelocs returns the relocations that a linker left for load time or, if l is not nil, those of an object that l
// links.
func (o *Object) readRelocs(f *elfFile, symbols []elf.Symbol, l *linker) ([]reloc, *Error) {
	const entry = 24 // size of Elf64_Rela in bytes
	var all []reloc
	total := sum{most: uint64(len(f.data))}
	for i := range f.Sections {
		s := &f.Sections[i]
		base := uint64(0)
		switch {
		case l == nil && s.Flags&elf.SHF_ALLOC == 0, l != nil && !l.placed(s.Info):
			continue
		case s.Type == elf.SHT_REL && s.FileSize > 0:
			return nil, errorf(s.Name, "link with ld.lld, which writes SHT_RELA",
				"relocations without addends (SHT_REL) are not supported")
		case s.Type != elf.SHT_RELA:
			continue
		case l != nil:
			base = l.addr[s.Info]
		}
		table, ok := slice(f.data, s.Offset, s.FileSize)
		if !ok || len(table)%entry != 0 || !total.add(s.FileSize) {
			return nil, errorf(s.Name, adviseRebuild, "the relocation table is cut short")
		}
		for ; len(table) > 0; table = table[entry:] {
			place, info := base+le.Uint64(table), le.Uint64(table[8:])
			r := reloc{addend: int64(le.Uint64(table[16:]))}
			kind, number := uint32(info), info>>32
			if kind == 0 { // type R_AMDGPU_NONE
				continue
			}
			if r.kind = gotKinds[kind]; r.kind != nil && l != nil {
				slot, first := l.slot(number)
				r.sym, r.rebased = slot, true
				if first {
					content := reloc{kind: slotKind}
					if err := errors.Join(content.locate(o, slot), content.resolve(number, symbols, l)); err != nil {
						return nil, errorf(s.Name, adviseDefining(err), "%v", err)
					}
					all = append(all, content)
				}
			} else if r.kind = relocKinds[kind]; r.kind == nil {
				return nil, errorf(s.Name, "link with ld.lld -shared", "relocation type %d at 0x%x is not one a loader applies",
					kind, place)
			} else if err := r.resolve(number, symbols, l); err != nil {
				return nil, errorf(s.Name, adviseDefining(err), "%s at 0x%x: %v", r.kind.name, place, err)
			}
			if err := r.locate(o, place); err != nil {
				return nil, errorf(s.Name, adviseRebuild, "%v", err)
			}
			all = append(all, r)
		}
	}
	return all, nil
}

// locate sets the segment and offset of r.
func (r *reloc) locate(o *Object, place uint64) error {
	if _, ok := o.Bytes(place, r.kind.bytes); !ok {
		return fmt.Errorf("%s at 0x%x is outside the data of all segments", r.kind.name, place)
	}
	r.seg = o.segmentAt(place)
	r.off = place - o.segments[r.seg].VAddr
	return nil
}

// resolve sets the value that r refers to, that of symbol number n. Package elf omits symbol 0, whose value is 0.
func (r *reloc) resolve(n uint64, symbols []elf.Symbol, l *linker) error {
	if r.kind.base {
		r.rebased = true
	}
	if r.kind.base || n == 0 {
		return nil
	}
	if n > uint64(len(symbols)) {
		return fmt.Errorf("it refers to symbol %d of %d", n, len(symbols))
	}
	s := &symbols[n-1]
	switch {
	case s.Section == elf.SHN_ABS:
	case s.Section == elf.SHN_UNDEF && elf.ST_BIND(s.Info) == elf.STB_WEAK:
	case s.Section == elf.SHN_UNDEF, s.Section >= elf.SHN_LORESERVE, l != nil && !l.placed(uint32(s.Section)):
		return &undefinedError{s.Name}
	default:
		r.rebased = true
	}
	if s.Section != elf.SHN_UNDEF {
		r.sym = s.Value
	}
	return nil
}

// Load returns the segments of o in memory for load address base. Addresses are absolute, relocations are applied,
// and the data belongs to the caller. The error, an *[Error], means that a relocated value does not fit its field.
func Load(o *Object, base uint64) ([]Segment, error) {
	segs := append([]Segment(nil), o.segments...)
	for i := range segs {
		segs[i].VAddr += base
		segs[i].Data = bytes.Clone(segs[i].Data)
	}
	for i := range o.relocs {
		if err := o.relocs[i].apply(segs, base); err != nil {
			return nil, err
		}
	}
	return segs, nil
}

// apply writes the field of r to segs, which are loaded at base.
func (r *reloc) apply(segs []Segment, base uint64) *Error {
	segs[r.seg].Relocated = true
	place := segs[r.seg].VAddr + r.off
	v := r.sym + uint64(r.addend)
	if r.rebased {
		v += base
	}
	if r.kind.pcrel {
		v -= place
	}
	if r.kind.fits && v > math.MaxUint32 && (!r.kind.pcrel || int64(v) != int64(int32(v))) {
		return errorf("relocations", "load it at a lower address", "%s at 0x%x: 0x%x does not fit 32 bits", r.kind.name,
			place, v)
	}
	field := segs[r.seg].Data[r.off:]
	if v >>= r.kind.shift; r.kind.bytes == 8 {
		le.PutUint64(field, v)
	} else {
		le.PutUint32(field, uint32(v))
	}
	return nil
}
