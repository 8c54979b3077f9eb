package job

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strings"
)

// expectSpec is what a buffer must hold after a dispatch, from an offset on, and how close
// elements must come: an element is right if it meets one of the tolerances.
type expectSpec struct {
	Arg      count32   `json:"arg"`
	Offset   count64   `json:"offset"`
	Hex      *hexBytes `json:"hex"`
	File     string    `json:"file"`
	As       element   `json:"as"`
	Bits     bool      `json:"bits"`
	ULP      *count64  `json:"ulp"`
	Absolute numeral   `json:"absolute"`
	Relative numeral   `json:"relative"`
}

// expectation is an expectSpec that has been checked.
type expectation struct {
	*elementType
	arg    int
	offset uint64
	want   []byte

	exact              bool   // the payload of a NaN counts, too
	distance           uint64 // of integers
	withULP            bool
	ulp                uint64
	absolute, relative float64 // of floats
}

// expectations checks what the request expects of its buffers, before anything runs.
func (req *DispatchRequest) expectations(memory []*held, files Files) ([]expectation, error) {
	var all []expectation
	for i := range req.Expect {
		x, err := req.Expect[i].expectation(memory, files)
		if err != nil {
			return nil, fmt.Errorf("expect[%d]: %w", i, err)
		}
		all = append(all, x)
	}
	return all, nil
}

func (s *expectSpec) expectation(memory []*held, files Files) (x expectation, err error) {
	if uint64(s.Arg) >= uint64(len(memory)) || memory[s.Arg] == nil {
		return x, fmt.Errorf("argument %d is not a buffer", s.Arg)
	}
	size := memory[s.Arg].size()
	x = expectation{elementType: s.As.typ(), arg: int(s.Arg), offset: uint64(s.Offset), exact: s.Bits}
	switch {
	case (s.Hex != nil) == (s.File != ""):
		return x, errors.New("give either hex or file, the bytes that it must hold")
	case s.Hex != nil:
		x.want = *s.Hex
	default:
		if x.want, err = files.ReadFile(s.File, maxMemoryBytes); err == nil && memory[s.Arg].image != nil {
			x.want, err = memory[s.Arg].asTexels(x.want)
		}
		if err != nil {
			return x, err
		}
	}
	switch n := uint64(len(x.want)); {
	case n == 0:
		return x, errors.New("nothing is expected; give at least one byte")
	case x.offset > size || n > size-x.offset:
		return x, fmt.Errorf("%d bytes from %d on, but argument %d has %d", n, x.offset, s.Arg, size)
	case x.offset%uint64(x.bytes) != 0:
		return x, fmt.Errorf("offset %d lies inside of an element of %s; give a multiple of %d, or as", x.offset, x.name, x.bytes)
	}
	return x, s.tolerances(&x)
}

// tolerances sets those of x.
func (s *expectSpec) tolerances(x *expectation) (err error) {
	float := x.mantissa > 0
	switch {
	case s.Bits && !float:
		return fmt.Errorf("bits has no effect, %s is always compared bit for bit; leave it out", x.name)
	case s.Bits && (s.ULP != nil || s.Absolute != "" || s.Relative != ""):
		return errors.New("bits allows no difference, but a tolerance is given; leave one out")
	case !float && (s.ULP != nil || s.Relative != ""):
		return fmt.Errorf("ulp and relative are for floats, not for %s; give as, or absolute", x.name)
	}
	x.withULP, x.ulp = s.ULP != nil, uint64(value(s.ULP))
	if !float && s.Absolute != "" {
		if x.distance, err = s.Absolute.of(u64.typ()); err != nil {
			return fmt.Errorf("absolute: %w", err)
		}
		return nil
	}
	for _, t := range []struct {
		key  string
		n    numeral
		into *float64
	}{{"absolute", s.Absolute, &x.absolute}, {"relative", s.Relative, &x.relative}} {
		if t.n == "" {
			continue
		}
		if *t.into, err = t.n.float(); err == nil && !(*t.into >= 0 && *t.into <= math.MaxFloat64) {
			err = fmt.Errorf("%s is no tolerance; give a finite number, 0 or more", plain([]byte(t.n)))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", t.key, err)
		}
	}
	return nil
}

// tolerant reports whether s allows a difference.
func (s *expectSpec) tolerant() bool { return s.ULP != nil || s.Absolute != "" || s.Relative != "" }

// tolerances returns what the request expects with a tolerance, without the contents.
func (req *DispatchRequest) tolerances() (all []expectSpec) {
	for _, s := range req.Expect {
		if s.tolerant() {
			s.Hex, s.File = nil, ""
			all = append(all, s)
		}
	}
	return all
}

// near returns what reports whether two values of an element, which differ, are as near to each other
// as the request expects it of a value and that which it wants; nil if it allows no difference. An
// element for which it expects nothing must be the same. The error is a *[KeyError], or what is wrong
// with an expectation.
func (req *DispatchRequest) near(memory []*held, files Files) (func(arg int, offset uint64, a, b []byte) bool, error) {
	if req.tolerances() == nil {
		return nil, nil
	}
	all, err := req.expectations(memory, files)
	if err != nil {
		return nil, err
	}
	tolerant := map[int]*expectation{} // by argument
	for i := range all {
		if req.Expect[i].tolerant() {
			tolerant[all[i].arg] = &all[i]
		}
	}
	for i := range all {
		key := fmt.Sprintf("expect[%d]", i)
		switch x, t := &all[i], tolerant[all[i].arg]; {
		case t == nil:
		case memory[x.arg].image != nil:
			return nil, &KeyError{key, fmt.Errorf("argument %d is an image, which is compared by the bytes of its memory; leave its tolerances out", x.arg)}
		case t.elementType != x.elementType:
			return nil, &KeyError{key + ".as", fmt.Errorf("argument %d is compared as %s or as %s; give all that is expected of it as one type", x.arg, x.name, t.name)}
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

// mismatch is the first element of a buffer that is not what is expected of it.
type mismatch struct {
	Expect   int        `json:"expect"` // of the request
	Arg      int        `json:"arg"`
	Byte     uint64     `json:"byte"`
	Element  uint64     `json:"element"`
	As       string     `json:"as"`
	Want     string     `json:"want"`
	Got      string     `json:"got"`
	Differ   uint64     `json:"differ"` // how many elements
	Elements uint64     `json:"elements"`
	Group    *[3]uint32 `json:"group,omitempty"` // of the wave that stored it
	Item     *[3]uint64 `json:"item,omitempty"`

	ulps   uint64 // between them, 0 if that is no number
	by     *stored
	varies bool   // it was another value in a second run
	first  uint64 // first byte that is not as expected
	why    error  // why who stored it is not known
}

// find returns what of the buffer is not as expected, nil if all is.
func (x *expectation) find(data []byte) *mismatch {
	data = data[x.offset:][:len(x.want)]
	m := &mismatch{Arg: x.arg, As: x.name, Elements: uint64((len(data) + x.bytes - 1) / x.bytes)}
	for i := 0; i < len(data); i += x.bytes {
		want, got := x.get(x.want[i:]), x.get(data[i:])
		if want == got || i+x.bytes <= len(data) && x.near(want, got) {
			continue
		}
		if m.Differ++; m.Differ > 1 {
			continue
		}
		m.Byte = x.offset + uint64(i)
		m.Element = m.Byte / uint64(x.bytes)
		m.first = m.Byte + uint64(bits.TrailingZeros64(want^got)/8)
		if m.Want, m.Got = x.text(want), x.text(got); m.Want == m.Got {
			m.Want, m.Got = x.hex(want), x.hex(got)
		}
		if x.mantissa > 0 && want&^x.sign() < x.infinity() && got&^x.sign() < x.infinity() {
			m.ulps = x.ulps(want, got)
		}
	}
	if m.Differ == 0 {
		return nil
	}
	return m
}

// Error says what is wrong, and who stored it.
func (m *mismatch) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "expect[%d]: argument %d, byte %d, element %d: want %s, got %s", m.Expect, m.Arg, m.Byte, m.Element, m.Want, m.Got)
	if m.ulps > 0 {
		fmt.Fprintf(&b, ", %d ulp away", m.ulps)
	}
	switch {
	case m.why != nil:
		fmt.Fprintf(&b, "; who stored it is not known, a second run failed: %v", m.why)
	case m.by != nil:
		fmt.Fprintf(&b, "; stored by %v", m.by)
	default:
		b.WriteString("; nothing stored it")
	}
	if m.varies {
		b.WriteString("; a second run, one work-group after another, left other values in the buffer: work-groups race, give check race")
	}
	fmt.Fprintf(&b, "; %d of %d elements differ", m.Differ, m.Elements)
	return b.String()
}

// judge compares buffers with what is expected of them. It returns the first mismatch, nil if
// there is none. The dispatch runs again to find who stored the element.
func (req *DispatchRequest) judge(ctx context.Context, o *Options, all []expectation, memory []*held) (*mismatch, error) {
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
		if m.by, same, m.why = req.findStorer(ctx, o, x.arg, m.first, data); m.why != nil {
			return m, nil
		}
		m.varies = !same
		if m.by != nil {
			m.Group, m.Item = &m.by.Group, &m.by.item
		}
		return m, nil
	}
	return nil, nil
}
