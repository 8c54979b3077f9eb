package main

import (
	"fmt"
	"log"
	"slices"

	"github.com/gcnsim/gcnsim/internal/base/vector"
	"github.com/mmcloughlin/avo/operand"
)

// Functions that translate the instruction lists of package vector to assembly.

// integerOf translates an operation of package vector.
func integerOf(op vector.Op) integer {
	c := &vector.Code{}
	a, b, z := c.Arg(0), c.Arg(1), c.Arg(2)
	r := op.Body(c, a, b, z)
	return integer{op.Name, op.N, constants(c), func(g *gen, x, y, z vec) vec { return g.list(c, nil, x, y, z)[r] }}
}

// constants returns the constants that c uses.
func constants(c *vector.Code) (all []uint32) {
	for _, i := range c.Instrs {
		if i.Op == vector.Const {
			all = append(all, i.Imm)
		}
	}
	return all
}

// floatOf translates an operation of package vector.
func floatOf(op vector.Float) float {
	f := float{name: op.Name, n: op.N, least: op.Least}
	if op.Plain != nil {
		c := &vector.Code{}
		r := op.Plain(c, c.Arg(0), c.Arg(1), c.Arg(2))
		f.plain = func(g *gen, w *watch, x, y, z vec) vec { return g.list(c, w, x, y, z)[r] }
	}
	c := &vector.Code{}
	a, b, z := c.Arg(0), c.Arg(1), c.Arg(2)
	r := op.Full(c, vector.Flush{In: c.Arg(3), Out: c.Arg(4)}, a, b, z)
	f.full = func(g *gen, f flush, x, y, z vec) vec { return g.list(c, nil, x, y, z, f.in, f.out)[r] }
	return f
}

// comparisonOf translates a comparison of package vector.
func comparisonOf(op vector.Comparison) comparison {
	prepare, holds := &vector.Code{}, &vector.Code{}
	x, flush := prepare.Arg(0), prepare.Arg(1)
	p := op.Operand(prepare, x, flush)
	r := op.Holds(holds, holds.Arg(0), holds.Arg(1))
	return comparison{
		op.Name,
		func(g *gen, in gp) func(x vec) vec {
			var mask vec
			if slices.ContainsFunc(prepare.Instrs, func(i vector.Instr) bool { return i.X == flush || i.Y == flush }) {
				mask = g.all(in)
			}
			for _, v := range constants(prepare) {
				g.k(v)
			}
			return func(x vec) vec { return g.list(prepare, nil, x, mask)[p] }
		},
		op.Inverted,
		func(g *gen, x, y vec) vec { return g.list(holds, nil, x, y)[r] },
	}
}

// carryOf translates an operation with carry of package vector.
func carryOf(op vector.Carry) carry {
	with, without := &vector.Code{}, &vector.Code{}
	wr, out := op.With(with, with.Arg(0), with.Arg(1), with.Arg(2))
	r, none := op.Without(without, without.Arg(0), without.Arg(1))
	return carry{
		op.Name,
		func(g *gen, x, y, in vec) (vec, vec) {
			v := g.list(with, nil, x, y, in)
			return v[wr], v[out]
		},
		func(g *gen, x, y vec) (vec, vec) {
			v := g.list(without, nil, x, y)
			return v[r], v[none]
		},
	}
}

// list emits the instructions of c and returns their results. w receives the notes of a plain operation on floats.
func (g *gen) list(c *vector.Code, w *watch, args ...vec) []vec {
	v := make([]vec, len(c.Instrs))
	for n, i := range c.Instrs {
		switch i.Op {
		case vector.None:
		case vector.Arg:
			if int(i.Imm) < len(args) {
				v[n] = args[i.Imm]
			}
		case vector.Const:
			v[n] = g.k(i.Imm)
		case vector.Bytes:
			v[n] = g.YMM()
			g.VBROADCASTI128(g.data(tableName(i.Imm)), v[n])
		case vector.NoteOperand:
			w.operand(g, v[i.X])
		case vector.NoteFinite:
			w.finite(g, v[i.X])
		default:
			v[n] = g.instr(i, v[i.X], v[i.Y], v[i.Z])
		}
	}
	return v
}

func tableName(i uint32) string { return fmt.Sprintf("table%d", i) }

// instr emits one instruction on vectors and returns its result.
func (g *gen) instr(i vector.Instr, x, y, z vec) vec {
	if f := two[i.Op]; f != nil {
		return f(g, x, y)
	}
	if f := by[i.Op]; f != nil {
		return f(g, x, int(i.Imm))
	}
	switch i.Op {
	case vector.ComparePS:
		return g.compare(x, y, int(i.Imm))
	case vector.OddOf:
		d := g.YMM()
		g.VPBLENDD(operand.U8(0xaa), y, x, d)
		return d
	case vector.FromInt:
		return g.do1(g.VCVTDQ2PS, x)
	case vector.Truncate:
		return g.do1(g.VCVTTPS2DQ, x)
	case vector.LowPD:
		return g.do1(g.VCVTPS2PD, x.AsX())
	case vector.HighPD:
		return g.do1(g.VCVTPS2PD, g.upper(x).AsX())
	case vector.SqrtPD:
		return g.do1(g.VSQRTPD, x)
	case vector.Singles:
		return g.join(g.single(x), g.single(y))
	case vector.FMA:
		return g.fmaPS(x, y, z)
	case vector.Blend:
		return g.blend(x, y, z)
	case vector.BlendB:
		d := g.YMM()
		g.VPBLENDVB(z, y, x, d)
		return d
	}
	log.Fatalf("gen: there is no instruction %d", i.Op)
	return nil
}

// two holds the instructions on two vectors.
var two = map[vector.Opcode]func(g *gen, x, y vec) vec{
	vector.Add: (*gen).add, vector.Sub: (*gen).sub, vector.Mul: (*gen).mul, vector.And: (*gen).and, vector.Or: (*gen).or,
	vector.Xor: (*gen).xor, vector.AndNot: (*gen).andNot, vector.Shl: (*gen).shl, vector.Shr: (*gen).shr,
	vector.Sar: (*gen).sar, vector.MinS: (*gen).minS, vector.MaxS: (*gen).maxS, vector.MinU: (*gen).minU,
	vector.MaxU: (*gen).maxU, vector.Equal: (*gen).equal, vector.Greater: (*gen).greater,
	vector.AddPS: (*gen).addPS, vector.SubPS: (*gen).subPS, vector.MulPS: (*gen).mulPS,
	vector.MulEvenU: func(g *gen, x, y vec) vec { return g.do(g.VPMULUDQ, y, x) },
	vector.MulEvenS: func(g *gen, x, y vec) vec { return g.do(g.VPMULDQ, y, x) },
	vector.AddB:     func(g *gen, x, y vec) vec { return g.do(g.VPADDB, y, x) },
	vector.SubB:     func(g *gen, x, y vec) vec { return g.do(g.VPSUBB, y, x) },
	vector.AverageB: func(g *gen, x, y vec) vec { return g.do(g.VPAVGB, y, x) },
	vector.SubSatB:  func(g *gen, x, y vec) vec { return g.do(g.VPSUBUSB, y, x) },
	vector.SubSatW:  func(g *gen, x, y vec) vec { return g.do(g.VPSUBUSW, y, x) },
	vector.MaxB:     func(g *gen, x, y vec) vec { return g.do(g.VPMAXUB, y, x) },
	vector.EqualB:   func(g *gen, x, y vec) vec { return g.do(g.VPCMPEQB, y, x) },
	vector.GreaterB: func(g *gen, x, y vec) vec { return g.do(g.VPCMPGTB, y, x) },
	vector.MulAddW:  func(g *gen, x, y vec) vec { return g.do(g.VPMADDWD, y, x) },
	vector.MulAddB:  func(g *gen, x, y vec) vec { return g.do(g.VPMADDUBSW, y, x) },
	vector.ShuffleB: func(g *gen, x, y vec) vec { return g.do(g.VPSHUFB, y, x) },
	vector.MaxPS:    func(g *gen, x, y vec) vec { return g.do(g.VMAXPS, y, x) },
	vector.DivPD:    func(g *gen, x, y vec) vec { return g.do(g.VDIVPD, y, x) },
}

// by holds the instructions on a vector and a constant.
var by = map[vector.Opcode]func(g *gen, x vec, n int) vec{
	vector.ShlBy: (*gen).shlBy, vector.ShrBy: (*gen).shrBy, vector.SarBy: (*gen).sarBy,
	vector.ShlByW: func(g *gen, x vec, n int) vec { return g.do(g.VPSLLW, operand.U8(n), x) },
	vector.ShrByW: func(g *gen, x vec, n int) vec { return g.do(g.VPSRLW, operand.U8(n), x) },
	vector.SarByW: func(g *gen, x vec, n int) vec { return g.do(g.VPSRAW, operand.U8(n), x) },
	vector.ShrByQ: func(g *gen, x vec, n int) vec { return g.do(g.VPSRLQ, operand.U8(n), x) },
	vector.RoundPS: func(g *gen, x vec, n int) vec {
		d, round := g.vec(), g.VROUNDPS
		if g.zmm {
			round = func(how, x, d operand.Op) { g.VRNDSCALEPS(how, x, d) }
		}
		round(operand.U8(8|n), x, d)
		return d
	},
}
