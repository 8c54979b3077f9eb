package term

// Values computes the values of terms from values of the variables and functions.
type Values struct {
	Var  func(t *Term) uint64                // returns the value of a variable
	Fn   func(t *Term, args []uint64) uint64 // returns the value of a function application
	have map[*Term]uint64
}

// Get returns the value of t. It computes each term once.
func (v *Values) Get(t *Term) uint64 {
	if x, ok := v.have[t]; ok {
		return x
	}
	if v.have == nil {
		v.have = map[*Term]uint64{}
	}
	x := v.compute(t) & Mask(t.Width)
	v.have[t] = x
	return x
}

func (v *Values) compute(t *Term) uint64 {
	var args []uint64
	if t.Op == Ite {
		return v.Get(t.Args[2-v.Get(t.Args[0])])
	}
	for _, a := range t.Args {
		args = append(args, v.Get(a))
	}
	r := t.K
	switch t.Op {
	case Var:
		return v.Var(t)
	case Fn:
		return v.Fn(t, args)
	case Sum:
		for i, a := range args {
			r += t.Coef[i] * a
		}
	case Mul, And, Or, Xor:
		r = args[0]
		for _, a := range args[1:] {
			r = map[Op]uint64{Mul: r * a, And: r & a, Or: r | a, Xor: r ^ a}[t.Op]
		}
	case Not:
		return ^args[0]
	case Shl:
		return args[0] << args[1]
	case Shr:
		return args[0] >> args[1]
	case Sar:
		return uint64(extend(args[0], t.Width) >> min(args[1], 63))
	case Extract:
		return args[0] >> t.K
	case Zext:
		return args[0]
	case Sext:
		return uint64(extend(args[0], t.Args[0].Width))
	case Eq:
		return uint64(b2i(args[0] == args[1]))
	case Ult:
		return uint64(b2i(args[0] < args[1]))
	case Slt:
		return uint64(b2i(extend(args[0], t.Args[0].Width) < extend(args[1], t.Args[0].Width)))
	}
	return r
}

// extend returns the w-bit number v, sign-extended.
func extend(v uint64, w uint8) int64 { return int64(v<<(64-w)) >> (64 - w) }
