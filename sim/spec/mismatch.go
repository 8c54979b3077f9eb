package spec

import (
	"bytes"
	"context"
	"fmt"
	"math/bits"
	"strings"

	"github.com/gcnsim/gcnsim/internal/sim/compare"
)

// Mismatch is the first element of an argument's memory that is not what [Expect] wants. It is an
// error.
type Mismatch struct {
	Expect   int     `json:"expect"` // index in [Dispatch.Expect]
	Arg      int     `json:"arg"`
	Byte     uint64  `json:"byte"`
	Element  uint64  `json:"element"`
	As       Element `json:"as"`
	Want     string  `json:"want"`
	Got      string  `json:"got"`
	Differ   uint64  `json:"differ"` // how many elements
	Elements uint64  `json:"elements"`

	store   *storing `json:"-"` // who stored the element last, nil if nothing did or if Unknown is not nil
	unknown error    `json:"-"` // why it is not known who stored it: a second run failed
	varies  bool     `json:"-"` // a second run, one work-group after another, left other values

	ulps  uint64 // between them, 0 if that is no number
	first uint64 // first byte that is not as expected
}

// storing is the instruction that stored a byte last, and for which work-item.
type storing struct {
	Item [3]uint64 // the global id
	step *compare.Step
	base uint64 // what PCs count from in the file of the object
}

// String says who stored it and where in the file.
func (s *storing) String() string {
	text := fmt.Sprintf("work-item %d,%d,%d with %s at 0x%x", s.Item[0], s.Item[1], s.Item[2], s.step.Text,
		s.step.PC-s.base)
	if s.step.Source != "" {
		text += fmt.Sprintf(" (%s)", s.step.Source)
	}
	return text
}

// find returns what of the buffer is not as expected, nil if all is.
func (x *expectation) find(data []byte) *Mismatch {
	data = data[x.offset:][:len(x.want)]
	m := &Mismatch{Arg: x.arg, As: x.as, Elements: uint64((len(data) + x.Bytes - 1) / x.Bytes)}
	for i := 0; i < len(data); i += x.Bytes {
		want, got := x.Get(x.want[i:]), x.Get(data[i:])
		if want == got || i+x.Bytes <= len(data) && x.Near(want, got) {
			continue
		}
		if m.Differ++; m.Differ > 1 {
			continue
		}
		m.Byte = x.offset + uint64(i)
		m.Element = m.Byte / uint64(x.Bytes)
		m.first = m.Byte + uint64(bits.TrailingZeros64(want^got)/8)
		if m.Want, m.Got = x.Text(want), x.Text(got); m.Want == m.Got {
			m.Want, m.Got = x.Hex(want), x.Hex(got)
		}
		if x.Mantissa > 0 && want&^x.Sign() < x.Infinity() && got&^x.Sign() < x.Infinity() {
			m.ulps = x.ULPs(want, got)
		}
	}
	if m.Differ == 0 {
		return nil
	}
	return m
}

// Error says what is wrong, and who stored it.
func (m *Mismatch) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "expect[%d]: argument %d, byte %d, element %d: want %s, got %s", m.Expect, m.Arg, m.Byte, m.Element,
		m.Want, m.Got)
	if m.ulps > 0 {
		fmt.Fprintf(&b, ", %d ulp away", m.ulps)
	}
	switch {
	case m.unknown != nil:
		fmt.Fprintf(&b, "; who stored it is not known, a second run failed: %v", m.unknown)
	case m.store != nil:
		fmt.Fprintf(&b, "; stored by %v", m.store)
	default:
		b.WriteString("; nothing stored it")
	}
	if m.varies {
		b.WriteString("; a second run, one work-group after another, left other values in the buffer: work-groups race, " +
			"give check race")
	}
	fmt.Fprintf(&b, "; %d of %d elements differ", m.Differ, m.Elements)
	return b.String()
}

// judge compares memory with what is expected of it. It returns the first mismatch, nil if there is
// none. The dispatch runs again to find who stored the element.
func (d *Dispatch) judge(ctx context.Context, o *Options, all []expectation, memory []*Memory) (*Mismatch, error) {
	for i := range all {
		x := &all[i]
		data, err := memory[x.arg].contents()
		if err != nil {
			return nil, fmt.Errorf("expect[%d]: %w", i, err)
		}
		m := x.find(data)
		if m == nil {
			continue
		}
		m.Expect = i
		var same bool
		m.store, same, m.unknown = d.findStore(ctx, o, x.arg, m.first, data)
		m.varies = m.unknown == nil && !same
		return m, nil
	}
	return nil, nil
}

// findStore runs the dispatch again, one work-group after another, and returns what stored the
// byte at an offset in the contents of an argument last, nil if nothing did. same reports whether
// the contents are those that the first run left.
func (d *Dispatch) findStore(ctx context.Context, o *Options, arg int, at uint64, before []byte) (by *storing,
	same bool, err error) {
	var first *launched // of several runs
	quiet := *o
	quiet.Progress = nil
	last, err := compare.LastStores(ctx, func() (*compare.Session, error) {
		s, r, err := d.session(&quiet)
		if first == nil {
			first = r
		}
		return s, err
	})
	if err != nil {
		return nil, false, err
	}
	h := first.memory[arg]
	after, err := h.contents()
	if err != nil {
		return nil, false, err
	}
	same = bytes.Equal(after, before)
	step, err := last.Of(ctx, arg, at)
	if step == nil || err != nil {
		return nil, same, err
	}
	by = &storing{step: step, base: first.launch.Module.Base}
	for i, n := range step.Item {
		by.Item[i] = uint64(n) + first.launch.Offset[i]
	}
	return by, same, nil
}
