//go:build linux && amd64 && !purego

package block

import (
	"unsafe"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/state"
)

// Offsets of the fields of a wave from its scalar registers.
const (
	sccAt  = int(unsafe.Offsetof(state.Wave{}.SCC)) - int(unsafe.Offsetof(state.Wave{}.S))
	vmAt   = int(unsafe.Offsetof(state.Wave{}.VMCnt)) - int(unsafe.Offsetof(state.Wave{}.S))
	expAt  = int(unsafe.Offsetof(state.Wave{}.EXPCnt)) - int(unsafe.Offsetof(state.Wave{}.S))
	lgkmAt = int(unsafe.Offsetof(state.Wave{}.LGKMCnt)) - int(unsafe.Offsetof(state.Wave{}.S))

	endedAt   = int(unsafe.Offsetof(state.Wave{}.Ended)) - int(unsafe.Offsetof(state.Wave{}.S))
	barrierAt = int(unsafe.Offsetof(state.Wave{}.AtBarrier)) - int(unsafe.Offsetof(state.Wave{}.S))
)

// scalarSource emits the load of a source into a general register.
func (a *asm) scalarSource(reg int, s *Source, wide bool) {
	if s.Kind == SGPR {
		a.load(wide, reg, at(rsi, 4*int(s.Code)))
		return
	}
	v := s.Value
	if !wide {
		v = uint64(uint32(v))
	}
	a.value(reg, v)
}

// setSCC emits code that sets SCC to cc.
func (a *asm) setSCC(cc byte) {
	a.regs(false, opSET|opcode(cc), 0, r10)
	a.regs(false, opMOVZXB, r10, r10) // MOVZX R10D, R10B
	a.store(false, r10, at(rsi, sccAt))
}

// scalar emits a scalar instruction: A is in RAX and B in R9 or, if it is a shift, in RCX.
func (a *asm) scalar(in *Scalar) {
	op := in.Op
	a.scalarSource(rax, &in.A, in.Wide)
	switch {
	case op.Shifts():
		a.scalarSource(rcx, &in.B, false)
	case op.saves():
		a.load(true, r9, at(rsi, 4*gcn.EXEC))
	case !op.unary():
		a.scalarSource(r9, &in.B, in.Wide)
	}
	if op.saves() {
		a.saveExec(in)
		return
	}
	cc := a.compute(op, in.Wide)
	if op.SetsSCC() {
		a.setSCC(cc)
	}
	if !op.Compares() {
		a.store(in.Wide, rax, at(rsi, 4*int(in.Dst)))
	}
}

// compute emits the operation on RAX and R9, with the result in RAX, and returns the condition under which SCC
// becomes 1.
func (a *asm) compute(op ScalarOp, wide bool) (cc byte) {
	two := func(code opcode) { a.regs(wide, code, r9, rax) }
	invert := func(reg int) { a.regs(wide, opUnary, byNOT, reg) }
	shift := func(number int) { a.regs(wide, opShiftCL, number, rax) }
	test := func() { a.regs(wide, opTEST, rax, rax) }
	switch op {
	case And:
		two(opAND)
	case Or:
		two(opOR)
	case Xor:
		two(opXOR)
	case AndNot:
		invert(r9)
		two(opAND)
	case OrNot:
		invert(r9)
		two(opOR)
	case Nand, Nor, Xnor:
		two(map[ScalarOp]opcode{Nand: opAND, Nor: opOR, Xnor: opXOR}[op])
		invert(rax)
		test()
	case Not:
		invert(rax)
		test()
	case ShiftLeft:
		shift(bySHL)
		test() // a count of 0 leaves the flags unchanged
	case ShiftRight:
		shift(bySHR)
		test()
	case ShiftSigned:
		shift(bySAR)
		test()
	case Multiply:
		a.regs(wide, opIMUL, rax, r9)
	case Select:
		a.op(false, opByImm8, byCMP, at(rsi, sccAt), 1) // CMPL SCC, $0
		a.emit(0)
		a.regs(wide, opCMOV|ccZero, rax, r9)
	case AddUnsigned:
		two(opADD)
		return ccBelow
	case AddCarry, SubBorrow:
		a.regs(false, opXOR, r10, r10)
		a.op(false, opCMPFrom, r10, at(rsi, sccAt), 0) // CMPL: copies SCC to the host's carry flag
		two(map[ScalarOp]opcode{AddCarry: opADC, SubBorrow: opSBB}[op])
		return ccBelow
	case AddSigned:
		two(opADD)
		return ccOverflow
	case SubUnsigned:
		two(opSUB)
		return ccBelow
	case SubSigned:
		two(opSUB)
		return ccOverflow
	default:
		if op.Compares() {
			two(opCMP)
			return compareCodes[op-Equal]
		}
	}
	return ccNotZero
}

// compareCodes holds the conditions of comparisons, from [Equal] on.
var compareCodes = [...]byte{ccZero, ccNotZero, ccBelow, ccNotAbove, ccAbove, ccNotBelow, ccLess, ccNotMore, ccMore,
	ccNotLess}

// saveExec emits code that saves EXEC, which is in R9, and writes a function of EXEC and RAX to EXEC.
func (a *asm) saveExec(in *Scalar) {
	a.regs(true, opMOV, r9, r10) // the old one
	if in.Op == SaveAndNot {
		a.regs(true, opUnary, byNOT, r9)
	}
	a.regs(true, map[ScalarOp]opcode{SaveAnd: opAND, SaveOr: opOR, SaveXor: opXOR, SaveAndNot: opAND}[in.Op], r9, rax)
	a.store(true, r10, at(rsi, 4*int(in.Dst)))
	a.store(true, rax, at(rsi, 4*gcn.EXEC))
	a.regs(true, opTEST, rax, rax)
	a.setSCC(ccNotZero)
}

// condition emits the test of a branch's condition and returns the condition of the jump.
func (a *asm) condition(c Cond) (cc byte) {
	test := func(wide bool, disp int) {
		a.op(wide, opByImm8, byCMP, at(rsi, disp), 1) // CMP, $0
		a.emit(0)
	}
	switch c {
	case SCC0, SCC1:
		test(false, sccAt)
	case VCCZero, VCCNotZero:
		test(true, 4*gcn.VCC)
	case ExecZero, ExecNotZero:
		test(true, 4*gcn.EXEC)
	default:
		return ccAlways
	}
	if c == SCC1 || c == VCCNotZero || c == ExecNotZero {
		return ccNotZero
	}
	return ccZero
}

// wait emits code that lowers counters.
func (a *asm) wait(w *Wait) {
	for _, c := range [...]struct {
		at   int
		most uint8
	}{{vmAt, w.VM}, {expAt, w.EXP}, {lgkmAt, w.LGKM}} {
		skip := a.label()
		a.op(false, opByImmB, byCMP, at(rsi, c.at), 1)
		a.emit(c.most)
		a.jump(ccNotAbove, skip)
		a.op(false, opMOVImmB, byMOV, at(rsi, c.at), 1)
		a.emit(c.most)
		a.place(skip)
	}
}
