package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/gcnsim/gcnsim/sim/check"
)

// condition is a requirement of an exercise on an execution:
//
// lines(buffer_load) == 4 and active(buffer_load) == 64 and v2[lane] == 63 - lane
//
// It consists of comparisons joined by "and", which must all hold. The operands are integers:
//
// lines(NAME), clocks(NAME), groups(NAME), out(NAME), active(NAME), count(NAME)
//
//	                     sums over the first wave's instructions whose text starts with NAME:
//	                     cache lines, clocks of the unit that processes the lanes, groups of lanes
//	                     that it processes together, lanes out of range, active lanes, and the
//	                     number of executions
//	findings, findings(KIND)
//	                     number of instructions with findings
//	cycles, instructions of the execution
//	s4, m0, vcc, exec, scc, mode, trapsts, v2[LANE]
//	                     final registers of the first wave
//	mem(BUFFER, I)       dword I of a buffer after the execution
//	lane                 the lane number: a comparison with it must hold in all 64 lanes
//	7, 0x10, + - * & | ^ << >>, ()
//	                     + - & | ^ have the same precedence; * << >> have a higher one
type condition []comparison

// comparison compares two operands.
type comparison struct {
	left, right *operand
	op          relation
}

// relation is a comparison operator.
type relation string

// holds reports whether the relation holds for a and b.
func (r relation) holds(a, b int64) bool {
	switch r {
	case "==":
		return a == b
	case "!=":
		return a != b
	case "<=":
		return a <= b
	case ">=":
		return a >= b
	case "<":
		return a < b
	default:
		return a > b
	}
}

// words returns the relation as text before a number.
func (r relation) words() string {
	return map[relation]string{"==": "", "!=": "another number than ", "<=": "at most ", ">=": "at least ",
		"<": "less than ", ">": "more than "}[r]
}

// operandKind is the kind of an operand.
type operandKind int

const (
	numberOperand operandKind = iota
	laneOperand
	plainOperand    // an operand that is only a name, such as a register
	scalarOperand   // an SGPR
	vectorOperand   // a VGPR in a lane
	memoryOperand   // a dword of a buffer
	sumOperand      // a quantity summed over instructions
	findingsOperand // the findings of one kind, or all
	arithmetic
)

// operand is one side of a comparison, or a part of it.
type operand struct {
	kind   operandKind
	name   string // name of a quantity, an operation or a plain operand
	of     string // name of the instructions, the buffer, or the kind of findings
	number int64  // the number, or the register's number
	args   []*operand
}

// ofLanes reports whether x depends on the lane.
func (x *operand) ofLanes() bool {
	return x.kind == laneOperand || slices.ContainsFunc(x.args, (*operand).ofLanes)
}

// operate applies x's operation to two numbers.
func (x *operand) operate(a, b int64) int64 {
	switch x.name {
	case "+":
		return a + b
	case "-":
		return a - b
	case "&":
		return a & b
	case "|":
		return a | b
	case "^":
		return a ^ b
	case "*":
		return a * b
	case "<<":
		return a << (b & 63)
	default: // >>
		return a >> (b & 63)
	}
}

// plains are the operands that are only a name.
var plains = []string{"cycles", "instructions", "scc", "mode", "trapsts", "vcc", "exec", "m0"}

// conditionError is a syntax error in a condition.
type conditionError struct{ text, at, what string }

func (e *conditionError) Error() string {
	return fmt.Sprintf("the condition %q, at %q: %s", e.text, e.at, e.what)
}

// parser parses a condition.
type parser struct {
	text, rest string
	err        error
}

// parseCondition parses a condition.
func parseCondition(text string) (condition, error) {
	p := &parser{text: text, rest: text}
	var c condition
	for {
		one := comparison{left: p.sum()}
		if one.op = relation(p.oneOf("==", "!=", "<=", ">=", "<", ">")); one.op == "" {
			p.fail("a comparison is missing: ==, !=, <=, >=, < or >")
		}
		one.right = p.sum()
		c = append(c, one)
		if p.err != nil {
			return nil, p.err
		}
		if p.oneOf("and") == "" {
			break
		}
	}
	if p.rest != "" {
		p.fail("it goes on after its end; put \"and\" between comparisons")
	}
	return c, p.err
}

// fail records the first error.
func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = &conditionError{p.text, p.rest, fmt.Sprintf(format, args...)}
	}
}

// oneOf consumes the first of the texts that comes next, and returns it, or "".
func (p *parser) oneOf(texts ...string) string {
	p.rest = strings.TrimSpace(p.rest)
	for _, t := range texts {
		if rest, ok := strings.CutPrefix(p.rest, t); ok {
			p.rest = strings.TrimSpace(rest)
			return t
		}
	}
	return ""
}

// word consumes letters, digits and the other characters in names of instructions, buffers and kinds.
func (p *parser) word() string {
	p.rest = strings.TrimSpace(p.rest)
	end := strings.IndexFunc(p.rest, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '.'
	})
	if end < 0 {
		end = len(p.rest)
	}
	w := p.rest[:end]
	p.rest = strings.TrimSpace(p.rest[end:])
	return w
}

// sum parses operands joined by + - & | ^.
func (p *parser) sum() *operand { return p.chain(p.product, "+", "-", "&", "|", "^") }

// product parses operands joined by * << >>.
func (p *parser) product() *operand { return p.chain(p.single, "*", "<<", ">>") }

// chain parses operands joined by operators of the same precedence.
func (p *parser) chain(part func() *operand, operations ...string) *operand {
	x := part()
	for p.err == nil {
		op := p.oneOf(operations...)
		if op == "" {
			break
		}
		x = &operand{kind: arithmetic, name: op, args: []*operand{x, part()}}
	}
	return x
}

// single parses an operand without operators.
func (p *parser) single() *operand {
	if p.oneOf("(") != "" {
		x := p.sum()
		p.expect(")")
		return x
	}
	at, w := p.rest, p.word()
	if n, err := strconv.ParseUint(w, 0, 64); err == nil {
		return &operand{number: int64(n)}
	}
	switch q := quantities[w]; {
	case w == "lane":
		return &operand{kind: laneOperand}
	case slices.Contains(plains, w):
		return &operand{kind: plainOperand, name: w}
	case q.of != nil:
		return &operand{kind: sumOperand, name: w, of: p.argument()}
	case w == "findings":
		return p.findings()
	case w == "mem":
		return p.dword()
	}
	n, err := strconv.ParseUint(strings.TrimLeft(w, "sv"), 10, 8)
	switch {
	case err == nil && w[0] == 's' && n < 104:
		return &operand{kind: scalarOperand, number: int64(n)}
	case err == nil && w[0] == 'v':
		p.expect("[")
		x := &operand{kind: vectorOperand, number: int64(n), args: []*operand{p.sum()}}
		p.expect("]")
		return x
	}
	p.rest = at
	p.fail("this is no operand")
	return &operand{}
}

// expect consumes a text that must come next.
func (p *parser) expect(text string) {
	if p.oneOf(text) == "" {
		p.fail("%s is missing", text)
	}
}

// argument parses a name in parentheses.
func (p *parser) argument() string {
	p.expect("(")
	w := p.word()
	if w == "" {
		p.fail("a name is missing")
	}
	p.expect(")")
	return w
}

// findings parses the text after "findings".
func (p *parser) findings() *operand {
	x := &operand{kind: findingsOperand}
	if p.oneOf("(") == "" {
		return x
	}
	at := p.rest
	end := strings.IndexByte(p.rest, ')')
	if end < 0 {
		p.fail(") is missing")
		return x
	}
	x.of, p.rest = p.rest[:end], p.rest[end+1:]
	if !slices.Contains(check.Names(), x.of) {
		p.rest = at
		p.fail("there is no check of that name")
	}
	return x
}

// dword parses the text after "mem".
func (p *parser) dword() *operand {
	p.expect("(")
	x := &operand{kind: memoryOperand, of: p.word()}
	p.expect(",")
	x.args = []*operand{p.sum()}
	p.expect(")")
	return x
}
