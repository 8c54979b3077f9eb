// Package term has bit-vector terms of 1 to 64 bits in a normal form. Terms that are built alike are the same pointer,
// sums are linear forms modulo 2^n, and commutative operands are sorted. If the results of two programs are the same
// pointer, the programs compute the same for all values of the variables.
package term

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"time"
)

// Op is the operation of a term.
type Op uint8

// Operations. Not has one bit, as has And for a conjunction. x - y, ^x and concatenations are sums.
const (
	Const   Op = iota // constant K
	Var               // variable Name
	Sum               // K + Coef[0]*Args[0] + ...
	Mul               // product of Args
	And               // bitwise
	Or                // bitwise, more than one bit wide
	Xor               //
	Not               // 1 bit wide
	Shl               // Args[0] << Args[1], 0 if the count is the width or more
	Shr               //
	Sar               // copies of the sign if the count is the width or more
	Extract           // bits K to K+Width-1 of Args[0]
	Zext              //
	Sext              //
	Ite               // Args[1] if Args[0], else Args[2]
	Eq                //
	Ult               // Args[0] < Args[1], unsigned
	Slt               // Args[0] < Args[1], signed
	Fn                // unknown function Name of Args
)

// Term is an immutable term.
type Term struct {
	Op    Op
	Width uint8
	Lane  bool // the value may differ between the lanes of a wave
	ID    int
	K     uint64
	Name  string
	Args  []*Term
	Coef  []uint64
	Poss  uint64 // bits that can be 1; the value is at most Poss
}

// Bank builds terms. An operation must not combine terms of different banks.
type Bank struct {
	table map[string]*Term
	next  int
	limit int // maximum number of terms
	work  int // number of terms built or visited
	// NoOverflow assumes that 32-bit sums do not overflow if their sign is extended: Sext of a sum becomes a sum of
	// Sexts. Split has the assumptions that this makes: pairs of terms that must be equal.
	NoOverflow bool
	Split      [][2]*Term
	Until      time.Time // time limit for building terms; the zero time means no limit
	MaxWork    int       // limit on work, independent of the machine; 0 means no limit
	// Full is set if a limit is exceeded. Terms that are built afterwards are wrong.
	Full bool
}

// NewBank returns an empty bank for at most limit terms.
func NewBank(limit int) *Bank { return &Bank{table: map[string]*Term{}, limit: limit} }

// timeEvery is the amount of work between two checks of the time limit.
const timeEvery = 64

// works counts a term that is built or visited, and checks the limits.
func (b *Bank) works() {
	if b.work++; b.work%timeEvery == 0 {
		b.Full = b.Full || !b.Until.IsZero() && time.Now().After(b.Until) || b.MaxWork > 0 && b.work > b.MaxWork
	}
}

// Mask returns a number with the low n bits set.
func Mask(n uint8) uint64 { return ^uint64(0) >> (64 - n) }

// intern returns the only term of the bank that is equal to t. It adds the term if there is none.
func (b *Bank) intern(t Term) *Term {
	b.works()
	key := make([]byte, 0, 64)
	key = append(key, byte(t.Op), t.Width)
	key = binary.LittleEndian.AppendUint64(key, t.K)
	for i, a := range t.Args {
		key = binary.LittleEndian.AppendUint32(key, uint32(a.ID))
		if t.Op == Sum {
			key = binary.LittleEndian.AppendUint64(key, t.Coef[i])
		}
		t.Lane = t.Lane || a.Lane
	}
	key = append(key, t.Name...)
	if have := b.table[string(key)]; have != nil {
		return have
	}
	if b.next >= b.limit {
		b.Full = true
		b.next--
	}
	b.next++
	t.ID = b.next
	t.Poss = possible(&t) & Mask(t.Width)
	made := &t
	b.table[string(key)] = made
	return made
}

// possible returns the bits of t that can be 1.
func possible(t *Term) uint64 {
	switch t.Op {
	case Const:
		return t.K
	case Sum:
		return possibleSum(t)
	case And:
		all := Mask(t.Width)
		for _, a := range t.Args {
			all &= a.Poss
		}
		return all
	case Or, Xor:
		all := uint64(0)
		for _, a := range t.Args {
			all |= a.Poss
		}
		return all
	case Extract:
		return t.Args[0].Poss >> t.K
	case Zext:
		return t.Args[0].Poss
	case Ite:
		return t.Args[1].Poss | t.Args[2].Poss
	case Shr:
		return upTo(t.Args[0].Poss)
	case Mul:
		if len(t.Args) == 2 {
			if hi, lo := bits.Mul64(t.Args[0].Poss, t.Args[1].Poss); hi == 0 && lo <= Mask(t.Width) {
				return upTo(lo)
			}
		}
	}
	return ^uint64(0)
}

// upTo returns the bits that can be 1 in numbers up to v.
func upTo(v uint64) uint64 {
	if v == 0 {
		return 0
	}
	return Mask(uint8(bits.Len64(v)))
}

func possibleSum(t *Term) uint64 {
	zeros, most, fits := uint8(bits.TrailingZeros64(t.K)), t.K, true
	seen, apart := t.K, true // apart: no two parts of the sum have a common bit
	for i, a := range t.Args {
		c := t.Coef[i]
		zeros = min(zeros, uint8(min(bits.TrailingZeros64(c)+bits.TrailingZeros64(a.Poss), 64)))
		hi, lo := bits.Mul64(c, a.Poss)
		sum, carry := bits.Add64(most, lo, 0)
		most, fits = sum, fits && hi == 0 && carry == 0 && sum <= Mask(t.Width)
		part := a.Poss << bits.TrailingZeros64(c)
		apart = apart && bits.OnesCount64(c) == 1 && seen&part == 0
		seen |= part
	}
	all := Mask(t.Width)
	if fits {
		all = upTo(most)
		if apart {
			all &= seen
		}
	}
	if zeros >= 64 {
		return 0
	}
	return all >> zeros << zeros
}

// Const returns a constant of w bits.
func (b *Bank) Const(w uint8, v uint64) *Term {
	return b.intern(Term{Op: Const, Width: w, K: v & Mask(w)})
}

// Bool returns a truth value as a term of one bit.
func (b *Bank) Bool(v bool) *Term {
	if v {
		return b.Const(1, 1)
	}
	return b.Const(1, 0)
}

// Var returns the variable with a name. Its value may differ between lanes if lane is set.
func (b *Bank) Var(w uint8, name string, lane bool) *Term {
	return b.intern(Term{Op: Var, Width: w, Name: name, Lane: lane})
}

// Fn returns an unknown function of args. Functions with the same name and the same args are equal.
func (b *Bank) Fn(w uint8, name string, args ...*Term) *Term {
	return b.intern(Term{Op: Fn, Width: w, Name: name, Args: args})
}

// IsConst reports whether t is the constant v.
func (t *Term) IsConst(v uint64) bool { return t.Op == Const && t.K == v&Mask(t.Width) }

// IsTrue reports whether t is the constant 1.
func (t *Term) IsTrue() bool { return t.Op == Const && t.K == 1 }

// IsFalse reports whether t is the constant 0.
func (t *Term) IsFalse() bool { return t.Op == Const && t.K == 0 }

// linear is a sum under construction.
type linear struct {
	w     uint8
	k     uint64
	atoms []*Term
	coef  []uint64
}

// add adds c * t to the sum.
func (l *linear) add(t *Term, c uint64) {
	switch t.Op {
	case Const:
		l.k += c * t.K
	case Sum:
		l.k += c * t.K
		for i, a := range t.Args {
			l.atom(a, c*t.Coef[i])
		}
	default:
		l.atom(t, c)
	}
}

func (l *linear) atom(t *Term, c uint64) {
	if i := slices.Index(l.atoms, t); i >= 0 {
		l.coef[i] += c
		return
	}
	l.atoms, l.coef = append(l.atoms, t), append(l.coef, c)
}

// sum returns the sum as a term.
func (b *Bank) sum(l *linear) *Term {
	for b.join(l) || b.signed(l) {
	}
	m := Mask(l.w)
	t := Term{Op: Sum, Width: l.w, K: l.k & m}
	order := make([]int, 0, len(l.atoms))
	for i := range l.atoms {
		if l.coef[i]&m != 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(x, y int) int { return l.atoms[x].ID - l.atoms[y].ID })
	for _, i := range order {
		t.Args, t.Coef = append(t.Args, l.atoms[i]), append(t.Coef, l.coef[i]&m)
	}
	switch {
	case len(order) == 0:
		return b.Const(l.w, t.K)
	case len(order) == 1 && t.K == 0 && t.Coef[0] == 1:
		return t.Args[0]
	}
	return b.intern(t)
}

// isBit reports whether t is a zero-extended term of one bit.
func (t *Term) isBit() bool { return t.Op == Ite && t.Args[1].IsConst(1) && t.Args[2].IsConst(0) }

// piece returns x, lo and n such that t is n bits of x from bit lo on, zero-extended.
func piece(t *Term) (x *Term, lo, n uint8) {
	n = t.Width
	if t.Op == Zext || t.isBit() {
		t = t.Args[0]
		n = t.Width
	}
	if t.Op == Extract {
		return t.Args[0], uint8(t.K), n
	}
	return t, 0, n
}

// signed replaces a zero-extended number and its sign, in the sum, by a sign extension. It reports whether it has.
func (b *Bank) signed(l *linear) bool {
	m := Mask(l.w)
	for i, sign := range l.atoms {
		if !sign.isBit() || sign.Args[0].Op != Extract {
			continue
		}
		x := sign.Args[0].Args[0]
		j := slices.IndexFunc(l.atoms, func(t *Term) bool { return t.Op == Zext && t.Args[0] == x })
		if j < 0 || sign.Args[0].K != uint64(x.Width-1) || l.coef[j]&m == 0 || (l.coef[j]<<x.Width+l.coef[i])&m != 0 {
			continue
		}
		c := l.coef[j]
		l.coef[i], l.coef[j] = 0, 0
		l.add(b.Sext(l.w, x), c)
		return true
	}
	return false
}

// join replaces two adjacent pieces of one term in the sum by one piece. It reports whether it has.
func (b *Bank) join(l *linear) bool {
	m := Mask(l.w)
	for i, high := range l.atoms {
		x, at, n := piece(high)
		if at == 0 || l.coef[i]&m == 0 {
			continue
		}
		for j, low := range l.atoms {
			y, from, k := piece(low)
			if i == j || l.coef[j]&m == 0 {
				continue
			}
			switch {
			case x == y && from+k == at && n+k <= l.w && (l.coef[j]<<k-l.coef[i])&m == 0:
				c := l.coef[j]
				l.coef[i], l.coef[j] = 0, 0
				l.add(b.Zext(l.w, b.Extract(at+n-1, from, x)), c)
				return true
			case x.Width == l.w && x.Poss>>(at+n) == 0 && k == at && low.Op == Zext && (l.coef[j]<<k-l.coef[i])&m == 0 &&
				b.Extract(at-1, 0, x) == low.Args[0]:
				c := l.coef[j]
				l.coef[i], l.coef[j] = 0, 0
				l.add(x, c)
				return true
			}
		}
	}
	return false
}

// Add returns x + y.
func (b *Bank) Add(x, y *Term) *Term {
	l := linear{w: x.Width}
	l.add(x, 1)
	l.add(y, 1)
	return b.sum(&l)
}

// Sub returns x - y.
func (b *Bank) Sub(x, y *Term) *Term {
	l := linear{w: x.Width}
	l.add(x, 1)
	l.add(y, ^uint64(0))
	return b.sum(&l)
}

// Scale returns c * x.
func (b *Bank) Scale(x *Term, c uint64) *Term {
	l := linear{w: x.Width}
	l.add(x, c)
	return b.sum(&l)
}

// maxProducts is the maximum number of products into which Mul expands a product of sums.
const maxProducts = 8

// Mul returns x * y.
func (b *Bank) Mul(x, y *Term) *Term {
	if x.Op == Const {
		return b.Scale(y, x.K)
	}
	if y.Op == Const {
		return b.Scale(x, y.K)
	}
	var lx, ly linear
	lx.add(x, 1)
	ly.add(y, 1)
	if (x.Op == Sum || y.Op == Sum) && (len(lx.atoms)+1)*(len(ly.atoms)+1) <= maxProducts {
		l := linear{w: x.Width, k: lx.k * ly.k}
		for i, p := range lx.atoms {
			l.add(p, lx.coef[i]*ly.k)
			for j, q := range ly.atoms {
				l.add(b.product(p, q), lx.coef[i]*ly.coef[j])
			}
		}
		for j, q := range ly.atoms {
			l.add(q, ly.coef[j]*lx.k)
		}
		return b.sum(&l)
	}
	return b.product(x, y)
}

func (b *Bank) product(x, y *Term) *Term {
	factors := func(t *Term) []*Term {
		if t.Op == Mul {
			return t.Args
		}
		return []*Term{t}
	}
	all := slices.Concat(factors(x), factors(y))
	sortTerms(all)
	return b.intern(Term{Op: Mul, Width: x.Width, Args: all})
}

func sortTerms(all []*Term) { slices.SortFunc(all, func(x, y *Term) int { return x.ID - y.ID }) }

// Concat returns a term with the bits of high above the bits of low.
func (b *Bank) Concat(high, low *Term) *Term {
	w := high.Width + low.Width
	return b.Add(b.Scale(b.Zext(w, high), 1<<low.Width), b.Zext(w, low))
}

// Zext returns x, zero-extended to w bits.
func (b *Bank) Zext(w uint8, x *Term) *Term {
	switch {
	case x.Width == w:
		return x
	case x.Op == Const:
		return b.Const(w, x.K)
	case x.Op == Zext:
		return b.Zext(w, x.Args[0])
	case x.Width == 1 && x.Op == Not:
		return b.Sub(b.Const(w, 1), b.Zext(w, x.Args[0]))
	case x.Width == 1:
		return b.intern(Term{Op: Ite, Width: w, Args: []*Term{x, b.Const(w, 1), b.Const(w, 0)}})
	case x.Op == Ite:
		return b.Ite(x.Args[0], b.Zext(w, x.Args[1]), b.Zext(w, x.Args[2]))
	case x.Op == Sum && fits(x):
		l := linear{w: w, k: x.K}
		for i, a := range x.Args {
			l.add(b.Zext(w, a), x.Coef[i])
		}
		return b.sum(&l)
	}
	return b.intern(Term{Op: Zext, Width: w, Args: []*Term{x}})
}

// fits reports whether a sum cannot exceed its width.
func fits(t *Term) bool {
	most := t.K
	for i, a := range t.Args {
		hi, lo := bits.Mul64(t.Coef[i], a.Poss)
		sum, carry := bits.Add64(most, lo, 0)
		if most = sum; hi != 0 || carry != 0 || sum > Mask(t.Width) {
			return false
		}
	}
	return true
}

// Sext returns x, sign-extended to w bits.
func (b *Bank) Sext(w uint8, x *Term) *Term {
	sign := uint64(1) << (x.Width - 1)
	switch {
	case x.Width == w:
		return x
	case x.Poss&sign == 0:
		return b.Zext(w, x)
	case x.Op == Const:
		return b.Const(w, uint64(int64(x.K<<(64-x.Width))>>(64-x.Width)))
	case x.Op == Sext:
		return b.Sext(w, x.Args[0])
	case x.Width == 1:
		return b.Ite(x, b.Const(w, ^uint64(0)), b.Const(w, 0))
	case x.Op == Ite:
		return b.Ite(x.Args[0], b.Sext(w, x.Args[1]), b.Sext(w, x.Args[2]))
	}
	t := b.intern(Term{Op: Sext, Width: w, Args: []*Term{x}})
	if x.Op != Sum || x.Width != 32 || !b.NoOverflow {
		return t
	}
	signed := func(v uint64) uint64 { return uint64(int64(int32(v))) }
	l := linear{w: w, k: signed(x.K)}
	for i, a := range x.Args {
		l.add(b.Sext(w, a), signed(x.Coef[i]))
	}
	sum := b.sum(&l)
	if !slices.Contains(b.Split, [2]*Term{t, sum}) {
		b.Split = append(b.Split, [2]*Term{t, sum})
	}
	return sum
}

// Extract returns bits lo to hi of x.
func (b *Bank) Extract(hi, lo uint8, x *Term) *Term {
	n := hi - lo + 1
	top := uint8(bits.Len64(x.Poss))
	switch {
	case n == x.Width:
		return x
	case x.Op == Const:
		return b.Const(n, x.K>>lo)
	case top <= lo:
		return b.Const(n, 0)
	case top <= hi:
		return b.Zext(n, b.Extract(top-1, lo, x))
	}
	if t := b.extractFrom(hi, lo, n, x); t != nil {
		return t
	}
	return b.intern(Term{Op: Extract, Width: n, K: uint64(lo), Args: []*Term{x}})
}

// extractFrom moves Extract into the operands of x. It returns nil if the term does not become simpler.
func (b *Bank) extractFrom(hi, lo, n uint8, x *Term) *Term {
	switch x.Op {
	case Extract:
		return b.Extract(hi+uint8(x.K), lo+uint8(x.K), x.Args[0])
	case Zext: // the bits above Args[0] are 0 and were removed before
		return b.Extract(hi, lo, x.Args[0])
	case Sext:
		y := x.Args[0]
		if hi < y.Width {
			return b.Extract(hi, lo, y)
		}
		return b.Sext(n, b.Extract(y.Width-1, min(lo, y.Width-1), y))
	case And, Or, Xor:
		args := make([]*Term, len(x.Args))
		for i, a := range x.Args {
			args[i] = b.Extract(hi, lo, a)
		}
		return b.bitwise(x.Op, args)
	case Ite:
		return b.Ite(x.Args[0], b.Extract(hi, lo, x.Args[1]), b.Extract(hi, lo, x.Args[2]))
	case Mul:
		if lo == 0 {
			t := b.Extract(hi, 0, x.Args[0])
			for _, a := range x.Args[1:] {
				t = b.Mul(t, b.Extract(hi, 0, a))
			}
			return t
		}
	case Sum:
		return b.extractSum(hi, lo, n, x)
	}
	return nil
}

// extractSum extracts bits of a sum: the sum of the parts from bit lo on, if the bits below lo have no carry.
func (b *Bank) extractSum(hi, lo, n uint8, x *Term) *Term {
	width := Mask(hi + 1)
	l := linear{w: n, k: x.K & width >> lo}
	below, across, shift := x.K&Mask(lo), -1, uint8(0)
	for i, a := range x.Args {
		c := x.Coef[i] & width
		z := uint8(bits.TrailingZeros64(c))
		switch {
		case c == 0:
		case z >= lo:
			l.add(b.truncate(n, a), c>>lo)
		default:
			h, part := bits.Mul64(c, a.Poss)
			sum, carry := bits.Add64(below, part, 0)
			if h == 0 && carry == 0 && sum <= Mask(lo) {
				below = sum
				continue
			}
			// Halves of 64 bits must remain unchanged, so that join recognizes them.
			if across >= 0 || bits.OnesCount64(c) != 1 || x.Width == 64 && lo == 32 {
				return nil
			}
			across, shift = i, z
		}
	}
	if across >= 0 {
		a := x.Args[across]
		if below > Mask(shift) || lo-shift >= a.Width {
			return nil
		}
		l.add(b.truncate(n, b.Zext(max(n, a.Width), b.Extract(a.Width-1, lo-shift, a))), 1)
	}
	return b.sum(&l)
}

// truncate returns x with n bits: truncated, or zero-extended if x is shorter.
func (b *Bank) truncate(n uint8, x *Term) *Term {
	if x.Width <= n {
		return b.Zext(n, x)
	}
	return b.Extract(n-1, 0, x)
}

// Shl returns x << n. x and n must have the same width.
func (b *Bank) Shl(x, n *Term) *Term {
	switch {
	case n.Op == Const && n.K >= uint64(x.Width), x.IsConst(0):
		return b.Const(x.Width, 0)
	case n.Op == Const:
		return b.Scale(x, 1<<n.K)
	}
	return b.intern(Term{Op: Shl, Width: x.Width, Args: []*Term{x, n}})
}

// Shr returns x >> n, unsigned.
func (b *Bank) Shr(x, n *Term) *Term {
	switch {
	case n.Op == Const && n.K >= uint64(x.Width), x.IsConst(0):
		return b.Const(x.Width, 0)
	case n.Op == Const:
		return b.Zext(x.Width, b.Extract(x.Width-1, uint8(n.K), x))
	}
	return b.intern(Term{Op: Shr, Width: x.Width, Args: []*Term{x, n}})
}

// Sar returns x >> n, signed.
func (b *Bank) Sar(x, n *Term) *Term {
	switch {
	case n.Op == Const:
		return b.Sext(x.Width, b.Extract(x.Width-1, uint8(min(n.K, uint64(x.Width-1))), x))
	case x.IsConst(0), x.IsConst(^uint64(0)):
		return x
	}
	return b.intern(Term{Op: Sar, Width: x.Width, Args: []*Term{x, n}})
}
