package verdict

import (
	"slices"
	"strconv"

	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/element"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// input is a numeric input of a kernel: an argument by value, a member of a structure, an element of a vector, or all
// elements of a buffer.
type input struct {
	arg, at int // number of the explicit argument, byte offset in it
	as      spec.Element
	known   bool // the metadata name the type
}

// everywhere is the value of input.at for all elements of a buffer.
const everywhere = -1

// maxScalarBytes is the number of bytes of an argument by value that are treated as scalars.
const maxScalarBytes = 256

// scalarsOf returns the scalars of a kernel that no hint gives. A structure is split into dwords.
func scalarsOf(s *launcher) (all []input) {
	for n, a := range codeobj.Explicit(s.kernel) {
		if _, given := s.known.arg(a, n); given || a.Kind != codeobj.ByValue {
			continue
		}
		as, known := element.Named(a.TypeName)
		if !known {
			as = spec.I32
			if of, whole := map[uint32]spec.Element{8: spec.I64, 2: spec.I16, 1: spec.I8}[a.Size]; whole {
				as = of
			}
		}
		size := element.Of(as).Bytes
		for at := 0; at+size <= min(int(a.Size), maxScalarBytes); at += size {
			all = append(all, input{n, at, as, known})
		}
	}
	return all
}

// of returns the value of a scalar in a launch. ok is false if the argument of the launch is not by value.
func (s input) of(d *spec.Dispatch) (v uint64, ok bool) {
	b := d.Args[s.arg].Bytes
	if b == nil || s.at+element.Of(s.as).Bytes > len(*b) {
		return 0, false
	}
	return element.Of(s.as).Get((*b)[s.at:]), true
}

// set returns a change of s to a value. If s is a buffer, all its elements get the value.
func (s input) set(v uint64) change {
	if s.at == everywhere {
		r := &spec.Random{As: s.as, Min: number(s.as, v), Max: number(s.as, v), With: []string{"same"}}
		return s.fill(r, "")
	}
	return func(l *pairRun) {
		if b := l.dispatch.Args[s.arg].Bytes; b != nil {
			value := slices.Clone(*b)
			element.Of(s.as).Put(value[s.at:], v)
			l.dispatch.Args[s.arg].Bytes = &value
		}
	}
}

// fill returns a change of the data of a buffer, or of the data and format of an image. It has no effect on bases in
// which the argument is a number.
func (s input) fill(data *spec.Random, format string) change {
	return func(l *pairRun) {
		switch a := &l.dispatch.Args[s.arg]; {
		case a.Image != nil:
			image := *a.Image
			image.Random, image.Format = data, format
			a.Image = &image
		case a.Buffer != nil:
			b := *a.Buffer
			b.Random = data
			delete(l.drawn, s.arg)
			a.Buffer = &b
		}
	}
}

// firstValues is the number of values of a walk that are tried before the other launches.
const firstValues = 4

// values returns the values to try for s, the most useful ones first. now is the value in the base.
func (s input) values(now uint64, floats bool) (all []uint64) {
	t, m := element.Of(s.as), element.Of(s.as).Mask()
	if t.Mantissa > 0 {
		quiet := uint64(1) << (t.Mantissa - 1)
		all = []uint64{now ^ t.Sign(), 0, t.Infinity() | quiet, 1, t.Sign(), t.Infinity(), t.Infinity() | t.Sign(),
			t.Infinity() | 1, t.Infinity() - 1, t.FromFloat(1), t.FromFloat(-2.5), 1<<t.Mantissa - 1 | t.Sign(),
			t.FromFloat(1 << 15), t.FromFloat(-(1 << 31)), t.FromFloat(1e-3)}
	} else {
		all = []uint64{m, t.Sign(), -now, 0, m / 3, m - m/3, t.Sign() - 1, t.Sign() + 1, 1, m / 15, m - m/15, m / 257,
			m - m/257, mixed & m, ^(mixed & m)}
		if f := element.Of(spec.F32); !s.known && floats && t.Bytes == 4 {
			all = append(all, f.FromFloat(1), f.FromFloat(-1.5), f.Infinity(), f.Infinity()|1<<22, f.Sign(), f.Infinity()-1,
				f.FromFloat(1<<31))
		}
	}
	for i := range all {
		all[i] &= m
	}
	return all
}

// mixed is a number without a pattern in its bits.
const mixed = 0x9e3779b97f4a7c15

// walk tries the values in [first, end) of each scalar, one scalar at a time. The first values are tried on two bases,
// because one base may skip the code that shows a difference. Each round ends with all scalars changed at once.
func (x *director) walk(bases []*pairRun, first, end int) {
	more := true
	for k := first; k < end && more && !x.over(); k++ {
		more = false
		var all []change
		for n, s := range x.scalars {
			now, ok := s.of(bases[0].dispatch)
			if !ok {
				continue
			}
			each := s.values(now, false)
			all = append(all, s.set(each[(k+4*n)%len(each)]))
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
		if more && len(x.scalars) > 1 && k < firstValues {
			x.try(bases[k%len(bases)], all...)
		}
	}
}

// climb tries powers of two, and numbers beside them, for integers whose large values did not count, such as numbers of
// iterations. It stops at numbers that are too large.
func (x *director) climb(b *pairRun) {
	for _, s := range x.scalars {
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

// pattern describes the special values of a launch. They are mixed with ordinary values.
type pattern struct {
	floats, integers []string
	wide             bool // ordinary values have all magnitudes
}

// patterns lists the data of successive special launches.
var patterns = []pattern{
	{[]string{"zeros", "denormals", "edges"}, []string{"edges"}, true},
	{[]string{"nan", "infinities"}, []string{"magnitudes", "edges"}, false},
	{[]string{"magnitudes", "denormals", "nan", "infinities", "zeros"}, []string{"magnitudes"}, true},
	{[]string{"0.5", "-0.5", "1.5", "-1.5", "2.5", "-3.5", "1", "-1", "255.5", "-128.5", "32768", "65504", "65536",
		"16777216", "2147483648", "-2147483648", "4294967296", "1e10", "1e-10", "1e30", "-1e30", "zeros"},
		[]string{"-1", "1", "2", "127", "128", "255", "256", "32767", "32768", "-32768", "65535", "65536",
			"2147483647", "2147483648", "4294967295"}, false},
}

// data returns the data of a pattern. It omits numbers that the type cannot represent.
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
		_, misfit := t.Parse(spec.Number(name))
		if _, err := strconv.ParseFloat(name, 64); err != nil || name == "nan" || misfit == nil {
			r.With = append(r.With, name)
		}
	}
	return r
}

// special gives special values to all buffers. If that launch does not count, it gives them to one buffer at a time.
func (x *director) special(bases []*pairRun) {
	types, kinds := x.launcher.facts.types, 1
	if slices.ContainsFunc(x.buffers, func(s input) bool { return !s.known }) {
		kinds = len(types)
	}
	for i := 0; i < min(len(patterns)*kinds, maxSpecial) && len(x.buffers) > 0; i++ {
		b := bases[i%len(bases)]
		var all []change
		for _, s := range x.buffers {
			format := ""
			if !s.known {
				s.as = types[(i/len(patterns)+i)%len(types)]
			}
			if b.dispatch.Args[s.arg].Image != nil {
				s.as, format = imageData(x.launcher.facts.floats(), i)
			}
			all = append(all, s.fill(patterns[i%len(patterns)].data(s.as, uint64(1000*i+s.arg+1)), format))
		}
		if x.try(b, all...) || len(all) == 1 || x.over() {
			continue
		}
		for _, one := range all[:min(len(all), maxAlone)] {
			x.try(b, one)
		}
	}
}

// Limits of launches with special data, and of buffers that have such data alone.
const maxSpecial, maxAlone = 12, 6

// imageData returns the type of the elements and the format of an image in the i-th launch with special data.
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

// number returns an element as text. v must not be an infinity or a NaN.
func number(as spec.Element, v uint64) spec.Number {
	t := element.Of(as)
	switch {
	case t.Mantissa > 0:
		return spec.Number(strconv.FormatFloat(t.Float(v), 'g', -1, 64))
	case t.Signed:
		return spec.Number(t.Text(v))
	}
	return spec.Number(strconv.FormatUint(v&t.Mask(), 10))
}
