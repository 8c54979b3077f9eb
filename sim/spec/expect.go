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

// Expect is the expected memory of an argument after a dispatch. An element is correct if it satisfies one of the
// tolerances. All NaNs are equal unless Bits is set.
type Expect struct {
	Arg    int     `json:"arg"`
	Offset uint64  `json:"offset"` // offset of the first byte
	Want   []byte  `json:"hex"`    // for an image: a PNG picture of its first slice, or texels
	File   string  `json:"file"`   // the file with Want, instead of Want
	As     Element `json:"as"`
	Bits   bool    `json:"bits"` // floats must be equal bit for bit
	// ULP is the allowed difference in floats between two values; nil allows none.
	ULP *uint64 `json:"ulp"`
	// Absolute and Relative are the largest differences from the expected value. Relative is for floats.
	Absolute Number `json:"absolute"`
	Relative Number `json:"relative"`
}

// expectation is a valid Expect with its data.
type expectation struct {
	element.Tolerance
	as     Element
	arg    int
	offset uint64
	want   []byte
}

// expectations validates the expectations of d, before execution.
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

// near returns a function that reports whether two different values of an element are equal within the tolerance that
// d states for it; nil if d allows no difference. An element without an expectation must be equal. The error
// describes a mistake in an expectation.
func (d *Dispatch) near(memory []*Memory) (func(arg int, offset uint64, a, b []byte) bool, error) {
	tolerant := map[int]bool{} // by number of the argument
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

// Mismatch is the first element of an argument's memory that differs from [Expect]. It is an error.
type Mismatch struct {
	Expect   int     `json:"expect"` // index in [Dispatch.Expect]
	Arg      int     `json:"arg"`
	Byte     uint64  `json:"byte"`
	Element  uint64  `json:"element"`
	As       Element `json:"as"`
	Want     string  `json:"want"`
	Got      string  `json:"got"`
	Differ   uint64  `json:"differ"` // number of elements that differ
	Elements uint64  `json:"elements"`

	store   *compare.Step // the store that wrote the element last; nil if there is none, or if unknown is not nil
	base    uint64        // address to which the PC of store is relative
	unknown error         // why the store is unknown: the second run failed
	varies  bool          // the second run, one work-group after another, had other results

	ulps  uint64 // floats between the two values, 0 if not defined
	first uint64 // first byte that differs
}

// find returns the first mismatch in the buffer, nil if there is none.
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

// Error returns the mismatch and the store that wrote the element.
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

// judge compares memory with the expectations. It returns the first mismatch, nil if there is none. It executes the
// dispatch again to find the store that wrote the element.
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

// findStore executes d again, one work-group after another. It finds the store that wrote the first byte of the
// mismatch, and whether the argument's contents equal data, those of the first run.
func (m *Mismatch) findStore(ctx context.Context, d *Dispatch, o *Options, data []byte) {
	var first *launched // the first of several runs
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
