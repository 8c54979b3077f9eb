package spec

import (
	"errors"
	"fmt"

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
