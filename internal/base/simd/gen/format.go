package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/operand"
)

// formats writes conversions of the fields of an element.
func formats(g *gen) {
	g.constants16("lane_bits", func(i int) byte { return byte(1 << (i & 7)) })
	for _, f := range []struct {
		name  string
		shift any
	}{{"linearAVX2", g.VPSRLD}, {"linearSignedAVX2", g.VPSRAD}} {
		g.function(f.name, "func(d, s *[64]uint32, up, down uint32, add, step, low float64)")
		d, s, up, down := g.arg("d"), g.arg("s"), g.count("up"), g.count("down")
		add, step, low := g.broadcast("add"), g.broadcast("step"), g.broadcast("low")
		value := func(x operand.Op) vec {
			c := g.do1(g.VCVTDQ2PD, x)
			return g.single(g.do(g.VMAXPD, low, g.mulPD(g.addPD(c, add), step)))
		}
		g.groups(2, func(at func(gp) operand.Mem) {
			c := g.do(f.shift, down, g.do(g.VPSLLD, up, g.load(at(s))))
			g.VMOVDQU(g.join(value(c.AsX()), value(g.upper(c).AsX())), at(d))
		})
		g.end()
	}

	// The product with the reciprocal, corrected by the remainder: Markstein's division.
	g.function("fractionAVX2", "func(d, s *[64]uint32, up, down uint32, top, inverse float32)")
	d, s, up, down := g.arg("d"), g.arg("s"), g.count("up"), g.count("down")
	top, inverse := g.broadcast("top"), g.broadcast("inverse")
	g.groups(4, func(at func(gp) operand.Mem) {
		c := g.do1(g.VCVTDQ2PS, g.do(g.VPSRLD, down, g.do(g.VPSLLD, up, g.load(at(s)))))
		q := g.mulPS(c, inverse)
		g.VFNMADD231PS(q, top, c)
		g.VFMADD231PS(c, inverse, q)
		g.VMOVDQU(q, at(d))
	})
	g.end()

	g.byteFractions()

	g.function("smallFloatsAVX2", "func(d, s *[64]uint32, down, up, mask uint32)")
	d, s, down, up = g.arg("d"), g.arg("s"), g.count("down"), g.count("up")
	mask := g.all(g.arg32("mask"))
	for _, v := range []uint32{halfExponent, exponent, signBit, 0x7fff} {
		g.k(v)
	}
	g.groups(1, func(at func(gp) operand.Mem) {
		v := g.and(g.do(g.VPSLLD, up, g.do(g.VPSRLD, down, g.load(at(s)))), mask)
		four := g.YMM()
		g.VPERMQ(operand.U8(0x08), g.do(g.VPACKUSDW, v, v), four)
		r := g.do1(g.VCVTPH2PS, four.AsX())
		special := g.equal(g.and(v, g.k(halfExponent)), g.k(halfExponent)) // the host quiets a NaN
		bits := g.or(g.shlBy(g.and(v, g.k(0x7fff)), 13), g.or(g.and(g.shlBy(v, 16), g.k(signBit)), g.k(exponent)))
		g.VMOVDQU(g.blend(r, bits, special), at(d))
	})
	g.end()
}

// byteFractions writes the conversion of the four bytes of dwords to fractions: the product with the reciprocal in
// two parts, which is exact for each of the 256 values.
func (g *gen) byteFractions() {
	inverse := float32(1. / 255)
	g.function("byteFractionsAVX2", "func(d *[4]*[64]uint32, s *[64]uint32, mask uint64)")
	regs, s, mask := g.arg("d"), g.arg("s"), g.arg("mask")
	low, high, rest := g.k(0xff), g.k(math.Float32bits(inverse)), g.k(math.Float32bits(float32(1./255-float64(inverse))))
	var d [4]gp
	for c := range d {
		d[c] = g.GP64()
		g.MOVQ(operand.Mem{Base: regs, Disp: 8 * c}, d[c])
	}
	eight := func(i int, lanes *bits) {
		var take vec
		if lanes != nil {
			take = g.take(lanes)
		}
		v := g.load(operand.Mem{Base: s, Disp: 32 * i})
		for c, d := range d {
			none := fmt.Sprintf("none%d", g.labels())
			g.TESTQ(d, d)
			g.JZ(operand.LabelRef(none))
			n := v
			if c > 0 {
				n = g.shrBy(v, 8*c)
			}
			n = g.do1(g.VCVTDQ2PS, g.and(n, low))
			q := g.mulPS(n, rest)
			g.VFMADD231PS(n, high, q)
			at := operand.Mem{Base: d, Disp: 32 * i}
			if lanes != nil {
				q = g.blend(g.load(at), q, take)
			}
			g.VMOVDQU(q, at)
			g.Label(none)
		}
	}
	g.CMPQ(mask, operand.I8(-1))
	g.JE(operand.LabelRef("whole"))
	lanes := g.bits(mask)
	for i := range 8 {
		eight(i, lanes)
	}
	g.end()
	g.Label("whole")
	for i := range 8 {
		eight(i, nil)
	}
	g.end()
}

func (g *gen) addPD(x, y vec) vec { return g.do(g.VADDPD, y, x) }
func (g *gen) mulPD(x, y vec) vec { return g.do(g.VMULPD, y, x) }

// single rounds four numbers of 64 bits to floats in the lower half of a register.
func (g *gen) single(x vec) vec {
	d := g.YMM()
	g.VCVTPD2PSY(x, d.AsX())
	return d
}

// broadcast returns a float argument of 32 or 64 bits in all lanes.
func (g *gen) broadcast(name string) vec {
	m, err := g.Param(name).Resolve()
	check(err)
	y := g.YMM()
	if m.Type.String() == "float32" {
		g.VBROADCASTSS(m.Addr, y)
	} else {
		g.VBROADCASTSD(m.Addr, y)
	}
	return y
}

// upper returns the upper half of a register; join puts two lower halves together.
func (g *gen) upper(x vec) vec {
	d := g.YMM()
	g.VEXTRACTI128(operand.U8(1), x, d.AsX())
	return d
}

func (g *gen) join(low, high vec) vec {
	d := g.YMM()
	g.VINSERTI128(operand.U8(1), high.AsX(), low, d)
	return d
}
