package verdict

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/internal/sim/element"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// tried collects the values that launches had, without launches that count for nothing.
type tried struct {
	grid              uint64 // most work-items of a launch
	groups            map[[3]uint32]bool
	values            map[triedKey]*values
	looked            map[*spec.Random]bool // data of buffers
	both, comparisons [2]int                // comparisons that came out both ways, and those that executed, by program
	not               int                   // directed launches that were made and count for nothing
}

// triedKey is a scalar, or a buffer, whose elements are taken for a type.
type triedKey struct {
	arg, at int // at is -1 of a buffer
	as      spec.Element
}

// values are what a scalar or the elements of a buffer had.
type values struct {
	all       map[uint64]bool // of a scalar
	low, high uint64
	ones      uint64 // bits that were 1
	zeros     uint64 // bits that were 0
	classes   uint16 // of floats
}

// mostLooked is how many elements of a buffer are looked at.
const mostLooked = 1 << 10

// add adds a launch of a kernel, whose buffers have drawn data.
func (x *tried) add(s *launcher, l *pairRun) {
	if x.values == nil {
		x.values, x.looked, x.groups = map[triedKey]*values{}, map[*spec.Random]bool{}, map[[3]uint32]bool{}
	}
	items := uint64(1)
	for _, n := range l.dispatch.Grid {
		items *= uint64(max(n, 1))
	}
	x.grid = max(x.grid, items)
	x.groups[l.dispatch.Group] = true
	for _, c := range scalarsOf(s) {
		if v, ok := c.of(l.dispatch); ok {
			x.of(triedKey{c.arg, c.at, c.as}).add(element.Of(c.as), v, true)
		}
	}
	typed := s.typed()
	for n, as := range s.elements() {
		b := l.dispatch.Args[n].Buffer
		if b == nil || b.Random == nil || x.looked[b.Random] {
			continue
		}
		x.looked[b.Random] = true
		if !typed[n] && s.facts.floats() {
			as = b.Random.As
		}
		if t := element.Of(as); t.Mantissa > 0 {
			data, v := l.drawn[n], x.of(triedKey{n, -1, as})
			for at := 0; at+t.Bytes <= min(len(data), mostLooked*t.Bytes); at += t.Bytes {
				v.add(t, t.Get(data[at:]), false)
			}
		}
	}
}

func (x *tried) of(key triedKey) *values {
	v := x.values[key]
	if v == nil {
		v = &values{all: map[uint64]bool{}}
		x.values[key] = v
	}
	return v
}

func (v *values) add(t *element.Type, value uint64, keep bool) {
	if v.ones|v.zeros == 0 || t.Order(value) < t.Order(v.low) {
		v.low = value
	}
	if v.ones|v.zeros == 0 || t.Order(value) > t.Order(v.high) {
		v.high = value
	}
	v.ones |= value
	v.zeros |= ^value & t.Mask()
	if keep {
		v.all[value] = true
	}
	if t.Mantissa > 0 {
		v.classes |= 1 << t.Class(value)
	}
}

// bits returns how many bits of a scalar had both values.
func (x *tried) bits(s *valueArg) int {
	v := x.values[triedKey{s.arg, s.at, s.as}]
	if v == nil {
		return 0
	}
	return bits.OnesCount64(v.ones & v.zeros)
}

// Tried says which values the launches of a kernel had, without launches that count for nothing.
type Tried struct {
	Grid      uint64     `json:"grid"`      // most work-items of one
	Groups    int        `json:"groups"`    // sizes of work-groups
	Values    []TriedArg `json:"values"`    // of scalars, and classes of floats in buffers
	Not       int        `json:"not"`       // launches beside them that count for nothing
	BothWays  int        `json:"both_ways"` // comparisons of both programs that came out both ways
	Comparing int        `json:"comparing"` // comparisons that executed
}

// TriedArg says which values a scalar had, or the elements of a buffer of floats.
type TriedArg struct {
	Arg  int          `json:"arg"`
	Name string       `json:"name,omitempty"`
	Byte int          `json:"byte"` // of a member of a structure or a vector
	As   spec.Element `json:"as"`
	// Values is how many values a scalar had, Bits how many of its bits were 0 in one launch and 1 in another.
	Values int    `json:"values,omitempty"`
	Min    string `json:"min,omitempty"`
	Max    string `json:"max,omitempty"`
	Bits   int    `json:"bits,omitempty"`
	// Classes is how many of the ten classes of floats there were.
	Classes int `json:"classes,omitempty"`
}

// Tried returns what launches of the kernel had that count.
func (k *KernelComparison) Tried() *Tried {
	x, names := &k.tried, k.names
	r := &Tried{Grid: x.grid, Groups: len(x.groups), Values: []TriedArg{}, Not: x.not, BothWays: x.both[0] + x.both[1],
		Comparing: x.comparisons[0] + x.comparisons[1]}
	for key, v := range x.values {
		a := TriedArg{Arg: key.arg, Name: names[key.arg], Byte: max(key.at, 0), As: key.as,
			Classes: bits.OnesCount16(v.classes)}
		if key.at >= 0 {
			a.Values, a.Bits = len(v.all), bits.OnesCount64(v.ones&v.zeros)
			a.Min, a.Max = string(number(key.as, v.low)), string(number(key.as, v.high))
		}
		r.Values = append(r.Values, a)
	}
	slices.SortFunc(r.Values, func(a, b TriedArg) int {
		return cmp.Or(cmp.Compare(a.Arg, b.Arg), cmp.Compare(a.Byte, b.Byte), cmp.Compare(a.As, b.As))
	})
	return r
}

// String returns the text of the line of a verdict. Arguments with the same text stand together.
func (r *Tried) String() string {
	all := []string{fmt.Sprintf("grids to %d", r.Grid)}
	var says []string
	about := map[string][]string{}
	for i := range r.Values {
		a := &r.Values[i]
		text := a.text()
		if about[text] == nil {
			says = append(says, text)
		}
		about[text] = append(about[text], a.name())
	}
	for _, text := range says {
		all = append(all, fmt.Sprintf("%s: %s", strings.Join(about[text], ", "), text))
	}
	if r.Comparing > 0 {
		all = append(all, fmt.Sprintf("%d of %s seen both ways", r.BothWays, plural.Of(r.Comparing, "comparison")))
	}
	if r.Not > 0 {
		all = append(all, fmt.Sprintf("%d more count for nothing", r.Not))
	}
	return strings.Join(all, "; ")
}

// name returns what the argument is called.
func (a *TriedArg) name() string {
	name := cmp.Or(a.Name, fmt.Sprintf("argument %d", a.Arg))
	if a.Byte > 0 {
		name += fmt.Sprintf("+%d", a.Byte)
	}
	return name
}

func (a *TriedArg) text() string {
	switch {
	case a.Classes > 0:
		return fmt.Sprintf("%d of %d classes of %s", a.Classes, element.NumClasses, a.As)
	case a.Values == 1:
		return "1 value, " + a.Min
	}
	return fmt.Sprintf("%d values from %s to %s, %d of %d bits both ways", a.Values, a.Min, a.Max, a.Bits,
		element.Of(a.As).Bits())
}
