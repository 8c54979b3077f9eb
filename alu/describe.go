package alu

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/base/vector"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// described is a kernel with what package block needs to know of it: an operation, without operands.
type described struct {
	kernel
	block block.Vector
}

func (d described) vector(in *isa.Inst, r *isa.Row) vectorOp {
	op := d.kernel.vector(in, r)
	op.block = &d.block
	return op
}

// intOp returns an operation on integers of package simd, and convertOp a conversion.
func intOp(name string) kernel {
	return described{lanesOp(simd.Int(name)), block.Vector{Op: vector.Int(name)}}
}

// each1, each2 and each3 are the operations of package simd that call a function for each lane.
func each1(f func(a uint32) uint32) kernel       { return lanesOp(simd.Each1(f)) }
func each2(f func(a, b uint32) uint32) kernel    { return lanesOp(simd.Each2(f)) }
func each3(f func(a, b, c uint32) uint32) kernel { return lanesOp(simd.Each3(f)) }

func convertOp(name string) kernel {
	return described{lanesOp(simd.Convert(name)), block.Vector{Op: vector.Conversion(name)}}
}

// floatOp is f, which computes as the operation of package simd with that name does, with denormals flushed as flush
// says.
func floatOp(name string, f f32Op, flush func(m state.Mode) (in, out uint32)) described {
	return described{f, block.Vector{Float: &block.Float{Op: vector.FloatOp(name), Flush: flush}}}
}

// swapped is d of SRC1 and SRC0.
func (d described) swapped() described {
	d.block.Reversed = true
	return d
}

// blockInstr returns v for blocks, or nil if blocks do not support one of its modifiers or operands.
func (v *vop) blockInstr() *block.Instr {
	low := v.out
	low.plain = false
	half := low == result{t: v.out.t, sel: isa.SelectDword} // bits 31:16 become 0
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

// halves returns the halves of a source of 64 bits. One that has no halves stays as it is, and blocks cannot have it.
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

// block returns a source for blocks.
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

// block returns a source for blocks.
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

// inBlocks reports whether blocks may name a scalar register: SGPRs, VCC, M0 and EXEC, not those of trap handlers.
func inBlocks(code uint32) bool {
	const sgprs = 102 // codes above it are SGPRs on some generations only
	return code < sgprs || code == gcn.VCC || code == gcn.VCC+1 || code == gcn.M0 || code == gcn.EXEC || code == gcn.EXEC+1
}

// blockInstr returns s, which computes op, for blocks.
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
