package verdict

import (
	"math"
	"slices"
	"strconv"

	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/element"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// valueArg is a number that a kernel gets by value: an argument, a member of a structure or an element of a vector.
type valueArg struct {
	arg, at int // explicit argument, byte of it
	as      spec.Element
	known   bool // the metadata name its type
}

// maxScalarBytes is how many bytes of an argument by value are taken for numbers.
const maxScalarBytes = 256

// scalarsOf returns the scalars of a kernel that no hint gives. A structure is taken for dwords.
func scalarsOf(s *launcher) (all []valueArg) {
	for n, a := range explicit(s.kernel) {
		if _, given := s.known.arg(a, n); given || a.Kind != codeobj.ByValue {
			continue
		}
		as, known := element.Named(a.TypeName)
		switch {
		case known:
		case a.Size == 8:
			as = spec.I64
		case a.Size == 2:
			as = spec.I16
		case a.Size == 1:
			as = spec.I8
		default:
			as = spec.I32
		}
		size := element.Of(as).Bytes
		for at := 0; at+size <= min(int(a.Size), maxScalarBytes); at += size {
			all = append(all, valueArg{n, at, as, known})
		}
	}
	return all
}

// of returns the value of s in a launch; ok is false if the argument is something else there.
func (s *valueArg) of(d *spec.Dispatch) (v uint64, ok bool) {
	b := d.Args[s.arg].Bytes
	if b == nil || s.at+element.Of(s.as).Bytes > len(*b) {
		return 0, false
	}
	return element.Of(s.as).Get((*b)[s.at:]), true
}

// set returns the change of s to a value.
func (s *valueArg) set(v uint64) change {
	return func(l *pairRun) {
		if b := l.dispatch.Args[s.arg].Bytes; b != nil {
			value := slices.Clone(*b)
			element.Of(s.as).Put(value[s.at:], v)
			l.dispatch.Args[s.arg].Bytes = &value
		}
	}
}

// firstValues is how many values of a walk come before other launches.
const firstValues = 4

// values returns what s is set to, most telling ones first. now is its value in the base.
func (s *valueArg) values(now uint64, floats bool) (all []uint64) {
	t := element.Of(s.as)
	if t.Mantissa > 0 {
		quiet := uint64(1) << (t.Mantissa - 1)
		all = []uint64{now ^ t.Sign(), 0, t.Infinity() | quiet, 1, t.Sign(), t.Infinity(), t.Infinity() | t.Sign(),
			t.Infinity() | 1, t.Infinity() - 1, t.FromFloat(1), t.FromFloat(-2.5), 1<<t.Mantissa - 1 | t.Sign(),
			t.FromFloat(1 << 15), t.FromFloat(-(1 << 31)), t.FromFloat(1e-3)}
	} else {
		m := t.Mask()
		all = []uint64{m, t.Sign(), -now, 0, m / 3, m - m/3, t.Sign() - 1, t.Sign() + 1, 1, m / 15, m - m/15, m / 257,
			m - m/257, mixed & m, ^(mixed & m)}
		if !s.known && floats && t.Bytes == 4 {
			f := element.Of(spec.F32)
			all = append(all, f.FromFloat(1), f.FromFloat(-1.5), f.Infinity(), f.Infinity()|1<<22, f.Sign(), f.Infinity()-1,
				f.FromFloat(1<<31))
		}
	}
	for i := range all {
		all[i] &= t.Mask()
	}
	return all
}

// mixed has bits without a pattern.
const mixed = 0x9e3779b97f4a7c15

// walk gives each scalar, one at a time, its values from number first to below end. The first ones meet two bases, so
// that another way that one base takes does not hide them.
func (x *director) walk(bases []*base, first, end int) {
	for k := first; k < end; k++ {
		more := false
		for n := range x.scalars {
			s := &x.scalars[n]
			now, ok := s.of(bases[0].dispatch)
			if !ok {
				continue
			}
			values := s.values(now, x.launcher.facts.floats())
			if k >= len(values) {
				continue
			}
			more = true
			for i := range min(len(bases), max(1, 2-k)) {
				b := bases[(k+i)%len(bases)]
				if v, ok := s.of(b.dispatch); ok && v != values[k] {
					x.try(b, s.set(values[k]))
				}
			}
		}
		if !more || x.over() {
			return
		}
		if len(x.scalars) > 1 && k < firstValues { // all of them at once, each another value
			var all []change
			for n := range x.scalars {
				s := &x.scalars[n]
				if now, ok := s.of(bases[0].dispatch); ok {
					values := s.values(now, false)
					all = append(all, s.set(values[(k+4*n)%len(values)]))
				}
			}
			x.try(bases[k%len(bases)], all...)
		}
	}
}

// climb gives integers that took none of their large values, as those that count turns of a loop, powers of two up to
// one that is too large, and what lies beside them.
func (x *director) climb(b *base) {
	for n := range x.scalars {
		s := &x.scalars[n]
		t := element.Of(s.as)
		if t.Mantissa > 0 || x.res.tried.bits(s) > t.Bits()/2 {
			continue
		}
		failed := 0
		for v := uint64(2); v < t.Sign() && failed < 2 && !x.over(); v *= 2 {
			if !x.try(b, s.set(v)) {
				failed++
			}
			if v >= 8 && !x.try(b, s.set(v+v/2+1)) {
				failed++
			}
		}
	}
}

// pattern describes the special values of a launch, which stand among plain ones.
type pattern struct {
	floats, integers []string
	wide             bool // plain values are of any size
}

// patterns are the data of special launches, one after another.
var patterns = []pattern{
	{[]string{"zeros", "denormals", "edges"}, []string{"edges"}, true},
	{[]string{"nan", "infinities"}, []string{"magnitudes", "edges"}, false},
	{[]string{"magnitudes", "denormals", "nan", "infinities", "zeros"}, []string{"magnitudes"}, true},
	{[]string{"0.5", "-0.5", "1.5", "-1.5", "2.5", "-3.5", "1", "-1", "255.5", "-128.5", "32768", "65504", "65536",
		"16777216", "2147483648", "-2147483648", "4294967296", "1e10", "1e-10", "1e30", "-1e30", "zeros"},
		[]string{"-1", "1", "2", "127", "128", "255", "256", "32767", "32768", "-32768", "65535", "65536",
			"2147483647", "2147483648", "4294967295"}, false},
}

// data returns the data of a pattern. Numbers that do not fit the type are left out.
func (p *pattern) data(as spec.Element, seed uint64) *spec.Random {
	r := &spec.Random{Seed: seed, As: as}
	t := element.Of(as)
	with := p.integers
	switch {
	case t.Mantissa > 0:
		with = p.floats
		if p.wide {
			r.Min, r.Max = "-1000", "1000"
		}
	case !p.wide:
		r.Min, r.Max = "0", spec.Number(strconv.Itoa(guessMax))
	}
	for _, name := range with {
		if _, err := strconv.ParseFloat(name, 64); err == nil && name != "nan" {
			if _, err := t.Parse(spec.Number(name)); err != nil {
				continue
			}
		}
		r.With = append(r.With, name)
	}
	return r
}

// special gives all buffers special values, then, where that counts for nothing, each buffer alone.
func (x *director) special(bases []*base) {
	if len(x.buffers) == 0 {
		return
	}
	types := x.launcher.facts.types
	kinds := 1
	for _, n := range x.buffers {
		if !x.typed[n] {
			kinds = len(types)
		}
	}
	for i := range min(len(patterns)*kinds, maxSpecial) {
		p := &patterns[i%len(patterns)]
		b := bases[i%len(bases)]
		var all []change
		for _, n := range x.buffers {
			as, format := x.elements[n], ""
			if !x.typed[n] {
				as = types[(i/len(patterns)+i)%len(types)]
			}
			if b.dispatch.Args[n].Image != nil {
				as, format = imageData(x.launcher.facts.floats(), i)
			}
			all = append(all, setBuffer(n, p.data(as, uint64(1000*i+n+1)), format))
		}
		if x.try(b, all...) || len(all) == 1 || x.over() {
			continue
		}
		for _, one := range all[:min(len(all), maxAlone)] {
			x.try(b, one)
		}
	}
}

// Launches of special data; how many buffers have them alone.
const maxSpecial, maxAlone = 12, 6

// imageData returns the elements and the format of an image in the i-th launch of special data.
func imageData(floats bool, i int) (spec.Element, string) {
	switch {
	case !floats && i%2 == 0:
		return spec.U32, "R32G32B32A32_UINT"
	case !floats:
		return spec.I32, "R32G32B32A32_SINT"
	case i%4 == 3:
		return spec.F16, "R16G16B16A16_SFLOAT"
	}
	return spec.F32, "R32G32B32A32_SFLOAT"
}

// same returns data whose elements are all one value.
func same(as spec.Element, v uint64) *spec.Random {
	r := &spec.Random{As: as, With: []string{"same"}}
	r.Min = number(as, v)
	r.Max = r.Min
	return r
}

// number returns an element as text; infinities and NaNs have none.
func number(as spec.Element, v uint64) spec.Number {
	t := element.Of(as)
	switch {
	case t.Mantissa > 0:
		return spec.Number(strconv.FormatFloat(t.Float(v), 'g', -1, 64))
	case t.Signed:
		shift := 64 - t.Bits()
		return spec.Number(strconv.FormatInt(int64(v<<shift)>>shift, 10))
	}
	return spec.Number(strconv.FormatUint(v&t.Mask(), 10))
}

// finite reports whether a value has a number as text.
func finite(as spec.Element, v uint64) bool {
	t := element.Of(as)
	return t.Mantissa == 0 || !math.IsInf(t.Float(v), 0) && !math.IsNaN(t.Float(v))
}
