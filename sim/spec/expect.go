package spec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/sim/element"
)

// Expect is what the memory of an argument must hold after a dispatch, and how close elements must
// come: an element is right if it meets one of the tolerances. NaNs are alike unless Bits is set.
type Expect struct {
	Arg    int     `json:"arg"`
	Offset uint64  `json:"offset"` // of the first byte
	Want   []byte  `json:"hex"`    // of an image a PNG picture of its first slice, or texels
	File   string  `json:"file"`   // the file that holds Want, in place of it
	As     Element `json:"as"`
	Bits   bool    `json:"bits"` // floats must agree bit for bit
	// ULP is how many floats an element may be away; nil allows none.
	ULP *uint64 `json:"ulp"`
	// Absolute and Relative, to what is wanted, bound the difference. Relative is for floats.
	Absolute Number `json:"absolute"`
	Relative Number `json:"relative"`
}

// expectation is an Expect that has been checked.
type expectation struct {
	element.Tolerance
	as     Element
	arg    int
	offset uint64
	want   []byte
}

// expectations checks what d expects of its memory, before anything runs.
func (d *Dispatch) expectations(memory []*Memory) ([]expectation, error) {
	var all []expectation
	for i := range d.Expect {
		x, err := d.Expect[i].expectation(memory)
		if err != nil {
			return nil, fmt.Errorf("expect[%d]: %w", i, err)
		}
		all = append(all, x)
	}
	return all, nil
}

func (s *Expect) expectation(memory []*Memory) (x expectation, err error) {
	if s.Arg < 0 || s.Arg >= len(memory) || memory[s.Arg] == nil {
		return x, fmt.Errorf("argument %d is not a buffer", s.Arg)
	}
	if err := element.Check(s.As); err != nil {
		return x, err
	}
	size := memory[s.Arg].Size()
	x = expectation{as: s.As, arg: s.Arg, offset: s.Offset, want: s.Want}
	t := element.Of(s.As)
	if memory[s.Arg].Image != nil {
		if x.want, err = memory[s.Arg].asTexels(s.Want); err != nil {
			return x, err
		}
	}
	switch n := uint64(len(x.want)); {
	case n == 0:
		return x, errors.New("nothing is expected; give at least one byte")
	case x.offset > size || n > size-x.offset:
		return x, fmt.Errorf("%d bytes from %d on, but argument %d has %d", n, x.offset, s.Arg, size)
	case x.offset%uint64(t.Bytes) != 0:
		return x, fmt.Errorf("offset %d lies inside of an element of %s; give a multiple of %d, or as", x.offset, t.Name,
			t.Bytes)
	}
	x.Tolerance, err = element.NewTolerance(t, s.Bits, s.ULP, s.Absolute, s.Relative)
	return x, err
}

// near returns what reports whether two values of an element, which differ, are as near to each other
// as d expects it of a value and the one that it wants; nil if d allows no difference. An
// element for which d expects nothing must be the same. The error says what is wrong with an expectation.
func (d *Dispatch) near(memory []*Memory) (func(arg int, offset uint64, a, b []byte) bool, error) {
	tolerant := map[int]bool{} // arguments
	for i := range d.Expect {
		if s := &d.Expect[i]; element.Tolerates(s.ULP, s.Absolute, s.Relative) {
			tolerant[s.Arg] = true
		}
	}
	if len(tolerant) == 0 {
		return nil, nil
	}
	all, err := d.expectations(memory)
	if err != nil {
		return nil, err
	}
	return func(arg int, offset uint64, a, b []byte) bool {
		near := false
		if !tolerant[arg] {
			return false
		}
		for i := range all {
			x := &all[i]
			if x.arg != arg || offset < x.offset || offset+uint64(len(a)) > x.offset+uint64(len(x.want)) {
				continue
			}
			if near = len(a) == x.Bytes && x.Near(x.Get(a), x.Get(b)); !near {
				return false
			}
		}
		return near
	}, nil
}

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

	store   *compare.Step // who stored the element last, nil if nothing did or if unknown is not nil
	base    uint64        // what the PC of store counts from
	unknown error         // why it is not known who stored it: a second run failed
	varies  bool          // a second run, one work-group after another, left other values

	ulps  uint64 // between them, 0 if that is no number
	first uint64 // first byte that is not as expected
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
		s := m.store
		fmt.Fprintf(&b, "; stored by work-item %d,%d,%d with %s at 0x%x", s.Item[0], s.Item[1], s.Item[2], s.Text,
			uint64(s.PC))
		if s.Source != "" {
			fmt.Fprintf(&b, " (%s)", s.Source)
		}
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
		m.findStore(ctx, d, o, data)
		return m, nil
	}
	return nil, nil
}

// findStore runs d again, one work-group after another, and finds what stored the first byte that is not as expected,
// and whether the argument's contents are those that the first run left: data.
func (m *Mismatch) findStore(ctx context.Context, d *Dispatch, o *Options, data []byte) {
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
	var after []byte
	if err == nil {
		after, err = first.memory[m.Arg].contents()
	}
	if err == nil {
		m.base = first.launch.Module.Base
		m.store, err = last.Of(ctx, m.Arg, m.first)
	}
	m.unknown, m.varies = err, err == nil && !bytes.Equal(after, data)
}
