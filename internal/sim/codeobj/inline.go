package codeobj

import (
	"debug/dwarf"
	"slices"
)

// Inlined is a call that a compiler has replaced by the code of the called function.
type Inlined struct {
	Name   string // name of the function
	File   string // source position of the call
	Line   int
	lo, hi uint64 // address range of the function's code
}

// mostInlined bounds the number of inlined calls in an object, because a file may name the same ranges many times.
const mostInlined = 1 << 16

// InlinedAt returns the inlined calls that contain the instruction of o at vaddr, relative to the load base,
// innermost first. The list is empty if the object has no such information.
func InlinedAt(o *Object, vaddr uint64) (all []Inlined) {
	o.lines.once.Do(o.lines.read)
	for _, x := range slices.Backward(o.lines.inlined) { // children are after their parents
		if vaddr >= x.lo && vaddr < x.hi {
			all = append(all, x)
		}
	}
	return all
}

// inline adds the inlined calls of a compilation unit, whose line table has files. It ignores entries that cannot be
// read.
func (l *lines) inline(d *dwarf.Data, unit dwarf.Offset, files []*dwarf.LineFile) {
	r := d.Reader()
	r.Seek(unit)
	for depth, first := 0, true; first || depth > 0; first = false {
		e, err := r.Next()
		switch {
		case err != nil || e == nil || len(l.inlined) >= mostInlined:
			return
		case e.Tag == 0:
			depth--
			continue
		case e.Children:
			depth++
		}
		if e.Tag != dwarf.TagInlinedSubroutine {
			continue
		}
		x := Inlined{Name: nameOf(d, e)}
		if n, ok := e.Val(dwarf.AttrCallFile).(int64); ok && n >= 0 && n < int64(len(files)) && files[n] != nil {
			x.File = files[n].Name
		}
		if n, ok := e.Val(dwarf.AttrCallLine).(int64); ok && n > 0 && n < 1<<31 {
			x.Line = int(n)
		}
		ranges, err := d.Ranges(e)
		if err != nil {
			continue
		}
		for _, span := range ranges[:min(len(ranges), mostInlined-len(l.inlined))] {
			x.lo, x.hi = span[0], span[1]
			l.inlined = append(l.inlined, x)
		}
	}
}

// nameOf returns the name of a function, which may be in its declaration.
func nameOf(d *dwarf.Data, e *dwarf.Entry) string {
	for range 3 {
		if name, ok := e.Val(dwarf.AttrName).(string); ok {
			return name
		}
		at, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		if !ok {
			if at, ok = e.Val(dwarf.AttrSpecification).(dwarf.Offset); !ok {
				return ""
			}
		}
		r := d.Reader()
		r.Seek(at)
		next, err := r.Next()
		if err != nil || next == nil {
			return ""
		}
		e = next
	}
	return ""
}
