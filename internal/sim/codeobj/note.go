package codeobj

import (
	"debug/elf"
	"fmt"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/tool/abi"
)

// note is an ELF note record.
type note struct {
	owner string
	kind  uint32
	desc  []byte
}

// Note types by owner. Source: AMDGPUUsage, "Note Records".
const (
	ownerV2 = "AMD"
	ownerV3 = "AMDGPU"

	noteCodeObjectVersion = 1  // AMD: NT_AMD_HSA_CODE_OBJECT_VERSION
	noteISAVersion        = 3  // AMD: NT_AMD_HSA_ISA_VERSION
	noteISAName           = 11 // AMD: NT_AMD_HSA_ISA_NAME
	noteMetadataV2        = 10 // AMD: NT_AMD_HSA_METADATA, YAML
	noteMetadata          = 32 // AMDGPU: NT_AMDGPU_METADATA, MessagePack
)

// noteRange is a range of a file that contains notes.
type noteRange struct{ off, size uint64 }

// noteRanges returns the PT_NOTE segments, or in an unlinked object the sections of notes.
func noteRanges(f *elfFile) []noteRange {
	var all []noteRange
	for _, p := range f.Progs {
		if p.Type == elf.PT_NOTE {
			all = append(all, noteRange{p.Off, p.Filesz})
		}
	}
	if f.Type != elf.ET_REL {
		return all
	}
	for i := range f.Sections {
		if s := &f.Sections[i]; s.Type == elf.SHT_NOTE {
			all = append(all, noteRange{s.Offset, s.Size})
		}
	}
	return all
}

// readNotes returns the records of all notes.
func readNotes(f *elfFile) ([]note, *Error) {
	total := sum{most: uint64(len(f.data))}
	var notes []note
	for _, r := range noteRanges(f) {
		b, ok := slice(f.data, r.off, r.size)
		if !ok || !total.add(r.size) {
			return nil, errorf("notes", adviseRebuild, "%d bytes at file offset 0x%x are beyond the end of the file", r.size,
				r.off)
		}
		for len(b) >= 12 {
			nameSize, descSize := uint64(le.Uint32(b)), uint64(le.Uint32(b[4:]))
			n := note{kind: le.Uint32(b[8:])}
			name, ok1 := slice(b, 12, nameSize)
			at := 12 + (nameSize+3)&^3
			desc, ok2 := slice(b, at, descSize)
			if !ok1 || !ok2 {
				return nil, errorf("notes", adviseRebuild, "a note of type %d is longer than its segment", n.kind)
			}
			n.owner, n.desc = strings.TrimRight(string(name), "\x00"), desc
			notes = append(notes, n)
			b = b[min(at+(descSize+3)&^3, uint64(len(b))):]
		}
	}
	return notes, nil
}

// findNote returns the first note with that owner and type.
func findNote(notes []note, owner string, kind uint32) ([]byte, bool) {
	for _, n := range notes {
		if n.owner == owner && n.kind == kind {
			return n.desc, true
		}
	}
	return nil, false
}

// isaTarget returns the processor in NT_AMD_HSA_ISA_VERSION. The record is: u16 sizes of the vendor and architecture
// names, u32 major, minor, stepping, the names.
func isaTarget(notes []note) (t gcn.Target, found bool, err *Error) {
	const where = "note NT_AMD_HSA_ISA_VERSION"
	if v, ok := findNote(notes, ownerV2, noteCodeObjectVersion); ok && len(v) >= 4 && le.Uint32(v) != 2 {
		return 0, false, errorf("note NT_AMD_HSA_CODE_OBJECT_VERSION", "compile with -mcode-object-version=2 or later",
			"code object version %d is not supported", le.Uint32(v))
	}
	b, found := findNote(notes, ownerV2, noteISAVersion)
	if !found {
		return 0, false, nil
	}
	if len(b) < 16 {
		return 0, false, errorf(where, adviseRebuild, "the note has %d bytes, not 16", len(b))
	}
	version := [3]int{int(le.Uint32(b[4:])), int(le.Uint32(b[8:])), int(le.Uint32(b[12:]))}
	t, _, ok := abi.TargetByVersion(version)
	if !ok {
		_, err := gcn.ParseTarget(fmt.Sprintf("gfx%d%d%x", version[0], version[1], version[2]))
		return 0, false, &Error{where, err.Error(), adviseTarget, err}
	}
	return t, true, nil
}
