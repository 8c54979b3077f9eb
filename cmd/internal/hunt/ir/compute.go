package ir

import (
	"fmt"
	"math"
	"math/bits"
	"strings"
)

// compute returns the result of an instruction in the active lanes.
func (m *machine) compute(text string) (*value, error) {
	if f := compareForm.FindStringSubmatch(text); f != nil {
		return m.compare(f)
	}
	if f := selectForm.FindStringSubmatch(text); f != nil {
		return m.choose(f)
	}
	if f := callForm.FindStringSubmatch(text); f != nil {
		return m.call(f)
	}
	if f := castForm.FindStringSubmatch(text); f != nil {
		return m.cast(f)
	}
	if f := binaryForm.FindStringSubmatch(text); f != nil {
		return m.binary(f)
	}
	return nil, fmt.Errorf("no such instruction")
}

// operands returns the values of names or constants. typText is their type.
func (m *machine) operands(typText string, names ...string) (t typ, all []*value, err error) {
	if t, err = typeOf(typText); err != nil {
		return t, nil, err
	}
	for _, name := range names {
		v, err := m.operand(name, t)
		if err != nil {
			return t, nil, err
		}
		all = append(all, v)
	}
	return t, all, nil
}

// each computes a value element by element. f returns ok == false if the result is poison.
func (m *machine) each(t typ, from []*value, f func(v []uint64) (result uint64, ok bool)) *value {
	r := &value{typ: t}
	in := make([]uint64, len(from))
	for _, v := range from {
		r.poison |= v.poison
	}
	for i := range t.n {
		for lane := range m.lanes {
			for j, v := range from {
				in[j] = v.v[i][lane]
			}
			if r.poison>>lane&1 != 0 {
				continue
			}
			v, ok := f(in)
			r.v[i][lane] = v & t.mask()
			if !ok {
				r.poison |= 1 << lane
			}
		}
	}
	return r
}

// binary computes an operation of two operands.
func (m *machine) binary(f []string) (*value, error) {
	t, in, err := m.operands(f[3], f[4], f[5])
	if err != nil {
		return nil, err
	}
	if t.float {
		op := floatOps[f[1]]
		if op == nil {
			return nil, fmt.Errorf("no such operation")
		}
		return m.floats(t, in, func(v []float64) float64 { return op(v[0], v[1]) })
	}
	if strings.HasSuffix(f[1], "div") || strings.HasSuffix(f[1], "rem") {
		for lane := range m.lanes {
			if in[0].poison>>lane&1 != 0 || in[1].poison>>lane&1 != 0 || !divides(f[1][0] == 's', t, in, lane) {
				return nil, undefined("%s %v: it divides by 0, or what no number holds", f[1], t)
			}
		}
	}
	op := intOps[f[1]]
	if op == nil {
		return nil, fmt.Errorf("no such operation")
	}
	nsw, nuw, exact := strings.Contains(f[2], "nsw"), strings.Contains(f[2], "nuw"), strings.Contains(f[2], "exact")
	return m.each(t, in, func(v []uint64) (uint64, bool) {
		r, wraps, overflows := op(t, v[0], v[1])
		return r, !(nsw && overflows || nuw && wraps || exact && wraps) && !(isShift(f[1]) && v[1] >= uint64(t.bits))
	}), nil
}

func isShift(name string) bool { return name == "shl" || name == "lshr" || name == "ashr" }

// divides reports whether a division has a defined result.
func divides(signed bool, t typ, in []*value, lane int) bool {
	for i := range t.n {
		a, b := in[0].v[i][lane], in[1].v[i][lane]
		if b == 0 || signed && t.signed(b) == -1 && a == 1<<(t.bits-1) {
			return false
		}
	}
	return true
}

// intOps are integer operations. wraps says that the unsigned result wraps or loses bits; overflows says the same
// about the signed result.
var intOps = map[string]func(t typ, a, b uint64) (r uint64, wraps, overflows bool){
	"add": func(t typ, a, b uint64) (uint64, bool, bool) {
		r := (a + b) & t.mask()
		high, carry := bits.Add64(a, b, 0)
		alike := (t.signed(a) < 0) == (t.signed(b) < 0)
		return r, high > t.mask() || carry != 0, alike && (t.signed(r) < 0) != (t.signed(a) < 0)
	},
	"sub": func(t typ, a, b uint64) (uint64, bool, bool) {
		r := (a - b) & t.mask()
		unlike := (t.signed(a) < 0) != (t.signed(b) < 0)
		return r, a < b, unlike && (t.signed(r) < 0) != (t.signed(a) < 0)
	},
	"mul": func(t typ, a, b uint64) (uint64, bool, bool) {
		high, low := bits.Mul64(a, b)
		return low, high != 0 || low > t.mask(), mulOverflows(t, t.signed(a), t.signed(b))
	},
	"and": func(_ typ, a, b uint64) (uint64, bool, bool) { return a & b, false, false },
	"or":  func(_ typ, a, b uint64) (uint64, bool, bool) { return a | b, false, false },
	"xor": func(_ typ, a, b uint64) (uint64, bool, bool) { return a ^ b, false, false },
	"shl": func(t typ, a, b uint64) (uint64, bool, bool) {
		r := a << b & t.mask()
		return r, r>>b != a, t.signed(r)>>b != t.signed(a)
	},
	"lshr": func(_ typ, a, b uint64) (uint64, bool, bool) { return a >> b, a>>b<<b != a, false },
	"ashr": func(t typ, a, b uint64) (uint64, bool, bool) { return uint64(t.signed(a) >> b), a>>b<<b != a, false },
	"udiv": func(_ typ, a, b uint64) (uint64, bool, bool) { return a / b, a%b != 0, false },
	"urem": func(_ typ, a, b uint64) (uint64, bool, bool) { return a % b, false, false },
	"sdiv": func(t typ, a, b uint64) (uint64, bool, bool) {
		return uint64(t.signed(a) / t.signed(b)), t.signed(a)%t.signed(b) != 0, false
	},
	"srem": func(t typ, a, b uint64) (uint64, bool, bool) { return uint64(t.signed(a) % t.signed(b)), false, false },
}

// mulOverflows reports whether a signed product exceeds the type.
func mulOverflows(t typ, a, b int64) bool {
	high, low := bits.Mul64(uint64(a), uint64(b))
	h := int64(high) - a>>63&b - b>>63&a
	least, most := int64(-1)<<(t.bits-1), int64(1)<<(t.bits-1)-1
	return h != int64(low)>>63 || int64(low) < least || int64(low) > most
}

// compare computes icmp and fcmp.
func (m *machine) compare(f []string) (*value, error) {
	t, in, err := m.operands(f[3], f[4], f[5])
	if err != nil {
		return nil, err
	}
	if t.n != 1 || (f[1] == "fcmp") != t.float {
		return nil, fmt.Errorf("no such comparison")
	}
	var order int
	is := func(set string) bool { return strings.Contains(set, " "+f[2]+" ") }
	return m.each(typ{1, false, 1}, in, func(v []uint64) (uint64, bool) {
		unordered := false
		switch {
		case t.float:
			a, b := toFloat(t, v[0]), toFloat(t, v[1])
			unordered = a != a || b != b
			order = compareOf(a, b)
		case f[2][0] == 's':
			order = compareOf(t.signed(v[0]), t.signed(v[1]))
		default:
			order = compareOf(v[0], v[1])
		}
		var yes bool
		switch {
		case unordered:
			yes = is(" ueq une ult ule ugt uge uno ")
		case order < 0:
			yes = is(" ne slt sle ult ule olt ole one une ord ")
		case order > 0:
			yes = is(" ne sgt sge ugt uge ogt oge one une ord ")
		default:
			yes = is(" eq sle sge ule uge oeq ueq ole oge ord ")
		}
		if yes {
			return 1, true
		}
		return 0, true
	}), nil
}

// compareOf returns -1, 0 or 1.
func compareOf[T int64 | uint64 | float64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// choose computes select.
func (m *machine) choose(f []string) (*value, error) {
	_, c, err := m.operands("i1", f[1])
	if err != nil {
		return nil, err
	}
	t, a, err := m.operands(f[2], f[3], f[5])
	if err != nil || f[2] != f[4] {
		return nil, fmt.Errorf("operands of two types: %w", err)
	}
	r := &value{typ: t, poison: c[0].poison}
	for lane := range m.lanes {
		from := a[1]
		if c[0].v[0][lane] != 0 {
			from = a[0]
		}
		r.v[0][lane], r.v[1][lane] = from.v[0][lane], from.v[1][lane]
		r.poison |= from.poison & (1 << lane)
	}
	return r, nil
}

// cast computes a conversion.
func (m *machine) cast(f []string) (*value, error) {
	from, in, err := m.operands(f[2], f[3])
	if err != nil {
		return nil, err
	}
	to, err := typeOf(f[4])
	if err != nil {
		return nil, err
	}
	if f[1] == "bitcast" {
		return m.bitcast(in[0], to)
	}
	op := casts[f[1]]
	if op == nil || from.n != 1 || to.n != 1 {
		return nil, fmt.Errorf("no such conversion")
	}
	return m.each(to, in, func(v []uint64) (uint64, bool) { return op(from, to, v[0]) }), nil
}

// casts are conversions between numbers. ok is false if the result is poison.
var casts = map[string]func(from, to typ, v uint64) (r uint64, ok bool){
	"zext":    func(_, _ typ, v uint64) (uint64, bool) { return v, true },
	"trunc":   func(_, _ typ, v uint64) (uint64, bool) { return v, true },
	"sext":    func(from, _ typ, v uint64) (uint64, bool) { return uint64(from.signed(v)), true },
	"uitofp":  func(_, to typ, v uint64) (uint64, bool) { return fromUint(to, v), true },
	"sitofp":  func(from, to typ, v uint64) (uint64, bool) { return fromInt(to, from.signed(v)), true },
	"fpext":   resized,
	"fptrunc": resized,
	"fptosi": func(from, to typ, v uint64) (uint64, bool) {
		f := math.Trunc(toFloat(from, v))
		most := math.Ldexp(1, to.bits-1)
		return uint64(int64(f)), f >= -most && f < most
	},
	"fptoui": func(from, to typ, v uint64) (uint64, bool) {
		f := math.Trunc(toFloat(from, v))
		return uint64(f), f >= 0 && f < math.Ldexp(1, to.bits)
	},
}

// bitcast reinterprets the bits of a value as another type with the same number of bits.
func (m *machine) bitcast(in *value, to typ) (*value, error) {
	if in.typ.n*in.typ.bits != to.n*to.bits {
		return nil, fmt.Errorf("no such conversion")
	}
	r := &value{typ: to, poison: in.poison}
	for lane := range m.lanes {
		all := in.v[0][lane]
		if in.typ.n == 2 {
			all |= in.v[1][lane] << in.typ.bits
		}
		for i := range in.typ.n {
			if in.typ.float && !to.float && isNaN(in.typ, in.v[i][lane]) {
				return nil, undefined("which NaN it is is not defined")
			}
		}
		r.v[0][lane] = all & to.mask()
		if to.n == 2 {
			r.v[1][lane] = all >> to.bits & to.mask()
		}
	}
	return r, nil
}
