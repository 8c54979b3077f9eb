package codeobj

import (
	"bytes"
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"errors"
	"io"
	"slices"
	"sync"
)

// lines holds the DWARF line tables of an object. They are parsed at the first use.
type lines struct {
	once     sync.Once
	sections map[string][]byte // contents of the .debug_* sections
	files    []string
	rows     []lineRow // by address; each row is valid up to the next one
	inlined  []Inlined // outer calls before the calls within them
	err      error
}

// lineRow is the source line of the instructions from an address on.
type lineRow struct {
	addr uint64
	file int32 // index in files
	line int32 // 0 if there is no line, -1 at the end of a sequence
}

// Line returns the source file and line from which the instruction at vaddr, relative to the load base, was compiled.
// line is 0 if the object has no line for it.
func (o *Object) Line(vaddr uint64) (file string, line int) { return o.lines.at(vaddr) }

// Line returns the source file and line from which the instruction at a byte offset was compiled. line is 0 if the
// file has no line for it.
func (t *Text) Line(offset uint64) (file string, line int) { return t.lines.at(t.Addr + offset) }

// LineError returns the reason why the line tables cannot be read, nil if they can or if there are none.
func (t *Text) LineError() error { return t.lines.failure() }

func (l *lines) failure() error {
	l.once.Do(l.read)
	return l.err
}

// at returns the source file and line of an address.
func (l *lines) at(addr uint64) (file string, line int) {
	l.once.Do(l.read)
	i, there := slices.BinarySearchFunc(l.rows, addr,
		func(r lineRow, addr uint64) int { return cmp.Compare(r.addr, addr) })
	if !there {
		i--
	}
	if i < 0 || l.rows[i].line <= 0 {
		return "", 0
	}
	return l.files[l.rows[i].file], int(l.rows[i].line)
}

// debugSections are the sections that line tables need.
var debugSections = []string{".debug_abbrev", ".debug_info", ".debug_line", ".debug_line_str", ".debug_ranges",
	".debug_rnglists", ".debug_str", ".debug_str_offsets", ".debug_addr"}

// lines returns the sections of f that line tables need. The sections of an unlinked object are relocated with
// symbols, its whole symbol table with final addresses.
func (f *elfFile) lines(symbols []elf.Symbol) *lines {
	sections := map[string][]byte{}
	for i := range f.Sections {
		s := &f.Sections[i]
		if !slices.Contains(debugSections, s.Name) || s.Type != elf.SHT_PROGBITS {
			continue
		}
		data, ok := slice(f.data, s.Offset, s.FileSize)
		switch {
		case !ok:
			continue
		case s.Flags&elf.SHF_COMPRESSED != 0:
			data = nil
		case f.Type == elf.ET_REL:
			data = f.relocated(uint32(i), data, symbols)
		}
		sections[s.Name] = data
	}
	return &lines{sections: sections}
}

// relocated returns a copy of the contents of section n with its relocations applied. It applies only those of
// absolute values, which debug information uses.
func (f *elfFile) relocated(n uint32, data []byte, symbols []elf.Symbol) []byte {
	const entry = 24 // size of Elf64_Rela in bytes
	data = bytes.Clone(data)
	for i := range f.Sections {
		s := &f.Sections[i]
		if s.Type != elf.SHT_RELA || s.Info != n {
			continue
		}
		table, _ := slice(f.data, s.Offset, s.FileSize)
		for ; len(table) >= entry; table = table[entry:] {
			place, info := le.Uint64(table), le.Uint64(table[8:])
			kind, number := relocKinds[uint32(info)], info>>32
			if kind == nil || kind.pcrel || kind.shift != 0 || number > uint64(len(symbols)) {
				continue
			}
			v := le.Uint64(table[16:])
			if number > 0 {
				v += symbols[number-1].Value
			}
			if field, ok := slice(data, place, kind.bytes); ok && kind.bytes == 8 {
				le.PutUint64(field, v)
			} else if ok {
				le.PutUint32(field, uint32(v))
			}
		}
	}
	return data
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
		l.files, l.rows, l.inlined = nil, nil, nil
		return
	}
	// If a sequence starts where another one ends, the start is kept.
	slices.SortStableFunc(l.rows, func(a, b lineRow) int {
		return cmp.Or(cmp.Compare(a.addr, b.addr), cmp.Compare(min(a.line, 0), min(b.line, 0)))
	})
	last := 0
	for i, r := range l.rows {
		if i > 0 && r.addr != l.rows[last].addr {
			last++
		}
		l.rows[last] = r // the last row of an address is valid
	}
	l.rows = l.rows[:min(last+1, len(l.rows))]
	l.sections = nil
}

// collect reads the rows of all compilation units.
func (l *lines) collect() error {
	s := l.sections
	d, err := dwarf.New(s[".debug_abbrev"], nil, nil, s[".debug_info"], s[".debug_line"], nil, s[".debug_ranges"],
		s[".debug_str"])
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
		if unit.Offset < next { // prevents reading a unit repeatedly
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
		l.inline(d, unit.Offset, table.Files())
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
