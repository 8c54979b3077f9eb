package alu

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/state"
)

// holds maps a condition to its definition on an outcome of cmpRef: -1, 0, 1, or 2 for unordered (AMD GCN ISA
// manuals, table of VOPC conditions).
var holds = map[string]func(c int) bool{
	"f": func(int) bool { return false }, "tru": func(int) bool { return true }, "t": func(int) bool { return true },
	"lt": func(c int) bool { return c == -1 }, "eq": func(c int) bool { return c == 0 },
	"gt": func(c int) bool { return c == 1 },
	"le": func(c int) bool { return c < 1 }, "ge": func(c int) bool { return c == 0 || c == 1 },
	"lg": func(c int) bool { return c == -1 || c == 1 }, "ne": func(c int) bool { return c != 0 },
	"o": func(c int) bool { return c != 2 }, "u": func(c int) bool { return c == 2 },
	"nge": func(c int) bool { return !(c == 0 || c == 1) }, "nlg": func(c int) bool { return !(c == -1 || c == 1) },
	"ngt": func(c int) bool { return c != 1 }, "nle": func(c int) bool { return c > 0 },
	"neq": func(c int) bool { return c != 0 }, "nlt": func(c int) bool { return c != -1 },
}

func classRef(f format, v uint64) uint {
	e, m, neg := f.exponent(v), v&(1<<f.mant-1), v&f.sign() != 0
	pick := func(negative, positive uint) uint {
		if neg {
			return negative
		}
		return positive
	}
	switch {
	case isNaNRef(f, v) && m&f.quietBit() == 0:
		return 0
	case isNaNRef(f, v):
		return 1
	case isInfRef(f, v):
		return pick(2, 9)
	case e != 0:
		return pick(3, 8)
	case m != 0:
		return pick(4, 7)
	}
	return pick(5, 6)
}

func TestCompares(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	sizes := map[isa.Type]uint{isa.I16: 16, isa.U16: 16, isa.I32: 32, isa.U32: 32, isa.I64: 64, isa.U64: 64}
	for op := 1; op < isa.NumOps(); op++ {
		r := isa.RowOf(gcn.Op(op))
		if r.Enc != isa.VOPC {
			continue
		}
		cond, typ := strings.Split(r.Name, "_")[2], r.Sig.Src[0]
		f := formatOf(typ)
		ref := func(x refLane) uint64 {
			var yes bool
			switch n := sizes[typ]; {
			case cond == "class":
				yes = x.b>>classRef(f, x.a)&1 != 0
			case typ.Info().Float:
				e := modeOf(f, x.mode)
				yes = holds[cond](cmpRef(f, flushRef(f, x.a, e), flushRef(f, x.b, e)))
			default:
				a, b := x.a, x.b
				// invert the sign bit, so that signed values compare as unsigned
				if typ == isa.I16 || typ == isa.I32 || typ == isa.I64 {
					a, b = a+1<<(n-1), b+1<<(n-1)
					if n < 64 {
						a, b = low(a, n), low(b, n)
					}
				}
				c := 0
				if a < b {
					c = -1
				} else if a > b {
					c = 1
				}
				yes = holds[cond](c)
			}
			if yes {
				return 1
			}
			return 0
		}
		n := op
		for _, mode := range []state.Mode{0xc0, 0x30, 0x00, 0xf0} {
			for g := range gcn.Gen(gcn.NumGens) {
				for _, enc := range []gcn.Encoding{isa.VOPC, isa.VOP3A, isa.VOPCSDWA, isa.VOPCDPP} {
					if n++; r.On(g.Target()) && !effort.LeavesOut(n) {
						agree(t, g, gcn.Op(op), enc, ref, rnd, false, mode)
					}
				}
			}
		}
		if t.Failed() {
			return
		}
	}
}
