package asm

import "fmt"

// amount is the value of an expression. It is a number, or an address, which is a number of bytes
// from the begin of a fragment.
type amount struct {
	n    int64
	from *fragment // nil if n is a number
}

// symbol is the meaning of a name. A name that is used but not defined has a symbol, too.
type symbol struct {
	name      string
	kind      symbolKind
	val       value    // value of a variable
	place     amount   // address of a label
	regs      register // registers that the name means
	line, col int      // position of the first use or of the definition
}

type symbolKind uint8

const (
	undefined symbolKind = iota
	variable             // defined by .set or an assignment
	label
	registers   // a CLRX name for registers: regs
	ldsVariable // defined by .amdgpu_lds: place.n is its offset in LDS
)

// variant is the suffix of a symbol in LLVM syntax, as in fn@rel32@lo. It selects the relocation that
// a linker would apply.
type variant uint8

const (
	plain variant = iota
	rel32Lo
	rel32Hi
	gotpcrel32Lo
	gotpcrel32Hi
	abs32Lo
	abs32Hi
)

var variants = map[string]variant{
	"rel32@lo": rel32Lo, "rel32@hi": rel32Hi, "gotpcrel32@lo": gotpcrel32Lo, "gotpcrel32@hi": gotpcrel32Hi,
	"abs32@lo": abs32Lo, "abs32@hi": abs32Hi,
}

// when selects when an expression is evaluated.
type when bool

const (
	early when = false // while the text is read: labels are relative to fragments
	final when = true  // after the layout: labels are relative to the first word
)

// evalError is the reason why an expression has no value.
type evalError struct {
	what  string
	sym   *symbol // the undefined symbol
	cycle bool    // the definition of a symbol uses the symbol itself
}

// image stands for the start of the whole program after the layout. Addresses are then relative to it.
var image fragment

// maxDepth limits the nesting of references between expressions, so that no input exhausts
// the stack.
const maxDepth = 1000

// evaluator evaluates expressions.
type evaluator struct {
	when
	pass   uint32 // values of this pass are not computed again; 0: no pass
	depth  int
	labels bool // the value depends on addresses of labels
}

// now evaluates e while the text is read. labels reports whether the value depends on addresses
// of labels.
func (e *expr) now() (a amount, labels bool, err *evalError) {
	v := evaluator{when: early}
	a, err = v.eval(e)
	return a, v.labels, err
}

func (v *evaluator) eval(e *expr) (amount, *evalError) {
	switch {
	case e.op == nil && e.x == nil && e.sym == nil:
		v.labels = v.labels || e.labels || e.amount.from != nil
		return v.placed(e.amount), nil
	case e.pass == v.pass && v.pass != 0:
		return e.amount, nil
	case e.busy:
		return amount{}, &evalError{what: "a symbol is defined by itself", cycle: true}
	case v.depth == maxDepth:
		return amount{}, &evalError{what: "expression is nested too deeply"}
	}
	e.busy = true
	v.depth++
	a, err := v.compute(e)
	v.depth--
	e.busy = false
	if err == nil {
		e.amount, e.pass = a, v.pass
	}
	return a, err
}

// placed converts a to an address relative to the first word, if the layout is known.
func (v *evaluator) placed(a amount) amount {
	if v.when == final && a.from != nil && a.from != &image {
		return amount{a.n + a.from.base + a.from.sec.addr, &image}
	}
	return a
}

func (v *evaluator) compute(e *expr) (amount, *evalError) {
	switch {
	case e.sym != nil:
		return v.symbol(e.sym)
	case e.op == nil:
		return v.eval(e.x)
	}
	x, err := v.eval(e.x)
	switch {
	case err != nil:
		return x, err
	case e.op == &opChoice && x.from == nil && x.n != 0:
		return v.eval(e.y.x)
	case e.op == &opChoice && x.from == nil:
		return v.eval(e.y.y)
	case e.y == nil:
		return combine(e.op, x, amount{}, false)
	}
	y, err := v.eval(e.y)
	if err != nil {
		return y, err
	}
	return combine(e.op, x, y, true)
}

// combine applies op to x and, if binary is true, to y.
func combine(op *operator, x, y amount, binary bool) (amount, *evalError) {
	switch {
	case op.zero && y == amount{}:
		return x, &evalError{what: "division by zero"}
	case op.do != nil && x.from == nil && y.from == nil:
		return amount{n: op.do(x.n, y.n)}, nil
	case binary && op.text == "+" && (x.from == nil || y.from == nil):
		if y.from != nil {
			x.from = y.from
		}
		return amount{x.n + y.n, x.from}, nil
	case binary && (op.text == "-" || op.cmp):
		return compare(op, x, y)
	}
	return x, noAddresses(op)
}

// compare applies op, a difference or a comparison, to x and y. At least one of them is an address.
func compare(op *operator, x, y amount) (amount, *evalError) {
	switch {
	case op.text == "-" && y.from == nil:
		return amount{x.n - y.n, x.from}, nil
	case x.from == y.from:
		return amount{n: op.do(x.n, y.n)}, nil
	case x.from != nil && y.from != nil:
		return x, &evalError{what: "how far two labels are apart is not known before the end of the program"}
	}
	return x, noAddresses(op)
}

func noAddresses(op *operator) *evalError {
	return &evalError{what: "operator " + op.text + " takes numbers; addresses can only be subtracted and compared"}
}

func (v *evaluator) symbol(s *symbol) (amount, *evalError) {
	switch s.kind {
	case variable:
		if s.val.e != nil {
			return v.eval(s.val.e)
		}
		return amount{n: s.val.i}, nil
	case label:
		v.labels = true
		return v.placed(s.place), nil
	case ldsVariable:
		return s.place, nil
	}
	return amount{}, &evalError{what: fmt.Sprintf("%q is not defined", s.name), sym: s}
}

// noValue returns the error for an expression without a value at a line and column.
func (a *assembler) noValue(failed *evalError, line, col int) *Error {
	if s := failed.sym; s != nil {
		return a.failAt(s.line, s.col, fmt.Sprintf("unknown register or symbol %q", s.name), nil)
	}
	return a.failAt(line, col, failed.what, nil)
}
