package asm

import (
	"fmt"
	"strings"
)

// sectionKind is the way in which a section is assembled and loaded.
type sectionKind uint8

const (
	codeSection sectionKind = iota
	dataSection
	notLoaded // debug information, notes: ignored
)

// section is a section of the program during assembly.
type section struct {
	name   string
	kind   sectionKind
	write  bool
	align  int64
	frags  []*fragment
	addr   int64 // address relative to the first word, after the layout
	size   int64
	labels []*symbol // labels at the last address that has any
}

// fragment is a piece of a section: bytes, and a padding whose size is known only after the whole text has
// been read.
type fragment struct {
	sec   *section
	data  []byte
	tail  *padding
	base  int64 // offset from the begin of the section, after the layout
	index int   // index in the section
}

// padding is the content of a directive whose size depends on symbols that are defined later, or on the
// position of the directive behind another padding.
type padding struct {
	kind      paddingKind
	count     *expr // number of elements (fill), or where to continue (org)
	align     int64
	elem      []byte // one element
	nops      bool   // pad with s_nop
	most      int64  // limit; a larger alignment is skipped
	size      int64
	line, col int
}

type paddingKind uint8

const (
	padFill paddingKind = iota
	padAlign
	padOrg
)

// newSection returns an empty section.
func newSection(name string, kind sectionKind) *section {
	s := &section{name: name, kind: kind, align: 1}
	if kind == codeSection {
		s.align = 4
	}
	s.split()
	return s
}

// last returns the fragment to which the next bytes are added.
func (s *section) last() *fragment { return s.frags[len(s.frags)-1] }

// split begins a new fragment.
func (s *section) split() {
	s.frags = append(s.frags, &fragment{sec: s, index: len(s.frags)})
}

// here returns the address of the next byte.
func (s *section) here() amount {
	f := s.last()
	return amount{int64(len(f.data)), f}
}

// offset returns the number of bytes of s so far, if it is known.
func (s *section) offset() (int64, bool) {
	return int64(len(s.last().data)), len(s.frags) == 1
}

// classify returns the kind of a section with a name and flags such as "ax". write reports whether it is writable.
func classify(name, flags string) (kind sectionKind, write bool) {
	base, _, _ := strings.Cut(strings.TrimPrefix(name, "."), ".")
	switch base {
	case "text":
		return codeSection, false
	case "rodata":
		return dataSection, false
	case "data", "bss", "tdata", "tbss":
		return dataSection, true
	}
	switch {
	case strings.Contains(flags, "x"):
		return codeSection, false
	case strings.Contains(flags, "a"):
		return dataSection, strings.Contains(flags, "w")
	}
	return notLoaded, false
}

// section returns the section called name. It makes the section if the name is new.
func (a *assembler) section(name, flags string) *section {
	s := a.named[name]
	if s == nil {
		kind, write := classify(name, flags)
		s = newSection(name, kind)
		s.write = write
		a.sections, a.named[name] = append(a.sections, s), s
	}
	return s
}

// elsewhere reports whether the current section is not loaded with the program.
func (a *assembler) elsewhere() bool { return a.sec.kind == notLoaded }

// append appends size bytes of padding p to b. Bytes that do not fill a word of code are 0.
func (p *padding) append(b []byte, size int64) []byte {
	if p.nops {
		for ; size%4 != 0; size-- {
			b = append(b, 0)
		}
	}
	for ; size > 0; size -= int64(len(p.elem)) {
		b = append(b, p.elem[:min(size, int64(len(p.elem)))]...)
	}
	return b
}

// gap returns the number of bytes from at to the next multiple of align, or 0 if the number exceeds most.
func gap(at, align, most int64) int64 {
	n := -at & (align - 1)
	if most > 0 && n > most {
		return 0
	}
	return n
}

// pad adds padding p to the current section, immediately if its size is known. The directive begins at byte at.
func (a *assembler) pad(p *padding, at int) *Error {
	p.line, p.col = a.position(at)
	a.mark()
	here, known := a.sec.offset()
	size := int64(0)
	switch p.kind {
	case padAlign:
		if known {
			size = gap(here, p.align, p.most)
		}
	case padFill:
		n, _, failed := p.count.now()
		if known = failed == nil; known {
			var err *Error
			if size, err = a.fillSize(p, n); err != nil {
				return err
			}
		}
	default:
		known = false
	}
	if !known {
		a.sec.last().tail = p
		a.sec.split()
		return nil
	}
	if err := a.growAt(size, p.line, p.col); err != nil {
		return err
	}
	f := a.sec.last()
	f.data = p.append(f.data, size)
	return nil
}

// fillSize returns the number of bytes of n elements of p.
func (a *assembler) fillSize(p *padding, n amount) (int64, *Error) {
	switch {
	case n.from != nil:
		return 0, a.failAt(p.line, p.col, "the size must be a number, not an address", nil)
	case n.n < 0:
		return 0, a.failAt(p.line, p.col, fmt.Sprintf("the size is %d, must not be negative", n.n), nil)
	case n.n > MaxSize:
		return 0, a.growAt(MaxSize+1, p.line, p.col)
	}
	return n.n * int64(len(p.elem)), nil
}

// grow adds n bytes to the size of the program and checks the limit. The statement begins at byte at.
func (a *assembler) grow(n int64, at int) *Error {
	line, col := a.position(at)
	return a.growAt(n, line, col)
}

func (a *assembler) growAt(n int64, line, col int) *Error {
	if n > MaxSize-a.size {
		return a.failAt(line, col, tooLarge("the program", MaxSize), nil)
	}
	a.size += n
	return nil
}

// layOut alternates between placing sections and fragments and computing sizes of paddings, until no size
// changes.
func (a *assembler) layOut() *Error {
	for range maxLayouts {
		a.pass++
		a.place()
		changed, err := a.resize()
		if err != nil || !changed {
			return err
		}
	}
	return a.failAt(a.line, 1, "sizes of .space, .fill or .org depend on each other without end", nil)
}

// maxLayouts limits the number of times that the sizes of paddings are computed.
const maxLayouts = 16

// page is the alignment of data sections, so that a loader can map them separately.
const page = 4096

// place computes the addresses of sections and fragments. Code comes first.
func (a *assembler) place() {
	at := int64(0)
	for _, kind := range [...]sectionKind{codeSection, dataSection} {
		for _, s := range a.sections {
			if s.kind != kind {
				continue
			}
			align := s.align
			if kind == dataSection {
				align = max(align, page)
			}
			s.addr = at + gap(at, align, 0)
			s.size = 0
			for _, f := range s.frags {
				f.base = s.size
				s.size += int64(len(f.data))
				if f.tail != nil {
					s.size += f.tail.size
				}
			}
			at = s.addr + s.size
		}
	}
}

// resize computes the sizes of paddings. It reports whether a size changed.
func (a *assembler) resize() (changed bool, err *Error) {
	for _, s := range a.sections {
		for i, f := range s.frags {
			p := f.tail
			if p == nil {
				continue
			}
			size, err := a.padSize(p, s, f.base+int64(len(f.data)))
			if err != nil {
				return false, err
			}
			if size != p.size {
				if err := a.growAt(size-p.size, p.line, p.col); err != nil {
					return false, err
				}
				p.size, changed = size, true
			}
			if end := f.base + int64(len(f.data)) + size; s.kind == codeSection && end%4 != 0 && len(s.frags[i+1].data) > 0 {
				return false, a.failAt(p.line, p.col, "what follows does not begin at a multiple of 4 bytes; align with "+
					".p2align 2", nil)
			}
		}
	}
	return changed, nil
}

// padSize computes the size of p. p begins at byte end of s.
func (a *assembler) padSize(p *padding, s *section, end int64) (int64, *Error) {
	if p.kind == padAlign {
		return gap(end, p.align, p.most), nil
	}
	n, failed := a.eval(p.count)
	switch {
	case failed != nil:
		return 0, a.noValue(failed, p.line, p.col)
	case p.kind == padFill:
		return a.fillSize(p, n)
	case n.from != nil:
		n.n -= s.addr
	}
	if n.n < end {
		return 0, a.failAt(p.line, p.col, fmt.Sprintf("this goes back to byte %d of the section, which has %d bytes", n.n,
			end), nil)
	}
	if n.n-end > MaxSize {
		return 0, a.growAt(MaxSize+1, p.line, p.col)
	}
	return n.n - end, nil
}

// eval evaluates e after the layout.
func (a *assembler) eval(e *expr) (amount, *evalError) {
	return (&evaluator{when: final, pass: a.pass}).eval(e)
}

// bytes returns the contents of s.
func (s *section) bytes() []byte {
	b := make([]byte, 0, s.size)
	for _, f := range s.frags {
		b = append(b, f.data...)
		if f.tail != nil {
			b = f.tail.append(b, f.tail.size)
		}
	}
	return b
}
