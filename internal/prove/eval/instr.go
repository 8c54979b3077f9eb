package eval

import (
	"fmt"
	"strings"

	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/prove/term"
	"github.com/gcnsim/gcnsim/state"
)

// harmless are instructions that change no register and no memory.
var harmless = map[isa.Control]bool{isa.Waits: true, isa.Idles: true, isa.Sleeps: true, isa.SetsPriority: true,
	isa.InvalidatesL1: true, isa.InvalidatesScalar: true, isa.InvalidatesCode: true, isa.WritesBackScalar: true}

// step executes an instruction that does not branch.
func (p *program) step(s *lane, in *instr) {
	switch {
	case harmless[in.row.Control]:
	case in.does != nil && in.does.Stop == block.AtBarrier:
		p.barrier(s)
	case in.row.Mem.Op != isa.NoMem:
		p.memory(s, in)
	case in.does != nil && in.does.Vector != nil:
		p.vector(s, in.does.Vector)
	case in.does != nil && in.does.Scalar != nil:
		p.scalar(s, in.does.Scalar)
	case in.does != nil && in.does.Nop:
	default:
		p.opaque(s, in)
	}
}

// source returns the value of a 32-bit operand.
func (p *program) source(s *lane, o *block.Source) *term.Term {
	t := p.Const(32, o.Value)
	switch o.Kind {
	case block.VGPR:
		t = p.vgpr(s, int(o.Code))
	case block.SGPR:
		t = p.sgpr(s, int(o.Code))
	}
	if o.Bits > 0 && o.Bits < 32 {
		t = p.Extract(o.Shift+o.Bits-1, o.Shift, t)
		if o.Signed {
			t = p.Sext(32, t)
		} else {
			t = p.Zext(32, t)
		}
	}
	if o.Abs {
		t = p.And(t, p.Const(32, 0x7fffffff))
	}
	if o.Neg {
		t = p.Xor(t, p.Const(32, 1<<31))
	}
	return t
}

// vector executes a vector instruction that has a description.
func (p *program) vector(s *lane, v *block.Vector) {
	exec, facts := p.exec(s), p.laneFacts(s)
	var a [4]*term.Term
	for i := range v.N {
		a[i] = p.source(s, &v.Src[i])
	}
	in := p.Bool(false)
	if v.Masked {
		in = p.Under(p.mask(s, int(v.MaskIn)), facts)
	}
	var out *term.Term // mask result
	switch {
	case v.Select:
		p.setVGPR(s, int(v.Dst), p.Ite(in, a[1], a[0]))
	case v.Op != nil:
		r := p.list(v.Op.Body, a)
		if v.Half && r != nil {
			r = p.And(r, p.Const(32, 0xffff))
		}
		if r == nil { // floats
			p.opaque(s, p.at)
			return
		}
		p.setVGPR(s, int(v.Dst), r)
	case v.Float != nil:
		p.setVGPR(s, int(v.Dst), p.float(v.Float.Op.Name, a[:v.N]))
	case v.Carry != nil:
		var r *term.Term
		r, out = p.carry(v.Carry.Name, a[0], a[1], in)
		p.setVGPR(s, int(v.Dst), r)
	case v.Wide != nil:
		var r *term.Term
		r, out = p.wide(v.Wide.Name, a)
		p.setVGPR(s, int(v.Dst), p.Extract(31, 0, r))
		p.setVGPR(s, int(v.Dst+1), p.Extract(63, 32, r))
	case v.Compare != nil:
		out = p.compare(v.Compare, a[0], a[1])
	}
	if v.Gives && out != nil {
		out = p.And(exec, out)
		p.setMask(s, int(v.MaskOut), out)
		if v.Exec {
			p.setMask(s, isa.EXEC, out)
		}
	}
}

// carry executes an addition or subtraction with a carry or borrow. The lists of these operations give the same result,
// but as terms in which the two halves of a 64-bit sum cannot be joined.
func (p *program) carry(name string, x, y, in *term.Term) (r, out *term.Term) {
	if name == "subrev" {
		x, y = y, x
	}
	ex, ey := p.Zext(64, x), p.Zext(64, y)
	if name == "add" {
		all := p.Add(p.Add(ex, ey), p.Zext(64, in))
		r, out = p.Extract(31, 0, all), p.Extract(32, 32, all)
		if in.Op == term.Extract && in.K == 32 && in.Args[0].Width == 64 && in.Args[0].Poss>>33 == 0 {
			r = p.Extract(63, 32, p.Add(in.Args[0], p.Scale(p.Add(ex, ey), 1<<32)))
		}
		return r, out
	}
	all := p.Sub(p.Sub(ex, ey), p.Zext(64, in))
	r, out = p.Extract(31, 0, all), p.Ult(x, y)
	if !in.IsFalse() {
		out = p.Extract(32, 32, all)
	}
	if in.Op == term.Ult && in.Args[0].Width == 32 {
		low := p.Sub(p.Zext(64, in.Args[0]), p.Zext(64, in.Args[1]))
		r = p.Extract(63, 32, p.Add(low, p.Scale(p.Sub(ex, ey), 1<<32)))
	}
	return r, out
}

// wide executes an operation with a 64-bit result.
func (p *program) wide(name string, a [4]*term.Term) (r, out *term.Term) {
	if name == "mad u64" {
		product, more := p.Mul(p.Zext(64, a[0]), p.Zext(64, a[1])), p.Concat(a[3], a[2])
		r = p.Add(product, more)
		return r, p.Ult(r, more)
	}
	x, n := p.Concat(a[1], a[0]), p.Zext(64, p.And(a[2], p.Const(32, 63)))
	switch name {
	case "shl":
		return p.Shl(x, n), nil
	case "shr":
		return p.Shr(x, n), nil
	case "sar":
		return p.Sar(x, n), nil
	}
	p.fail("an operation of 64 bits")
	return x, nil
}

// float returns the result of a float operation as an unknown function. It sorts operands that commute.
func (p *program) float(name string, a []*term.Term) *term.Term {
	if name == "sub" {
		name, a[1] = "add", p.Xor(a[1], p.Const(32, 1<<31))
	}
	if name == "add" || name == "mul" {
		p.Assumed[NaNs] = true
		if a[0].ID > a[1].ID {
			a[0], a[1] = a[1], a[0]
		}
	}
	return p.function(32, "float "+name, "float "+name, a)
}

// function returns the result of an instruction as an unknown function of its operands and MODE.
func (p *program) function(w uint8, name, of string, args []*term.Term) *term.Term {
	name = fmt.Sprintf("%s, MODE %#x", name, p.kernel.RSRC.Fields(p.object.Target).Mode)
	p.Opaque[name] = of
	return p.Fn(w, name, args...)
}

// compare returns the result of a comparison.
func (p *program) compare(c *block.Compare, x, y *term.Term) *term.Term {
	if c.Swap {
		x, y = y, x
	}
	r := p.Bool(false)
	switch {
	case c.Op == nil:
	case strings.HasSuffix(c.Op.Name, " f32") && !strings.HasPrefix(c.Op.Name, "unscaled"):
		r = p.floatCompare(strings.TrimSuffix(c.Op.Name, " f32"), x, y)
	default:
		r = p.holds(c.Op, x, y)
	}
	if c.Invert {
		return p.Not(r)
	}
	return r
}

// floatCompare reduces the float comparisons to three unknown functions: less, equal and unordered.
func (p *program) floatCompare(how string, x, y *term.Term) *term.Term {
	switch how {
	case "le":
		return p.Or(p.floatCompare("lt", x, y), p.floatCompare("eq", x, y))
	case "lg":
		return p.Not(p.Or(p.floatCompare("eq", x, y), p.floatCompare("unordered", x, y)))
	case "eq", "unordered":
		if x.ID > y.ID {
			x, y = y, x
		}
	}
	return p.function(1, "float "+how, "float "+how, []*term.Term{x, y})
}

// scalar executes a scalar instruction that has a description.
func (p *program) scalar(s *lane, c *block.Scalar) {
	saves := c.Op >= block.SaveAnd && c.Op <= block.SaveAndNot
	unary := saves || c.Op == block.Move || c.Op == block.Not
	bitwise := c.Op >= block.And && c.Op <= block.Not || c.Op == block.Move || c.Op == block.Select
	holdsMask := func(o *block.Source) bool { return o.Kind == block.SGPR && s.s[int(o.Code)].kind != number }
	dst := int(c.Dst)
	switch {
	case saves || c.Wide && bitwise && (holdsMask(&c.A) || !unary && holdsMask(&c.B)):
		p.maskOp(s, c, saves, unary)
		return
	case c.Op == block.Move && !c.Wide && holdsMask(&c.A): // copies half of a mask
		p.moveScalar(s, dst, s.s[int(c.A.Code)])
		return
	}
	w := uint8(32)
	if c.Wide {
		w = 64
	}
	a, b := p.number(s, &c.A, w), p.Const(w, 0)
	switch {
	case c.Op.Shifts():
		b = p.Zext(w, p.And(p.number(s, &c.B, 32), p.Const(32, uint64(w-1))))
	case !unary:
		b = p.number(s, &c.B, w)
	}
	r, scc := p.compute(s, c.Op, a, b)
	if c.Op.SetsSCC() {
		s.scc = scc
	}
	switch {
	case c.Op.Compares():
	case c.Wide:
		p.setSGPR64(s, dst, r)
	default:
		p.setSGPR(s, dst, r)
	}
}

// number returns the value of a scalar operand, w bits wide.
func (p *program) number(s *lane, o *block.Source, w uint8) *term.Term {
	switch {
	case o.Kind == block.Constant:
		return p.Const(w, o.Value)
	case w == 64:
		return p.sgpr64(s, int(o.Code))
	}
	return p.sgpr(s, int(o.Code))
}

// compute returns the result and the SCC of a scalar operation.
func (p *program) compute(s *lane, op block.ScalarOp, a, b *term.Term) (r, scc *term.Term) {
	w := a.Width
	switch op {
	case block.Multiply:
		return p.Mul(a, b), nil
	case block.Move:
		return a, nil
	case block.Select:
		return p.Ite(p.known(s, s.scc), a, b), nil
	case block.AddUnsigned, block.AddCarry, block.SubUnsigned, block.SubBorrow:
		if w != 32 {
			p.fail("a carry of 64 bits")
			return a, p.Bool(false)
		}
		name, in := "add", p.Bool(false)
		if op == block.SubUnsigned || op == block.SubBorrow {
			name = "sub"
		}
		if op == block.AddCarry || op == block.SubBorrow {
			in = p.known(s, s.scc)
		}
		return p.carry(name, a, b, in)
	case block.AddSigned:
		r = p.Add(a, b)
		return r, p.Not(p.Eq(p.Add(p.Sext(w+1, a), p.Sext(w+1, b)), p.Sext(w+1, r)))
	case block.SubSigned:
		r = p.Sub(a, b)
		return r, p.Not(p.Eq(p.Sub(p.Sext(w+1, a), p.Sext(w+1, b)), p.Sext(w+1, r)))
	}
	if op.Compares() {
		return a, p.relation(op, a, b)
	}
	switch op {
	case block.And:
		r = p.And(a, b)
	case block.Or:
		r = p.Or(a, b)
	case block.Xor:
		r = p.Xor(a, b)
	case block.AndNot:
		r = p.And(a, p.Not(b))
	case block.OrNot:
		r = p.Or(a, p.Not(b))
	case block.Nand:
		r = p.Not(p.And(a, b))
	case block.Nor:
		r = p.Not(p.Or(a, b))
	case block.Xnor:
		r = p.Not(p.Xor(a, b))
	case block.Not:
		r = p.Not(a)
	case block.ShiftLeft:
		r = p.Shl(a, b)
	case block.ShiftRight:
		r = p.Shr(a, b)
	case block.ShiftSigned:
		r = p.Sar(a, b)
	default:
		p.fail("a scalar operation")
		r = a
	}
	return r, p.Not(p.Eq(r, p.Const(w, 0)))
}

func (p *program) relation(op block.ScalarOp, a, b *term.Term) *term.Term {
	switch op {
	case block.Equal:
		return p.Eq(a, b)
	case block.NotEqual:
		return p.Not(p.Eq(a, b))
	case block.LessUnsigned:
		return p.Ult(a, b)
	case block.LessEqualUnsigned:
		return p.Not(p.Ult(b, a))
	case block.GreaterUnsigned:
		return p.Ult(b, a)
	case block.GreaterEqualUnsigned:
		return p.Not(p.Ult(a, b))
	case block.LessSigned:
		return p.Slt(a, b)
	case block.LessEqualSigned:
		return p.Not(p.Slt(b, a))
	case block.GreaterSigned:
		return p.Slt(b, a)
	}
	return p.Not(p.Slt(a, b))
}

// maskOp executes a scalar instruction on lane masks.
func (p *program) maskOp(s *lane, c *block.Scalar, saves, unary bool) {
	read := func(o *block.Source) *term.Term {
		if o.Kind == block.Constant {
			return p.maskOf(p.Const(32, o.Value), p.Const(32, o.Value>>32))
		}
		return p.mask(s, int(o.Code))
	}
	a, b := read(&c.A), p.exec(s)
	if !unary {
		b = read(&c.B)
	}
	var r *term.Term
	switch c.Op {
	case block.Move:
		p.setMask(s, int(c.Dst), a)
		return
	case block.Select:
		p.setMask(s, int(c.Dst), p.Ite(p.known(s, s.scc), a, b))
		return
	case block.And, block.SaveAnd:
		r = p.And(a, b)
	case block.Or, block.SaveOr:
		r = p.Or(a, b)
	case block.Xor, block.SaveXor:
		r = p.Xor(a, b)
	case block.AndNot, block.SaveAndNot:
		r = p.And(a, p.Not(b))
	case block.OrNot:
		r = p.Or(a, p.Not(b))
	case block.Nand:
		r = p.Not(p.And(a, b))
	case block.Nor:
		r = p.Not(p.Or(a, b))
	case block.Xnor:
		r = p.Not(p.Xor(a, b))
	default:
		r = p.Not(a)
	}
	dst := int(c.Dst)
	if saves {
		p.setMask(s, dst, b)
		dst = isa.EXEC
	}
	p.setMask(s, dst, r)
	s.scc = p.any(r)
}

// modifiers are the instruction fields that change operands or results.
var modifiers = []isa.Field{isa.ABS, isa.NEG, isa.OMOD, isa.CLAMP, isa.OPSEL, isa.OPSELHI, isa.OPSELHI2, isa.NEGHI,
	isa.DSTSEL, isa.DSTUNUSED, isa.SRC0SEL, isa.SRC0SEXT, isa.SRC0NEG, isa.SRC0ABS, isa.SRC1SEL, isa.SRC1SEXT,
	isa.SRC1NEG, isa.SRC1ABS, isa.SIMM16}

// unfollowed are the properties of instructions whose results depend on more than their named operands.
const unfollowed = isa.IndexesVGPRs | isa.IndexesSGPRs | isa.MovesSource | isa.MovesDst | isa.Jumps | isa.Branch |
	isa.Swaps | isa.IgnoresEXEC | isa.Interpolates | isa.EntersTrap

// opaque executes an instruction as an unknown function of its operands.
func (p *program) opaque(s *lane, in *instr) {
	switch vector := in.row.Enc >= isa.VOP1; {
	case vector && in.row.Flags&(isa.ScalarDst|isa.ScalarSrc1) != 0:
		p.laneMove(s, in)
		return
	case in.row.Name == "s_getpc_b64": // depends on the load address of the object
		p.setSGPR64(s, int(in.Get(isa.SDST)), p.Add(p.base(), p.Const(64, in.pc+uint64(in.Size))))
		return
	}
	if in.impl.Flow || in.row.Flags&unfollowed != 0 || in.row.Control != isa.NoControl || in.row.Imm == isa.HwregImm ||
		in.row.Enc == isa.SOPP || in.row.Enc == isa.EXP || in.row.Enc == isa.VINTRP || in.Has(isa.DPPCTRL) {
		p.fail("not followed")
		return
	}
	parts := []string{in.Target.String(), in.row.Name}
	for _, f := range modifiers {
		if in.Has(f) && in.Get(f) != 0 {
			parts = append(parts, fmt.Sprintf("%v=%d", f, in.Get(f)))
		}
	}
	name := strings.Join(parts, " ")
	args, ok := p.reads(s, in)
	if !ok {
		p.fail("not followed")
		return
	}
	if in.row.Enc >= isa.VOP1 { // some instructions depend on the lane number
		args = append(args, p.laneNumber())
	}
	p.writes(s, in, name, args)
}

// laneNumber returns the number of the lane, a variable.
func (p *program) laneNumber() *term.Term { return p.Var(6, "lane", true) }

// base returns the load address of the object, a variable.
func (p *program) base() *term.Term { return p.Var(64, "load base "+p.side, false) }

// reads returns the sources of an instruction: the operands in order, by dword, then the implicit sources.
func (p *program) reads(s *lane, in *instr) (args []*term.Term, ok bool) {
	for _, o := range in.Operands(nil) {
		if !o.Read {
			continue
		}
		n := max(int(o.Dwords), 1)
		switch {
		case o.Type == isa.Mask && o.File == isa.SReg:
			args = append(args, p.Under(p.mask(s, int(o.Code)), p.laneFacts(s)))
			continue
		case o.File == isa.NotReg && !isConstant(o.Code):
			return nil, false
		}
		for i := range n {
			switch o.File {
			case isa.VReg:
				args = append(args, p.vgpr(s, int(o.Code)+i))
			case isa.SReg:
				args = append(args, p.sgpr(s, int(o.Code)+i))
			default:
				v := uint64(executor.Source(&constants, uint32(o.Code), in.Get(isa.LITERAL)))
				if k, ok := isa.InlineConstant(uint32(o.Code), o.Type); ok {
					v = k
				} else if n == 2 {
					v = executor.Source64(&constants, uint32(o.Code), in.Get(isa.LITERAL), o.Type)
				}
				args = append(args, p.Const(32, v>>(32*i)))
			}
		}
	}
	if in.row.Has(isa.LiteralK) {
		args = append(args, p.Const(32, in.Words>>32))
	}
	for _, e := range in.Effects(nil) {
		lanes := e.Lanes == isa.ActiveLanes || e.Lanes == isa.Uniform
		switch {
		case e.Write && e.File == isa.VReg && e.Bytes != 0xf: // the instruction keeps the other bytes of the VGPR
			args = append(args, p.vgpr(s, int(e.Code)))
		case e.Write || e.Role == isa.RoleExec || e.Named && lanes:
		case e.File == isa.SReg && e.Role == isa.RoleMask && e.Dwords == 2:
			args = append(args, p.Under(p.mask(s, int(e.Code)), p.laneFacts(s)))
		case e.File == isa.FlagReg && isa.Flag(e.Code) == isa.FlagSCC:
			args = append(args, p.known(s, s.scc))
		default:
			return nil, false
		}
	}
	return args, true
}

// constants is an empty wave, for functions that need a wave to read a constant.
var constants state.Wave

// isConstant reports whether an operand code is an inline constant or a literal.
func isConstant(code uint16) bool {
	_, inline := isa.InlineConstant(uint32(code), isa.B32)
	return inline || code == isa.Literal
}

// writes sets the results of an instruction to the unknown function name of args.
func (p *program) writes(s *lane, in *instr, name string, args []*term.Term) {
	exec := p.exec(s)
	for n, e := range in.Effects(nil) {
		if !e.Write {
			continue
		}
		of := fmt.Sprintf("%s, result %d", name, n)
		switch {
		case e.File == isa.VReg && e.Lanes == isa.ActiveLanes:
			for i := range int(e.Dwords) {
				p.setVGPR(s, int(e.Code)+i, p.function(32, fmt.Sprintf("%s.%d", of, i), in.row.Name, args))
			}
		case e.File == isa.SReg && e.Role == isa.RoleMask && e.Dwords == 2:
			p.setMask(s, int(e.Code), p.And(exec, p.function(1, of, in.row.Name, args)))
		case e.File == isa.SReg && in.row.Enc < isa.VOP1 && e.Role == isa.RoleData && e.Code&^1 != isa.EXEC:
			for i := range int(e.Dwords) {
				p.setSGPR(s, int(e.Code)+i, p.function(32, fmt.Sprintf("%s.%d", of, i), in.row.Name, args))
			}
		case e.File == isa.FlagReg && isa.Flag(e.Code) == isa.FlagSCC:
			s.scc = p.function(1, of, in.row.Name, args)
		default:
			p.fail("not followed")
		}
	}
}

// laneMove executes v_readlane_b32, v_writelane_b32 and v_readfirstlane_b32.
func (p *program) laneMove(s *lane, in *instr) {
	var dst, src, lane isa.Operand
	for _, o := range in.Operands(nil) {
		switch {
		case o.Write:
			dst = o
		case o.Field == isa.SRC0:
			src = o
		default:
			lane = o
		}
	}
	n, known := isa.InlineConstant(uint32(lane.Code), isa.B32)
	switch {
	case lane.Dwords == 0:
		p.firstLane(s, dst, src)
	case !known:
		p.fail("v_readlane or v_writelane of a lane that is not a constant")
	case dst.File == isa.VReg: // the lane that is executed may be this one
		x := scalar{number, p.Const(32, 0)}
		if v, ok := isa.InlineConstant(uint32(src.Code), isa.B32); src.File == isa.NotReg && ok {
			x.t = p.Const(32, v)
		} else if src.File != isa.SReg {
			p.fail("not followed")
			return
		} else if x = s.s[int(src.Code)]; x.t == nil {
			x = scalar{number, p.sgpr(s, int(src.Code))}
		}
		have := map[uint64]scalar{n: x}
		for k, v := range s.lanes[int(dst.Code)] {
			if k != n {
				have[k] = v
			}
		}
		s.lanes[int(dst.Code)] = have
		s.v[int(dst.Code)] = p.undefined(32, true)
	default:
		x, ok := s.lanes[int(src.Code)][n]
		if !ok { // the lane holds an unknown value
			x = scalar{number, p.undefined(32, false)}
		}
		p.moveScalar(s, int(dst.Code), x)
	}
}

// moveScalar writes a scalar register. The value may be half of a mask.
func (p *program) moveScalar(s *lane, n int, x scalar) {
	if n&^1 == isa.EXEC {
		p.fail("half of EXEC that is written")
	}
	s.s[n] = x
}

// firstLane executes v_readfirstlane_b32. The result is exact if all active lanes have the same value.
func (p *program) firstLane(s *lane, dst, src isa.Operand) {
	if src.File != isa.VReg {
		p.fail("not followed")
		return
	}
	v := p.vgpr(s, int(src.Code))
	if v.Lane {
		p.setSGPR(s, int(dst.Code), p.ofWave(32, false, "first lane", s.v[int(src.Code)], p.exec(s)))
		return
	}
	some := p.known(s, p.any(p.exec(s)))
	p.setSGPR(s, int(dst.Code), p.Ite(some, v, p.undefined(32, false)))
}
