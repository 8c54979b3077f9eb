package spec

import (
	"errors"
	"fmt"
	"math"

	"github.com/gcnsim/gcnsim/internal/tool/literal"
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

	nans bool // the one tolerance: NaNs are alike
}

// expectation is an Expect that has been checked.
type expectation struct {
	*elementType
	as     Element
	arg    int
	offset uint64
	want   []byte

	nans               bool   // NaNs alone may differ
	exact              bool   // the payload of a NaN counts, too
	distance           uint64 // of integers
	withULP            bool
	ulp                uint64
	absolute, relative float64 // of floats
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
	if err := s.As.check(); err != nil {
		return x, err
	}
	size := memory[s.Arg].Size()
	x = expectation{elementType: s.As.typ(), as: s.As, arg: s.Arg, offset: s.Offset, want: s.Want, exact: s.Bits,
		nans: s.nans}
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
	case x.offset%uint64(x.bytes) != 0:
		return x, fmt.Errorf("offset %d lies inside of an element of %s; give a multiple of %d, or as", x.offset, x.name,
			x.bytes)
	}
	return x, s.tolerances(&x)
}

// tolerances sets those of x.
func (s *Expect) tolerances(x *expectation) (err error) {
	float := x.mantissa > 0
	switch {
	case s.Bits && !float:
		return fmt.Errorf("bits has no effect, %s is always compared bit for bit; leave it out", x.name)
	case s.Bits && (s.ULP != nil || s.Absolute != "" || s.Relative != ""):
		return errors.New("bits allows no difference, but a tolerance is given; leave one out")
	case !float && (s.ULP != nil || s.Relative != ""):
		return fmt.Errorf("ulp and relative are for floats, not for %s; give as, or absolute", x.name)
	}
	if s.ULP != nil {
		x.withULP, x.ulp = true, *s.ULP
	}
	if !float && s.Absolute != "" {
		if x.distance, err = s.Absolute.of(U64.typ()); err != nil {
			return fmt.Errorf("absolute: %w", err)
		}
		return nil
	}
	for _, t := range []struct {
		key  string
		n    Number
		into *float64
	}{{"absolute", s.Absolute, &x.absolute}, {"relative", s.Relative, &x.relative}} {
		if t.n == "" {
			continue
		}
		if *t.into, err = t.n.float(); err == nil && !(*t.into >= 0 && *t.into <= math.MaxFloat64) {
			err = fmt.Errorf("%s is no tolerance; give a finite number, 0 or more", literal.Short(string(t.n)))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", t.key, err)
		}
	}
	return nil
}

// tolerant reports whether s allows a difference.
func (s *Expect) tolerant() bool {
	return s.ULP != nil || s.Absolute != "" || s.Relative != "" || s.nans
}

// tolerances returns what d expects with a tolerance, without the contents.
func (d *Dispatch) tolerances() (all []Expect) {
	for _, s := range d.Expect {
		if s.tolerant() {
			s.Want = nil
			all = append(all, s)
		}
	}
	return all
}

// sameTolerance reports whether s and x, of which nothing is wanted, let the same differences pass.
func sameTolerance(s, x Expect) bool {
	ulp := func(e *Expect) uint64 {
		if e.ULP == nil {
			return 0
		}
		return *e.ULP
	}
	return s.Arg == x.Arg && s.Offset == x.Offset && s.As == x.As && s.Bits == x.Bits && s.nans == x.nans &&
		(s.ULP == nil) == (x.ULP == nil) && ulp(&s) == ulp(&x) && s.Absolute == x.Absolute && s.Relative == x.Relative
}

// near returns what reports whether two values of an element, which differ, are as near to each other
// as d expects it of a value and that which it wants; nil if d allows no difference. An
// element for which d expects nothing must be the same. The error is a *[KeyError], or what is wrong
// with an expectation.
func (d *Dispatch) near(memory []*Memory) (func(arg int, offset uint64, a, b []byte) bool, error) {
	if d.tolerances() == nil {
		return nil, nil
	}
	all, err := d.expectations(memory)
	if err != nil {
		return nil, err
	}
	tolerant := map[int]*expectation{} // by argument
	for i := range all {
		if d.Expect[i].tolerant() {
			tolerant[all[i].arg] = &all[i]
		}
	}
	for i := range all {
		key := fmt.Sprintf("expect[%d]", i)
		switch x, t := &all[i], tolerant[all[i].arg]; {
		case t == nil:
		case t.elementType != x.elementType:
			return nil, &KeyError{key + ".as", fmt.Errorf("argument %d is compared as %s or as %s; give all that is "+
				"expected of it as one type", x.arg, x.name, t.name)}
		}
	}
	return func(arg int, offset uint64, a, b []byte) bool {
		near := false
		if tolerant[arg] == nil {
			return false
		}
		for i := range all {
			x := &all[i]
			if x.arg != arg || offset < x.offset || offset+uint64(len(a)) > x.offset+uint64(len(x.want)) {
				continue
			}
			if near = len(a) == x.bytes && x.near(x.get(a), x.get(b)); !near {
				return false
			}
		}
		return near
	}, nil
}

// near reports whether got is what is wanted, or as near as it must be.
func (x *expectation) near(want, got uint64) bool {
	switch {
	case want == got:
		return true
	case x.mantissa == 0:
		a, b := x.order(want), x.order(got)
		return max(a, b)-min(a, b) <= x.distance
	case x.exact:
		return false
	case want&^x.sign() >= x.infinity() || got&^x.sign() >= x.infinity():
		return want&^x.sign() > x.infinity() && got&^x.sign() > x.infinity() // both are NaN
	case x.nans:
		return false
	case x.withULP && x.ulps(want, got) <= x.ulp:
		return true
	}
	a, b := x.float(want), x.float(got)
	off := math.Abs(a - b)
	return off <= x.absolute || off <= x.relative*math.Abs(a)
}

// ulps returns how many floats got is away from want; both zeros are one number.
func (t *elementType) ulps(want, got uint64) uint64 {
	a, b := want&^t.sign(), got&^t.sign()
	if (want^got)&t.sign() != 0 {
		return a + b
	}
	return max(a, b) - min(a, b)
}
