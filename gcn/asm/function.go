package asm

import "github.com/gcnsim/gcnsim/gcn"

// function is a function of LLVM's expressions, of at least one number.
type function struct {
	args int       // how many it takes, 0: any number
	op   *operator // combines the value so far with the next argument
}

var (
	opMax     = operator{text: "max", do: func(x, y int64) int64 { return max(x, y) }}
	opAlignTo = operator{text: "alignto", do: func(x, y int64) int64 { return int64((uint64(x) + uint64(y) - 1) / uint64(y) * uint64(y)) }, zero: true}
	opShift3  = operator{do: func(x, y int64) int64 { return x<<1 | b2i(y != 0) }} // collects the flags of extrasgprs
)

// functions are those that compilers write around kernels: how many registers and how much
// scratch the functions take that a kernel may call.
var functions = map[string]*function{
	"max":           {op: &opMax},
	"or":            {op: opOr.at(0)},
	"alignto":       {args: 2, op: &opAlignTo},
	"totalnumvgprs": {args: 2, op: &opMax}, // of accumulation and other VGPRs, which GCN does not have both
	"extrasgprs":    {args: 3, op: &opShift3},
}

// function takes the arguments of f, the name having been read.
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
		return all, c.errorf(at, "%s takes %d arguments", name, f.args)
	}
	if f.op == &opShift3 {
		return c.apply(at, c.extraSGPRs(), all, value{})
	}
	return all, nil
}

// extraSGPRs turns the flags of extrasgprs, which tell whether VCC, FLAT_SCRATCH and
// XNACK_MASK are used, into the SGPRs that they take.
func (c *cursor) extraSGPRs() *operator {
	t := c.target
	return &operator{text: "extrasgprs", do: func(flags, _ int64) int64 {
		return int64(extraSGPRs(t, flags&4 != 0, flags&2 != 0, flags&1 != 0))
	}}
}

// extraSGPRs returns how many SGPRs behind its own a program needs that uses VCC,
// FLAT_SCRATCH and XNACK_MASK, as told. Source: LLVM AMDGPUUsage,
// "GRANULATED_WAVEFRONT_SGPR_COUNT".
func extraSGPRs(t gcn.Target, vcc, flatScratch, xnackMask bool) int {
	behindXNACK := t.Traits().XnackMask >= 0
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
