//go:build linux && amd64 && !purego

package block

import "github.com/gcnsim/gcnsim/internal/isa"

// simple maps an atomic operation to the host instruction that computes it on a dword in memory or in a register.
var simple = map[isa.AtomicOp]opcode{isa.Add: opADD, isa.Sub: opSUB, isa.And: opAND, isa.Or: opOR, isa.Xor: opXOR}

// extremes maps minimum and maximum to the condition of CMOV under which the operand replaces the value in memory.
var extremes = map[isa.AtomicOp]byte{isa.SMin: ccLess, isa.SMax: ccMore, isa.UMin: ccBelow, isa.UMax: ccAbove}

// atomicLanes emits an atomic access of the active lanes, one lane after the other.
func (a *asm) atomicLanes(in *Access) {
	a.strips(func(int) {
		a.eachLane(func() {
			a.load(false, rbx, mem{base: rdi, index: rax, disp: 256 * int(in.Regs[0])})
			place := mem{base: r10, index: r11, disp: int(in.Disp[0])}
			if code, ok := simple[in.Atomic]; ok && !in.Returns {
				a.op(false, code, rbx, place, 0)
				return
			}
			a.load(false, r14, place)
			a.newValue(in)
			a.store(false, r15, place)
			if in.Returns {
				a.store(false, r14, mem{base: rdi, index: rax, disp: 256 * int(in.Back)})
			}
		})
	})
}

// newValue emits code that computes the new value of an atomic access in R15. R14 is the old value and RBX the
// operand, which newValue may change. A second operand lies in a VGPR: RAX is the offset of the lane there, in bytes.
func (a *asm) newValue(in *Access) {
	move := func(from int) { a.regs(false, opMOV, from, r15) }                        // emits a move to R15
	compare := func(x int) { a.regs(false, opCMP, rbx, x) }                           // CMPL: x with RBX
	choose := func(cc byte, from int) { a.regs(false, opCMOV|opcode(cc), r15, from) } // CMOV to R15
	second := mem{base: rdi, index: rax, disp: 256 * int(in.Regs[1])}
	switch op := in.Atomic; op {
	case isa.Swap:
		move(rbx)
	case isa.RSub:
		move(rbx)
		a.regs(false, opSUB, r14, r15)
	case isa.Inc: // the old value + 1 if it is below the operand, else 0
		compare(r14)
		a.regs(false, opSBB, r15, r15) // SBBL: all bits set if it is below
		a.op(false, opLEA, rbx, at(r14, 1), 0)
		a.regs(false, opAND, rbx, r15)
	case isa.Dec: // the old value - 1 if the result is below the operand, else the operand
		a.op(false, opLEA, r15, at(r14, -1), 0)
		compare(r15)
		choose(ccNotBelow, rbx)
	case isa.MskOr:
		a.regs(false, opUnary, byNOT, rbx)
		move(r14)
		a.regs(false, opAND, rbx, r15)
		a.op(false, opORFrom, r15, second, 0)
	case isa.CmpSt:
		a.load(false, r15, second)
		compare(r14)
		choose(ccNotZero, r14)
	default:
		if code, ok := simple[op]; ok {
			move(r14)
			a.regs(false, code, rbx, r15)
		} else if cc, ok := extremes[op]; ok {
			move(rbx)
			compare(r14)
			choose(cc, r14)
		}
	}
}
