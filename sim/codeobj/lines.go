package codeobj

import (
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"errors"
	"io"
	"slices"
	"sync"
)

// lines is what the DWARF line tables of a linked object say about its code. They are read
// when they are first asked for.
type lines struct {
	once     sync.Once
	sections map[string][]byte // .debug_*
	files    []string
	rows     []lineRow // by address; each holds up to the next
	err      error
}

// lineRow is where the instructions from an address on come from.
type lineRow struct {
	addr uint64
	file int32 // in files
	line int32 // 0: from no line; -1: the end of a sequence
}

// Line returns the source file and the line from which the instruction at vaddr, relative
// to the load base, was compiled. line is 0 if the object does not say.
func (o *Object) Line(vaddr uint64) (file string, line int) { return o.lines.at(vaddr) }

// Line returns the source file and the line from which the instruction at an offset in
// bytes was compiled. line is 0 if the file does not say.
func (t *Text) Line(offset uint64) (file string, line int) { return t.lines.at(t.Addr + offset) }

// at returns the line of an address.
func (l *lines) at(addr uint64) (file string, line int) {
	l.once.Do(l.read)
	i, there := slices.BinarySearchFunc(l.rows, addr, func(r lineRow, addr uint64) int { return cmp.Compare(r.addr, addr) })
	if !there {
		i--
	}
	if i < 0 || l.rows[i].line <= 0 {
		return "", 0
	}
	return l.files[l.rows[i].file], int(l.rows[i].line)
}

// LineError says why the line tables of o cannot be read, nil if they can or there are none.
func (o *Object) LineError() error {
	o.lines.once.Do(o.lines.read)
	return o.lines.err
}

// lines returns the sections of f that line tables need. Those of an object that is not
// linked still want relocating: there are none.
func (f *elfFile) lines() *lines {
	sections := map[string][]byte{}
	if f.Type == elf.ET_REL {
		return &lines{}
	}
	for i := range f.Sections {
		s := &f.Sections[i]
		switch s.Name {
		case ".debug_abbrev", ".debug_info", ".debug_line", ".debug_line_str", ".debug_ranges", ".debug_rnglists", ".debug_str", ".debug_str_offsets", ".debug_addr":
			if data, ok := slice(f.data, s.Offset, s.FileSize); ok && s.Type == elf.SHT_PROGBITS {
				if s.Flags&elf.SHF_COMPRESSED != 0 {
					data = nil
				}
				sections[s.Name] = data
			}
		}
	}
	return &lines{sections: sections}
}

func (l *lines) read() {
	if len(l.sections[".debug_line"]) == 0 {
		if _, there := l.sections[".debug_line"]; there {
			l.err = errors.New("the line tables are compressed; link without --compress-debug-sections")
		}
		return
	}
	if err := l.collect(); err != nil {
		l.err = errors.New("the line tables cannot be read: " + err.Error())
		l.files, l.rows = nil, nil
		return
	}
	// What begins where something else ends is not the end.
	slices.SortStableFunc(l.rows, func(a, b lineRow) int {
		return cmp.Or(cmp.Compare(a.addr, b.addr), cmp.Compare(min(a.line, 0), min(b.line, 0)))
	})
	last := 0
	for i, r := range l.rows {
		if i > 0 && r.addr != l.rows[last].addr {
			last++
		}
		l.rows[last] = r // the last row of an address counts
	}
	l.rows = l.rows[:min(last+1, len(l.rows))]
	l.sections = nil
}

// collect reads the rows of all compilation units.
func (l *lines) collect() error {
	s := l.sections
	d, err := dwarf.New(s[".debug_abbrev"], nil, nil, s[".debug_info"], s[".debug_line"], nil, s[".debug_ranges"], s[".debug_str"])
	if err != nil {
		return err
	}
	for _, name := range []string{".debug_line_str", ".debug_rnglists", ".debug_str_offsets", ".debug_addr"} {
		if err := d.AddSection(name, s[name]); err != nil {
			return err
		}
	}
	number := map[string]int32{}
	next := dwarf.Offset(0)
	for r := d.Reader(); ; {
		unit, err := r.Next()
		if err != nil || unit == nil {
			return err
		}
		if unit.Offset < next { // or it would be read again and again
			return errors.New("an entry names a sibling before it")
		}
		next = unit.Offset + 1
		r.SkipChildren()
		if unit.Tag != dwarf.TagCompileUnit {
			continue
		}
		table, err := d.LineReader(unit)
		if err != nil {
			return err
		}
		if table == nil {
			continue
		}
		for {
			var e dwarf.LineEntry
			if err := table.Next(&e); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return err
			}
			row := lineRow{addr: e.Address, line: -1}
			if !e.EndSequence && e.File != nil {
				n, known := number[e.File.Name]
				if !known {
					n = int32(len(l.files))
					number[e.File.Name] = n
					l.files = append(l.files, e.File.Name)
				}
				row.file, row.line = n, int32(e.Line)
			}
			l.rows = append(l.rows, row)
		}
	}
}
