package spec

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"strings"

	"github.com/gcnsim/gcnsim/internal/sim/element"
	"github.com/gcnsim/gcnsim/internal/tool/literal"
)

// Random is data generated from a seed: elements of one type, uniformly distributed from Min to Max.
type Random struct {
	Seed uint64  `json:"random"`
	As   Element `json:"as"`
	// Min and Max are the bounds. "" means -1 and 1 for floats, and the smallest and largest value for integers.
	Min Number `json:"min,omitzero"`
	Max Number `json:"max,omitzero"`
	// With are the names of special values, which replace one in four elements: "edges" of the type and of the bounds,
	// "nan", "infinities", "denormals", "zeros" and "magnitudes", or numbers. "same" makes all elements equal.
	With []string `json:"with,omitempty"`
}

// sameValue makes all elements equal.
const sameValue = "same"

// special generates the special values with a name.
type special struct {
	name   string
	floats bool // only floats have such values
	// draw returns one of the special values, selected by a random number.
	draw func(d *distribution, r uint64) uint64
}

var specials = []special{
	{"edges", false, func(d *distribution, r uint64) uint64 { return d.edges[r%uint64(len(d.edges))] }},
	{"nan", true, func(d *distribution, r uint64) uint64 { return r | d.Infinity() | 1<<(r>>32%uint64(d.Mantissa)) }},
	{"infinities", true, func(d *distribution, r uint64) uint64 { return r&d.Sign() | d.Infinity() }},
	{"denormals", true, func(d *distribution, r uint64) uint64 { return r&^d.Infinity() | 1<<(r>>32%uint64(d.Mantissa)) }},
	{"magnitudes", false, drawMagnitude},
	{"zeros", false, func(d *distribution, r uint64) uint64 {
		if d.Mantissa == 0 {
			return 0
		}
		return r & d.Sign()
	}},
}

// drawMagnitude returns a number with a random number of bits, because a uniform distribution has hardly any small
// numbers.
func drawMagnitude(d *distribution, r uint64) uint64 {
	if d.Mantissa > 0 {
		return r & (d.Sign() | d.Infinity() - 1)
	}
	v := r & d.Mask() >> (r >> 32 % uint64(8*d.Bytes))
	if d.Signed && r>>60&1 != 0 {
		return -v & d.Mask()
	}
	return v
}

// distribution is the distribution of the elements of random data.
type distribution struct {
	*element.Type
	low, high uint64 // bits of the smallest and the largest number
	edges     []uint64
	numbers   []uint64 // special values
	specials  []special
	same      bool
}

// distribution returns the distribution that s describes.
func (s *Random) distribution() (*distribution, error) {
	if err := element.Check(s.As); err != nil {
		return nil, err
	}
	d := &distribution{Type: element.Of(s.As)}
	d.low, d.high = 0, d.Mask()
	switch {
	case d.Mantissa > 0:
		d.low, d.high = d.FromFloat(-1), d.FromFloat(1)
	case d.Signed:
		d.low, d.high = d.Sign(), d.Sign()-1
	}
	for _, bound := range []struct {
		key  string
		n    Number
		into *uint64
	}{{"min", s.Min, &d.low}, {"max", s.Max, &d.high}} {
		if bound.n == "" {
			continue
		}
		var err error
		if *bound.into, err = d.Parse(bound.n); err != nil {
			return nil, fmt.Errorf("%s: %w", bound.key, err)
		}
	}
	if d.Order(d.low) > d.Order(d.high) {
		return nil, fmt.Errorf("min is more than max, which is %s unless it is given; give both", d.Text(d.high))
	}
	d.findEdges(s.Min != "" || s.Max != "")
	return d, d.setSpecials(s.With)
}

// setSpecials sets the special values with the given names.
func (d *distribution) setSpecials(names []string) error {
names:
	for i, name := range names {
		if name == sameValue {
			d.same = true
			continue
		}
		if name != "" && strings.ContainsAny(name[:1], "-.0123456789") {
			v, err := d.Parse(Number(name))
			if err != nil {
				return fmt.Errorf("with[%d]: %w", i, err)
			}
			if d.numbers = append(d.numbers, v); len(d.numbers) == 1 {
				d.specials = append(d.specials, special{draw: func(d *distribution, r uint64) uint64 {
					return d.numbers[r%uint64(len(d.numbers))]
				}})
			}
			continue
		}
		known := []string{sameValue}
		for _, x := range specials {
			known = append(known, x.name)
			switch {
			case x.name != name:
			case x.floats && d.Mantissa == 0:
				return fmt.Errorf("with[%d]: %s has no %s", i, d.Name, name)
			default:
				d.specials = append(d.specials, x)
				continue names
			}
		}
		return fmt.Errorf("with[%d]: %s is not known; known are numbers, %s", i, literal.Quoted(name),
			strings.Join(known, ", "))
	}
	return nil
}

// findEdges sets the values at the limits of the type and of the range. If bounded is set, it omits those outside of
// the range.
func (d *distribution) findEdges(bounded bool) {
	all := []uint64{0, 1, d.Mask(), d.Mask() >> 1, d.Sign()}
	if d.Mantissa > 0 {
		all = nil
		for _, v := range []uint64{0, d.FromFloat(1), 1 << d.Mantissa, d.Infinity() - 1} {
			all = append(all, v, v|d.Sign())
		}
	}
	d.edges = []uint64{d.low, d.high}
	for _, v := range all {
		if !bounded || d.Order(v) >= d.Order(d.low) && d.Order(v) <= d.Order(d.high) {
			d.edges = append(d.edges, v)
		}
	}
}

// between returns an element from low to high, selected by the random number r.
func (d *distribution) between(r uint64) uint64 {
	if d.Mantissa == 0 { // integers are ordered by their value
		low := d.Order(d.low)
		span := d.Order(d.high) - low
		if span != math.MaxUint64 {
			r, _ = bits.Mul64(r, span+1)
		}
		return (d.low + r) & d.Mask()
	}
	const units = 1 << 53
	part := float64(r>>11) / units
	// The conversions prevent a fused multiply-add, so that all hosts compute the same value.
	x := float64(d.Float(d.low)*(1-part)) + float64(d.Float(d.high)*part)
	v := d.FromFloat(x)
	switch {
	case d.Order(v) < d.Order(d.low):
		return d.low
	case d.Order(v) > d.Order(d.high):
		return d.high
	}
	return v
}

// draw returns the next element.
func (d *distribution) draw(source *rand.ChaCha8) uint64 {
	r := source.Uint64()
	if n := uint64(len(d.specials)); n > 0 && r%4 == 0 {
		return d.specials[r/4%n].draw(d, source.Uint64()) & d.Mask()
	}
	return d.between(source.Uint64())
}

// Fill sets data to the random data of argument number in a run with seed more. The data depends only on the sum of
// the two seeds and on number: longer data starts with the same elements.
func (s *Random) Fill(data []byte, number int, more uint64) error {
	d, err := s.distribution()
	if err != nil {
		return err
	}
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[0:], s.Seed+more)
	binary.LittleEndian.PutUint64(seed[8:], uint64(number))
	source := rand.NewChaCha8(seed)
	v := d.draw(source)
	for i := 0; i < len(data); i += d.Bytes {
		d.Put(data[i:], v)
		if !d.same {
			v = d.draw(source)
		}
	}
	return nil
}
