package alu

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/base/vector"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// described is a kernel together with the description of its operation, without operands, that package block
// compiles.
type described struct {
	kernel
	block block.Vector
}

func (d described) vector(in *isa.Inst, r *isa.Row) vectorOp {
	op := d.kernel.vector(in, r)
	op.block = &d.block
	return op
}

// intOp returns the integer operation of package simd with that name; convertOp returns a conversion.
func intOp(name string) kernel {
	return described{lanesOp(simd.Int(name)), block.Vector{Op: vector.Int(name)}}
}

// each1, each2 and each3 return operations of package simd that call a function for each lane.
func each1(f func(a uint32) uint32) kernel       { return lanesOp(simd.Each1(f)) }
func each2(f func(a, b uint32) uint32) kernel    { return lanesOp(simd.Each2(f)) }
func each3(f func(a, b, c uint32) uint32) kernel { return lanesOp(simd.Each3(f)) }

func convertOp(name string) kernel {
	return described{lanesOp(simd.Convert(name)), block.Vector{Op: vector.Conversion(name)}}
}

// floatOp returns f described as the operation of package simd with that name. flush returns the bits that denormal
// operands and results lose.
func floatOp(name string, f f32Op, flush func(m state.Mode) (in, out uint32)) described {
	return described{f, block.Vector{Float: &block.Float{Op: vector.FloatOp(name), Flush: flush}}}
}

// swapped returns d with SRC0 and SRC1 exchanged.
func (d described) swapped() described {
	d.block.Reversed = true
	return d
}

// blockInstr returns v in the form that package block compiles, nil if it cannot compile a modifier or an operand.
func (v *vop) blockInstr() *block.Instr {
	low := v.out
	low.plain = false
	half := low == result{t: v.out.t, sel: isa.SelectDword} // the instruction writes 0 to bits 31:16
	if v.block == nil || v.dpp != nil || !v.out.plain && (!half || v.block.Op == nil) || v.wide && v.block.Wide == nil {
		return nil
	}
	b := *v.block
	b.Half = !v.out.plain
	b.Dst = v.dst
	src := v.src
	if b.Reversed {
		src[0], src[1] = src[1], src[0]
	}
	for i := range v.n {
		parts := []vsrc{src[i]}
		if b.Wide != nil && src[i].wide {
			parts = src[i].halves()
		}
		for k := range parts {
			var ok bool
			if b.Src[b.N], ok = parts[k].block(); !ok {
				return nil
			}
			b.N++
		}
	}
	b.Masked, b.MaskIn = v.takes, v.maskIn
	b.Gives, b.MaskOut, b.Exec = v.gives || b.Compare != nil, v.maskOut, v.cmpx
	if b.Masked && !(inBlocks(b.MaskIn) && inBlocks(b.MaskIn+1)) ||
		b.Gives && !(inBlocks(b.MaskOut) && inBlocks(b.MaskOut+1)) {
		return nil
	}
	return &block.Instr{Vector: &b}
}

// halves returns the two registers of a 64-bit source. A source without halves is returned unchanged, and package
// block cannot compile it.
func (s *vsrc) halves() []vsrc {
	low, high := *s, *s
	switch {
	case s.kind == fromVGPR:
		high.code++
	case s.s.kind == sregConst:
		low.s.value, high.s.value = uint64(uint32(s.s.value)), s.s.value>>32
	case s.s.kind == sreg64:
		low.s.kind, high.s.kind = sreg32, sreg32
		high.s.code++
	default:
		return []vsrc{*s}
	}
	low.wide, high.wide = false, false
	return []vsrc{low, high}
}

// block returns a vector source in the form that package block compiles.
func (s *vsrc) block() (b block.Source, ok bool) {
	if s.wide || s.High || (s.Abs || s.Neg) && s.t.Info().Bits16 {
		return b, false
	}
	switch s.kind {
	case fromVGPR:
		b = block.Source{Kind: block.VGPR, Code: s.code}
	case fromConst:
		b.Value = s.s.value
	default:
		if b, ok = s.s.block(); !ok || s.s.kind != sreg32 {
			return b, false
		}
	}
	if !s.plain && s.Select != isa.SelectDword {
		shift, n := s.Select.Bits()
		b.Shift, b.Bits, b.Signed = uint8(shift), uint8(n), s.Sext
	}
	b.Abs, b.Neg = s.Abs, s.Neg
	return b, true
}

// block returns a scalar source in the form that package block compiles.
func (s *sreg) block() (b block.Source, ok bool) {
	switch s.kind {
	case sregConst:
		return block.Source{Value: s.value}, true
	case sreg32:
		return block.Source{Kind: block.SGPR, Code: s.code}, inBlocks(s.code)
	case sreg64:
		return block.Source{Kind: block.SGPR, Code: s.code}, inBlocks(s.code) && inBlocks(s.code+1)
	}
	return b, false
}

// inBlocks reports whether compiled code may access a scalar register: SGPRs, VCC, M0 and EXEC, but not the registers
// of trap handlers.
func inBlocks(code uint32) bool {
	const sgprs = 102 // on some generations the codes from here on are not SGPRs
	return code < sgprs || code == gcn.VCC || code == gcn.VCC+1 || code == gcn.M0 || code == gcn.EXEC || code == gcn.EXEC+1
}

// blockInstr returns s, which computes op, in the form that package block compiles.
func (s *scalar) blockInstr(op block.ScalarOp) *block.Instr {
	a, okA := s.a.block()
	b, okB := s.b.block()
	if !okA || !okB || s.dwords != 0 && !inBlocks(s.dst) || s.dwords == 2 && !inBlocks(s.dst+1) ||
		s.wide && (s.a.kind == sreg32 || s.b.kind == sreg32 && !op.Shifts()) {
		return nil
	}
	if op.SetsSCC() != s.scc || op.Compares() == (s.dwords != 0) {
		return nil
	}
	return &block.Instr{Scalar: &block.Scalar{Op: op, Wide: s.wide, A: a, B: b, Dst: s.dst}}
}
