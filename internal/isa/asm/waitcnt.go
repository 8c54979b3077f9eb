package asm

import (
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// counter is a field of S_WAITCNT's SIMM16. It may be split into two parts, the low bits first.
type counter struct {
	name                   string
	shift, width, hi, more uint8
	max                    func(*isa.Traits) uint8
}

// counters are the fields of S_WAITCNT. Source: rule W1.
var counters = [...]counter{
	{"vmcnt", 0, 4, 14, 2, func(t *isa.Traits) uint8 { return t.MaxVM }},
	{"expcnt", 4, 3, 0, 0, func(t *isa.Traits) uint8 { return t.MaxEXP }},
	{"lgkmcnt", 8, 4, 0, 0, func(*isa.Traits) uint8 { return 15 }}, // rule K7
}

func (c *counter) get(v uint32, top uint8) uint8 {
	n := v >> c.shift & (1<<c.width - 1)
	if c.more != 0 {
		n |= v >> c.hi & (1<<c.more - 1) << c.width
	}
	return uint8(n) & top
}

func (c *counter) set(v uint32, n uint8) uint32 {
	v = v&^((1<<c.width-1)<<c.shift) | uint32(n)&(1<<c.width-1)<<c.shift
	if c.more != 0 {
		v = v&^((1<<c.more-1)<<c.hi) | uint32(n)>>c.width<<c.hi
	}
	return v
}

// allIdle returns SIMM16 with the maximum of each counter, which waits for nothing.
func allIdle(g gcn.Gen) (v uint32) {
	for n := range counters {
		v = counters[n].set(v, counters[n].max(isa.GenTraits(g)))
	}
	return v
}

// appendWaitcnt prints the counters for which in waits. If there are none, it prints all. If other bits are set,
// LLVM prints only a number, and CLRX prints a number after the counters.
func appendWaitcnt(b []byte, in isa.Inst, p *part) []byte {
	g, v, start := in.Target.Gen(), in.Get(p.field), len(b)
	t, idle, sep := isa.GenTraits(g), allIdle(g), " "
	odd := v&^idle != 0
	if p.syntax == CLRX {
		sep = " & "
	}
	for n := range counters {
		c := &counters[n]
		top := c.max(t)
		if got := c.get(v, top); !(odd && p.syntax == LLVM) && (v == idle || got != top) {
			if len(b) > start {
				b = append(b, sep...)
			}
			b = append(append(b, c.name...), '(')
			b = append(strconv.AppendUint(b, uint64(got), 10), ')')
		}
	}
	if odd && len(b) > start {
		b = append(b, " :"...)
	}
	if odd {
		b = appendHex(b, uint64(v))
	}
	return b
}

func (p *parser) waitcnt(q *part) *syntaxError {
	v := allIdle(p.g)
	for first := true; ; first = false {
		at := p.begin()
		name := p.folded()
		var c *counter
		for n := range counters {
			if name == counters[n].name || name == counters[n].name+"_sat" {
				c = &counters[n]
			}
		}
		if c == nil || p.peek() != '(' {
			p.at = at
			if first {
				return p.imm16(q, "wait count")
			}
			return p.errorf(at, "expected vmcnt, expcnt or lgkmcnt, found %s", p.found())
		}
		p.accept("(")
		top := int64(c.max(isa.GenTraits(p.g)))
		hi := top
		if strings.HasSuffix(name, "_sat") {
			hi = 1 << 62
		}
		n, err := p.integer(c.name, 0, hi)
		if err != nil {
			return err
		}
		if err := p.expect(")"); err != nil {
			return err
		}
		v = c.set(v, uint8(min(n, top)))
		if p.accept("&") || p.syntax == LLVM && p.accept(",") || p.syntax == CLRX && isWordByte(p.peek(), true) {
			continue
		}
		if p.end() || p.syntax == CLRX {
			p.set(q.field, int64(int16(v)))
			return p.rawImm(q)
		}
	}
}
