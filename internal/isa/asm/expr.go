package asm

import (
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
)

// value is a number in the text.
type value struct {
	i       int64
	f       float64
	isFloat bool
	suffix  byte  // h, s or l of a CLRX float, 0 if there is none
	lit     bool  // written lit(...): encode a literal even if an inline constant exists
	e       *expr // if not nil, the expression of a number that may be known only later
}

// expr is a number that depends on addresses of labels, or on symbols that are defined later. A leaf is
// a number, an address in a section, or a symbol that was undefined when it was read.
type expr struct {
	op     *operator // nil for a leaf, or for a defined symbol with expression x
	x, y   *expr
	amount amount
	sym    *symbol
	how    variant
	labels bool // amount depends on addresses of labels
	depth  int  // nesting of the operands

	pass uint32 // the pass of an evaluator that computed amount
	busy bool   // evaluation is in progress
}

// namer looks up names.
type namer interface {
	// value returns the value of a name, which begins at byte at.
	value(name string, at int) (value, *syntaxError)
}

// operator is a binary or unary operator, or a function.
type operator struct {
	text  string
	level int                    // precedence of a binary operator
	do    func(x, y int64) int64 // nil for / and %, which can fail
	zero  bool                   // y must not be 0
	cmp   bool                   // a comparison, which also accepts two addresses
}

func b2i(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func div(x, y int64) int64 {
	if y == -1 {
		return -x
	}
	return x / y
}

func mod(x, y int64) int64 {
	if y == -1 {
		return 0
	}
	return x % y
}

// Operators of both syntaxes. Comparisons return -1 for true.
var (
	opMul    = operator{text: "*", do: func(x, y int64) int64 { return x * y }}
	opDiv    = operator{text: "/", do: div, zero: true}
	opMod    = operator{text: "%", do: mod, zero: true}
	opShl    = operator{text: "<<"}
	opShr    = operator{text: ">>"}
	opAnd    = operator{text: "&", do: func(x, y int64) int64 { return x & y }}
	opOr     = operator{text: "|", do: func(x, y int64) int64 { return x | y }}
	opXor    = operator{text: "^", do: func(x, y int64) int64 { return x ^ y }}
	opOrNot  = operator{text: "!", do: func(x, y int64) int64 { return x | ^y }}
	opAdd    = operator{text: "+", do: func(x, y int64) int64 { return x + y }}
	opSub    = operator{text: "-", do: func(x, y int64) int64 { return x - y }}
	opEq     = operator{text: "==", cmp: true, do: func(x, y int64) int64 { return -b2i(x == y) }}
	opNe     = operator{text: "!=", cmp: true, do: func(x, y int64) int64 { return -b2i(x != y) }}
	opNe2    = operator{text: "<>", cmp: true, do: opNe.do}
	opLt     = operator{text: "<", cmp: true, do: func(x, y int64) int64 { return -b2i(x < y) }}
	opLe     = operator{text: "<=", cmp: true, do: func(x, y int64) int64 { return -b2i(x <= y) }}
	opGt     = operator{text: ">", cmp: true, do: func(x, y int64) int64 { return -b2i(x > y) }}
	opGe     = operator{text: ">=", cmp: true, do: func(x, y int64) int64 { return -b2i(x >= y) }}
	opAndAnd = operator{text: "&&", do: func(x, y int64) int64 { return b2i(x != 0 && y != 0) }}
	opOrOr   = operator{text: "||", do: func(x, y int64) int64 { return b2i(x != 0 || y != 0) }}
)

// alignUp rounds x up to a multiple of y. Both are unsigned.
func alignUp(x, y int64) int64 { return int64((uint64(x) + uint64(y) - 1) / uint64(y) * uint64(y)) }

// atLevel returns a copy of o with another precedence. Operators with a higher level bind tighter.
func (o operator) atLevel(level int) *operator {
	o.level = level
	return &o
}

// shifts returns a copy of shift operator o that uses do. Shift counts of LLVM wrap at 64. Larger shift
// counts of CLRX shift out all bits.
func (o operator) shifts(do func(x, y int64) int64) operator {
	o.do = do
	return o
}

// binaries are the binary operators of each syntax, longer ones first, with the levels of llvm-mc and
// clrxasm. Unlike in C, shifts have the level of products, and bitwise operators bind tighter than sums.
var binaries = [numSyntaxes][]*operator{
	LLVM: {
		opOrOr.atLevel(1), opAndAnd.atLevel(2), opEq.atLevel(3), opNe.atLevel(3), opNe2.atLevel(3), opLe.atLevel(3),
		opGe.atLevel(3),
		opShl.shifts(func(x, y int64) int64 { return x << (uint64(y) & 63) }).atLevel(6),
		opShr.shifts(func(x, y int64) int64 { return int64(uint64(x) >> (uint64(y) & 63)) }).atLevel(6),
		opLt.atLevel(3), opGt.atLevel(3), opAdd.atLevel(4), opSub.atLevel(4), opOr.atLevel(5), opXor.atLevel(5),
		opAnd.atLevel(5), opOrNot.atLevel(5), opMul.atLevel(6),
		opDiv.atLevel(6), opMod.atLevel(6),
	},
	CLRX: {
		opOrOr.atLevel(1), opAndAnd.atLevel(1), opEq.atLevel(2), opNe.atLevel(2),
		(&operator{text: "<=@", cmp: true, do: func(x, y int64) int64 { return -b2i(uint64(x) <= uint64(y)) }}).atLevel(2),
		(&operator{text: ">=@", cmp: true, do: func(x, y int64) int64 { return -b2i(uint64(x) >= uint64(y)) }}).atLevel(2),
		(&operator{text: "<@", cmp: true, do: func(x, y int64) int64 { return -b2i(uint64(x) < uint64(y)) }}).atLevel(2),
		(&operator{text: ">@", cmp: true, do: func(x, y int64) int64 { return -b2i(uint64(x) > uint64(y)) }}).atLevel(2),
		opNe2.atLevel(2), opLe.atLevel(2), opGe.atLevel(2),
		(&operator{text: ">>>", do: func(x, y int64) int64 { return x >> min(uint64(y), 63) }}).atLevel(5),
		opShl.shifts(func(x, y int64) int64 { return x << uint64(y) }).atLevel(5),
		opShr.shifts(func(x, y int64) int64 { return int64(uint64(x) >> uint64(y)) }).atLevel(5),
		opLt.atLevel(2), opGt.atLevel(2), opAdd.atLevel(3), opSub.atLevel(3), opOr.atLevel(4), opXor.atLevel(4),
		opAnd.atLevel(4), opOrNot.atLevel(4), opMul.atLevel(5),
		(&operator{text: "//", do: func(x, y int64) int64 { return int64(uint64(x) / uint64(y)) }, zero: true}).atLevel(5),
		(&operator{text: "%%", do: func(x, y int64) int64 { return int64(uint64(x) % uint64(y)) }, zero: true}).atLevel(5),
		opDiv.atLevel(5), opMod.atLevel(5),
	},
}

var _ = enum.Full[Syntax](binaries[:])

// The unary operators, and the choice operator of CLRX. Unary operators have no second operand. The
// second operand of a choice is a pair.
var (
	opNeg    = operator{text: "-", do: func(x, _ int64) int64 { return -x }}
	opNot    = operator{text: "~", do: func(x, _ int64) int64 { return ^x }}
	opIsZero = operator{text: "!", do: func(x, _ int64) int64 { return b2i(x == 0) }}
	opChoice = operator{text: "?"}
	opPair   = operator{text: ":"}
)

// operatorNext returns the binary operator at the cursor, or nil if there is none.
func (c *cursor) operatorNext() *operator {
	switch c.peek() {
	case '|', '&', '=', '!', '<', '>', '+', '-', '^', '*', '/', '%':
	default:
		return nil
	}
	rest := c.s[c.at:]
	for _, op := range binaries[c.syntax] {
		if strings.HasPrefix(rest, op.text) {
			return op
		}
	}
	return nil
}

// expr parses an expression. Inside |x| it parses only a primary, because "|" is not an operator there.
func (c *cursor) expr() (value, *syntaxError) {
	x, err := c.binary(1)
	if err != nil || c.syntax != CLRX || c.peek() != '?' {
		return x, err
	}
	at := c.at
	c.at++
	if c.depth++; c.depth > maxNesting {
		return x, c.errorf(at, "expression is nested too deeply")
	}
	defer func() { c.depth-- }()
	y, err := c.expr()
	if err == nil {
		err = c.expect(":")
	}
	if err != nil {
		return x, err
	}
	z, err := c.expr()
	switch {
	case err != nil:
		return x, err
	case x.isFloat || y.isFloat || z.isFloat:
		return x, c.errorf(at, "operator ? takes integers")
	case x.e == nil && x.i != 0:
		return y, nil
	case x.e == nil:
		return z, nil
	}
	return value{e: operation(&opChoice, x.e, operation(&opPair, y.tree(), z.tree()))}, nil
}

// binary parses operands and the operators between them whose level is at least
// level.
func (c *cursor) binary(level int) (value, *syntaxError) {
	x, err := c.primary()
	if err != nil {
		return x, err
	}
	for {
		op := c.operatorNext()
		if op == nil || op.level < level {
			return x, nil
		}
		at := c.at
		c.at += len(op.text)
		y, err := c.binary(op.level + 1)
		if err != nil {
			return x, err
		}
		if x, err = c.apply(at, op, x, y); err != nil {
			return x, err
		}
	}
}

// apply returns x op y. It computes the result now if both operands are known.
func (c *cursor) apply(at int, op *operator, x, y value) (value, *syntaxError) {
	switch {
	case x.isFloat || y.isFloat:
		return x, c.errorf(at, "operator %s takes integers", op.text)
	case x.e != nil || y.e != nil:
		e := operation(op, x.tree(), y.tree())
		if e.depth > maxDepth {
			return x, c.errorf(at, "expression is nested too deeply")
		}
		return value{e: e}, nil
	case op.zero && y.i == 0:
		return x, c.errorf(at, "division by zero")
	}
	return value{i: op.do(x.i, y.i)}, nil
}

// operation returns the expression x op y. y may be nil.
func operation(op *operator, x, y *expr) *expr {
	e := &expr{op: op, x: x, y: y, depth: x.depth + 1}
	if y != nil {
		e.depth = max(e.depth, y.depth+1)
	}
	return e
}

// tree converts v to an expression.
func (v value) tree() *expr {
	if v.e != nil {
		return v.e
	}
	return &expr{amount: amount{n: v.i}}
}

// maxNesting limits nested parentheses and signs, so that no input exhausts the stack.
const maxNesting = 64

func (c *cursor) primary() (value, *syntaxError) {
	var op *operator
	switch c.peek() {
	case '-':
		op = &opNeg
	case '~':
		op = &opNot
	case '!':
		op = &opIsZero
	case '+':
	default:
		return c.atom()
	}
	at := c.at
	c.at++
	if c.depth++; c.depth > maxNesting {
		return value{}, c.errorf(at, "too many signs")
	}
	v, err := c.primary()
	c.depth--
	switch {
	case err != nil || op == nil:
	case v.isFloat && op != &opNeg:
		err = c.errorf(at, "operator %s takes integers", op.text)
	case v.e != nil:
		v.e = operation(op, v.e, nil)
	default:
		v.i, v.f = op.do(v.i, 0), -v.f
	}
	return v, err
}

func (c *cursor) atom() (value, *syntaxError) {
	if v, ok, err := c.number(); ok || err != nil {
		return v, err
	}
	at := c.at
	if c.accept("(") {
		if c.depth++; c.depth > maxNesting {
			return value{}, c.errorf(at, "too many parentheses")
		}
		v, err := c.expr()
		c.depth--
		if err == nil {
			err = c.expect(")")
		}
		return v, err
	}
	name := c.s[at:c.digitsEnd(at, 10)]
	if name != "" { // a reference to a numbered label, such as 1b
		c.at += len(name)
		name += c.word()
	} else if name = c.wordOrQuoted(); name == "" {
		return value{}, c.errorf(at, "expected a number, found %s", c.found())
	} else if f := functions[name]; f != nil && c.syntax == LLVM && c.peek() == '(' {
		return c.function(name, f)
	}
	if c.names == nil {
		return value{}, c.errorf(at, "unknown register or symbol %q", name)
	}
	return c.names.value(name, at)
}

// known parses a number that must be known here. what names the number in errors.
func (c *cursor) known(what string) (int64, *syntaxError) {
	at := c.begin()
	v, err := c.expr()
	if err != nil {
		return 0, err
	}
	return c.settle(what, v, at)
}

// settle returns the number v, which must be known here. v begins at byte at.
func (c *cursor) settle(what string, v value, at int) (int64, *syntaxError) {
	switch {
	case v.isFloat:
		return 0, c.errorf(at, "%s must be an integer", what)
	case v.e == nil:
		return v.i, nil
	}
	a, _, failed := v.e.now()
	switch {
	case failed != nil && failed.sym != nil:
		return 0, c.errorf(at, "%s must be known here, and %q is not defined before this line", what, failed.sym.name)
	case failed != nil:
		return 0, c.errorf(at, "%s must be known here: %s", what, failed.what)
	case a.from != nil:
		return 0, c.errorf(at, "%s must be a number, not an address", what)
	}
	return a.n, nil
}

// integral parses an integer that may be known later. It also returns the position where the integer begins.
func (c *cursor) integral(what string) (v value, at int, err *syntaxError) {
	at = c.begin()
	v, err = c.expr()
	if err == nil && v.isFloat {
		err = c.errorf(at, "%s must be an integer", what)
	}
	return v, at, err
}

// integer parses a number from lo to hi that must be known here.
func (c *cursor) integer(what string, lo, hi int64) (int64, *syntaxError) {
	at := c.begin()
	n, err := c.known(what)
	if err == nil && (n < lo || n > hi) {
		err = c.errorf(at, "%s is %d, must be %d to %d", what, n, lo, hi)
	}
	return n, err
}

// function is a function in expressions of LLVM. It has at least one argument.
type function struct {
	args int       // number of arguments, 0 for any number
	op   *operator // combines the result so far with the next argument
}

var (
	opMax     = operator{text: "max", do: func(x, y int64) int64 { return max(x, y) }}
	opAlignTo = operator{text: "alignto", do: alignUp, zero: true}
	opShift3  = operator{do: func(x, y int64) int64 { return x<<1 | b2i(y != 0) }} // collects the flags of extrasgprs
)

// functions are the functions that compilers use in descriptors of kernels: the registers and the
// scratch memory of all functions that a kernel may call.
var functions = map[string]*function{
	"max":           {op: &opMax},
	"or":            {op: opOr.atLevel(0)},
	"alignto":       {args: 2, op: &opAlignTo},
	"totalnumvgprs": {args: 2, op: &opMax}, // of accumulation VGPRs and other VGPRs; GCN has only the latter
	"extrasgprs":    {args: 3, op: &opShift3},
}

// function parses the arguments of f. The name has been read.
func (c *cursor) function(name string, f *function) (value, *syntaxError) {
	at := c.at
	c.accept("(")
	if c.depth++; c.depth > maxNesting {
		return value{}, c.errorf(at, "too many parentheses")
	}
	defer func() { c.depth-- }()
	var all value
	n := 0
	for ; n == 0 || c.accept(","); n++ {
		v, err := c.expr()
		if err != nil {
			return v, err
		}
		if n == 0 && f.op != &opShift3 {
			all = v
		} else if all, err = c.apply(at, f.op, all, v); err != nil {
			return v, err
		}
	}
	if err := c.expect(")"); err != nil {
		return all, err
	}
	if f.args != 0 && n != f.args {
		return all, c.errorf(at, "%s takes %s", name, plural.Of(f.args, "argument"))
	}
	if f.op == &opShift3 {
		return c.apply(at, c.extraSGPRs(), all, value{})
	}
	return all, nil
}

// extraSGPRs returns an operator that converts the flags of extrasgprs to a number of SGPRs. The flags say
// whether VCC, FLAT_SCRATCH and XNACK_MASK are used.
func (c *cursor) extraSGPRs() *operator {
	t := c.target
	return &operator{text: "extrasgprs", do: func(flags, _ int64) int64 {
		return int64(extraSGPRs(t, flags&4 != 0, flags&2 != 0, flags&1 != 0))
	}}
}

// extraSGPRs returns the number of SGPRs that a program needs in addition to its own for VCC,
// FLAT_SCRATCH and XNACK_MASK. Source: LLVM AMDGPUUsage,
// "GRANULATED_WAVEFRONT_SGPR_COUNT".
func extraSGPRs(t gcn.Target, vcc, flatScratch, xnackMask bool) int {
	behindXNACK := isa.TraitsOf(t).XnackMask >= 0
	switch {
	case flatScratch && behindXNACK:
		return 6
	case flatScratch || xnackMask && behindXNACK:
		return 4
	case vcc:
		return 2
	}
	return 0
}
