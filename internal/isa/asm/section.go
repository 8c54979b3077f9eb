package asm

import (
	"fmt"
	"strings"
)

// sectionKind says what becomes of a section.
type sectionKind uint8

const (
	codeSection sectionKind = iota
	dataSection
	notLoaded // debug information, notes: read past
)

// section is a section of the program while it is read.
type section struct {
	name   string
	kind   sectionKind
	write  bool
	align  int64
	frags  []*fragment
	addr   int64 // from the first word of the program, when it is laid out
	size   int64
	labels []*symbol // at the last place that has one
}

// fragment is a piece of a section: bytes, and what follows of a size that is known only
// when all is read.
type fragment struct {
	sec   *section
	data  []byte
	tail  *padding
	base  int64 // from the begin of the section, when it is laid out
	index int   // in the section
}

// padding is the content of a directive whose size depends on symbols defined later, or on where
// it stands after such a directive.
type padding struct {
	kind      paddingKind
	count     *expr // of elements (fill), or where to continue (org)
	align     int64
	elem      []byte // one element
	nops      bool   // pad code
	most      int64  // skip an alignment that takes more
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

// last is the fragment that the next bytes go to.
func (s *section) last() *fragment { return s.frags[len(s.frags)-1] }

// split begins another fragment.
func (s *section) split() {
	s.frags = append(s.frags, &fragment{sec: s, index: len(s.frags)})
}

// here is the place of the next byte.
func (s *section) here() amount {
	f := s.last()
	return amount{int64(len(f.data)), f}
}

// offset returns how many bytes s has so far, if that is known.
func (s *section) offset() (int64, bool) {
	return int64(len(s.last().data)), len(s.frags) == 1
}

// classify returns what becomes of the section called name with flags as "ax".
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

// elsewhere reports whether what stands here is not loaded with the program.
func (a *assembler) elsewhere() bool { return a.sec.kind == notLoaded }

// append appends size bytes of p to b. What does not fill a word of code is 0.
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

// gap returns the bytes from at to the next multiple of align, 0 if there are more than most.
func gap(at, align, most int64) int64 {
	n := -at & (align - 1)
	if most > 0 && n > most {
		return 0
	}
	return n
}

// pad adds p, of a directive at at, to the current section: at once if its size is known.
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

// fillSize returns how many bytes n elements of p are.
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

// grow accounts for n more bytes of the program, which what stands at at adds.
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

// layOut gives sections and fragments their places and then the paddings their sizes, until
// nothing changes.
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

// maxLayouts bounds how often sizes are computed anew.
const maxLayouts = 16

// page is the alignment of sections of data, so that a loader can map them apart.
const page = 4096

// place computes the addresses of sections and fragments: code first.
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

// resize computes the sizes of paddings and reports whether any changed.
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

// padSize computes the size of p, which follows byte end of s.
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

// eval computes e when all is read.
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
