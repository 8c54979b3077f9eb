package verdict

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/sim/element"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// tried collects what the verdict says it rests on: grids, argument values and outcomes of comparisons. Launches that
// the rules against false alarms discard are not in it.
type tried struct {
	grid        uint64 // largest number of work-items of a launch
	groups      map[[3]uint32]bool
	values      map[input]*TriedArg
	comparisons int      // executed comparisons and branches of both programs
	oneWay      []Unseen // comparisons that had only one outcome
	unseen      []Unseen // outcomes that comparisons never had
	overlaps    [][2]int // pairs of pointers into one buffer
	not         int      // directed launches that do not count
}

// mostLooked is the number of elements of a buffer that are examined.
const mostLooked = 1 << 10

// add adds a launch of a kernel. The buffers of the launch have their random contents.
func (x *tried) add(s *launcher, l *pairRun) {
	if x.values == nil {
		x.values, x.groups = map[input]*TriedArg{}, map[[3]uint32]bool{}
	}
	x.grid = max(x.grid, workItems(l.dispatch.Grid))
	x.groups[l.dispatch.Group] = true
	for _, c := range scalarsOf(s) {
		if v, ok := c.of(l.dispatch); ok {
			x.of(c).add(element.Of(c.as), v)
		}
	}
	for n, a := range codeobj.Explicit(s.kernel) {
		b := l.dispatch.Args[n].Buffer
		if b == nil || b.Random == nil {
			continue
		}
		as, known := element.Named(a.TypeName)
		if !known && s.facts.floats() {
			as = b.Random.As
		}
		if t := element.Of(as); t.Mantissa > 0 {
			data, v := l.drawn[n], x.of(input{n, everywhere, as, known})
			for at := 0; at+t.Bytes <= min(len(data), mostLooked*t.Bytes); at += t.Bytes {
				v.classes |= 1 << t.Class(t.Get(data[at:]))
			}
		}
	}
}

func (x *tried) of(s input) *TriedArg {
	if x.values[s] == nil {
		x.values[s] = &TriedArg{Arg: s.arg, Byte: max(s.at, 0), As: s.as, all: map[uint64]bool{}}
	}
	return x.values[s]
}

// add adds a value of a scalar.
func (a *TriedArg) add(t *element.Type, v uint64) {
	if len(a.all) == 0 {
		a.low, a.high = v, v
	}
	if t.Order(v) < t.Order(a.low) {
		a.low = v
	}
	if t.Order(v) > t.Order(a.high) {
		a.high = v
	}
	a.all[v] = true
	a.ones |= v
	a.zeros |= ^v & t.Mask()
	if t.Mantissa > 0 {
		a.classes |= 1 << t.Class(v)
	}
}

// bits returns the number of bits of a scalar that were both 0 and 1.
func (x *tried) bits(s input) int {
	a := x.values[s]
	if a == nil {
		return 0
	}
	return bits.OnesCount64(a.ones & a.zeros)
}

// Tried has the values of the launches of a kernel. It omits launches that do not count.
type Tried struct {
	Grid      uint64     `json:"grid"`               // largest number of work-items of a launch
	Groups    int        `json:"groups"`             // number of different work-groups
	Values    []TriedArg `json:"values"`             // values of scalars, and float classes in buffers
	Overlaps  [][2]int   `json:"overlaps,omitempty"` // pairs of arguments that pointed into one buffer
	Not       int        `json:"not"`                // number of launches that do not count
	BothWays  int        `json:"both_ways"`          // comparisons and branches of both programs with both outcomes
	Comparing int        `json:"comparing"`          // executed comparisons and branches
	// OneWay has comparisons and branches with only one outcome. Unseen has outcomes that comparisons never had.
	OneWay []Unseen `json:"one_way,omitempty"`
	Unseen []Unseen `json:"unseen,omitempty"`
}

// Unseen is an outcome that a comparison or a branch of a program never had.
type Unseen struct {
	Program string `json:"program"` // "a" or "b"
	compare.Unseen
}

// compared adds the outcomes of the comparisons of a program.
func (x *tried) compared(program string, o *compare.Outcomes) {
	all, oneWay, unseen := o.Ways()
	x.comparisons += all
	for _, u := range oneWay {
		x.oneWay = append(x.oneWay, Unseen{program, u})
	}
	for _, u := range unseen {
		x.unseen = append(x.unseen, Unseen{program, u})
	}
	slices.SortStableFunc(x.unseen, func(a, b Unseen) int { return cmp.Compare(a.Rank, b.Rank) })
}

// TriedArg has the values of a scalar, or of the elements of a buffer of floats.
type TriedArg struct {
	Arg  int          `json:"arg"`
	Name string       `json:"name,omitempty"`
	Byte int          `json:"byte"` // offset of a member of a structure or of an element of a vector
	As   spec.Element `json:"as"`
	// Values counts the values of a scalar. Bits counts its bits that were 0 in one launch and 1 in another.
	Values int    `json:"values,omitempty"`
	Min    string `json:"min,omitempty"`
	Max    string `json:"max,omitempty"`
	Bits   int    `json:"bits,omitempty"`
	// Classes counts the classes of floats that occurred, up to ten.
	Classes int `json:"classes,omitempty"`

	all         map[uint64]bool // values of a scalar
	low, high   uint64
	ones, zeros uint64 // bits that were 1, and bits that were 0
	classes     uint16
}

// Tried returns the values of the launches that count.
func (k *KernelComparison) Tried() *Tried {
	x := &k.tried
	r := &Tried{Grid: x.grid, Groups: len(x.groups), Values: []TriedArg{}, Overlaps: x.overlaps, Not: x.not,
		BothWays: x.comparisons - len(x.oneWay), Comparing: x.comparisons, OneWay: x.oneWay, Unseen: x.unseen}
	for s, v := range x.values {
		a := TriedArg{Arg: s.arg, Name: k.names[s.arg], Byte: v.Byte, As: s.as, Values: len(v.all), Bits: x.bits(s),
			Classes: bits.OnesCount16(v.classes)}
		if a.Values > 0 {
			a.Min, a.Max = string(number(s.as, v.low)), string(number(s.as, v.high))
		}
		r.Values = append(r.Values, a)
	}
	slices.SortFunc(r.Values, func(a, b TriedArg) int {
		return cmp.Or(cmp.Compare(a.Arg, b.Arg), cmp.Compare(a.Byte, b.Byte), cmp.Compare(a.As, b.As))
	})
	return r
}

// String returns the report as one line of text. Arguments with the same text are listed together.
func (r *Tried) String() string {
	all := []string{fmt.Sprintf("grids to %d", r.Grid)}
	var says []string
	about := map[string][]string{}
	for i := range r.Values {
		a := &r.Values[i]
		name := cmp.Or(a.Name, fmt.Sprintf("argument %d", a.Arg))
		if a.Byte > 0 {
			name += fmt.Sprintf("+%d", a.Byte)
		}
		text := a.text()
		if about[text] == nil {
			says = append(says, text)
		}
		about[text] = append(about[text], name)
	}
	for _, text := range says {
		all = append(all, fmt.Sprintf("%s: %s", strings.Join(about[text], ", "), text))
	}
	if n := len(r.Overlaps); n > 0 {
		all = append(all, fmt.Sprintf("%s of pointers into one buffer", plural.Of(n, "pair")))
	}
	if r.Comparing > 0 {
		all = append(all, fmt.Sprintf("%d of %s seen both ways", r.BothWays, plural.Of(r.Comparing, "comparison")))
		all = append(append(all, unseenText(r.OneWay)...), unseenText(r.Unseen)...)
	}
	if r.Not > 0 {
		all = append(all, fmt.Sprintf("%d more count for nothing", r.Not))
	}
	return strings.Join(all, "; ")
}

// mostUnseen limits the comparisons with only one outcome, and the unseen outcomes, that the report lists.
const mostUnseen = 4

// unseenText returns the text of outcomes that never occurred. It lists an outcome of both programs only once.
func unseenText(unseen []Unseen) (all []string) {
	programs := map[string]string{}
	for i := range unseen {
		text := unseen[i].String()
		if programs[text] == "" {
			all = append(all, text)
		}
		programs[text] += unseen[i].Program
	}
	for i, text := range all {
		if programs[text] == "a" || programs[text] == "b" {
			all[i] = programs[text] + ": " + text
		}
	}
	if more := len(all) - mostUnseen; more > 0 {
		all = append(all[:mostUnseen], fmt.Sprintf("%d more so", more))
	}
	return all
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
