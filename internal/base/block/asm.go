//go:build linux && amd64 && !purego

package block

import (
	"encoding/binary"

	"github.com/gcnsim/gcnsim/internal/base/vector"
)

// Registers of the host. Vector registers are numbers.
const (
	rax = 0
	rcx = 1 // the byte at which the lanes of a strip begin
	rdx = 2 // the [Context]
	rbx = 3
	rsi = 6 // the scalar registers
	rdi = 7 // the vector registers
	r8  = 8 // the byte of lane masks at which the lanes of a strip begin
	r9  = 9
	r10 = 10
	r11 = 11 // lanes in which the watch has a value that it must not have
	r12 = 12 // number of vector instructions executed
	r13 = 13 // number of instructions that may still execute
	r14 = 14
	r15 = 15
)

// mem is a memory operand: base + index + disp; index is -1 if there is none. If base is -1 the operand is constant
// number disp of the pool.
type mem struct{ base, index, disp int }

func at(base, disp int) mem      { return mem{base, -1, disp} }
func laneOf(base, disp int) mem  { return mem{base, rcx, disp} }
func stripOf(base, disp int) mem { return mem{base, r8, disp} }
func (a *asm) pooled(c pooled) mem {
	n, ok := a.poolAt[c]
	if !ok {
		n = len(a.pool)
		a.pool = append(a.pool, c)
		a.poolAt[c] = n
	}
	return mem{base: -1, index: -1, disp: n}
}

// asm assembles machine code.
type asm struct {
	code   []byte
	lanes  int      // lanes of a vector: 8 or 16
	traces bool     // accesses are traced
	pool   []pooled // constants, after the code
	poolAt map[pooled]int
	pools  []fix // uses of constants
	labels []int // positions of labels, -1 if not yet known
	jumps  []fix // uses of labels
}

// fix is a displacement of 32 bits that is filled in later: behind is the number of bytes of the instruction after
// it.
type fix struct{ at, of, behind int }

// newAsm returns an asm with room for the code of about so many dwords of a program.
func newAsm(lanes, dwords int) *asm {
	return &asm{lanes: lanes, code: make([]byte, 0, 192*dwords), poolAt: map[pooled]int{}}
}

// pooled is a constant; vectors of eight lanes use its first half.
type pooled = [64]byte

func (a *asm) emit(b ...byte) { a.code = append(a.code, b...) }
func (a *asm) imm32(v uint32) { a.code = binary.LittleEndian.AppendUint32(a.code, v) }

// label returns a new label.
func (a *asm) label() int {
	a.labels = append(a.labels, -1)
	return len(a.labels) - 1
}

// place sets a label to the current position.
func (a *asm) place(label int) { a.labels[label] = len(a.code) }

// Conditions of jumps and of SETcc.
const (
	ccOverflow = 0x0
	ccBelow    = 0x2
	ccNotBelow = 0x3
	ccZero     = 0x4
	ccNotZero  = 0x5
	ccNotAbove = 0x6
	ccAbove    = 0x7
	ccSign     = 0x8
	ccLess     = 0xc
	ccNotLess  = 0xd
	ccNotMore  = 0xe
	ccMore     = 0xf
	ccAlways   = 0x10
)

// jump emits a jump to a label, taken if cc holds.
func (a *asm) jump(cc byte, label int) {
	if cc == ccAlways {
		a.opcode(opJMP)
	} else {
		a.opcode(opJump | opcode(cc))
	}
	a.jumps = append(a.jumps, fix{len(a.code), label, 0})
	a.imm32(0)
}

// finish resolves labels and appends the constants.
func (a *asm) finish() []byte {
	for len(a.code)%len(pooled{}) != 0 {
		a.opcode(opINT3)
	}
	set := func(f fix, to int) {
		binary.LittleEndian.PutUint32(a.code[f.at:], uint32(to-f.at-4-f.behind))
	}
	for _, f := range a.jumps {
		set(f, a.labels[f.of])
	}
	start := len(a.code)
	for _, f := range a.pools {
		set(f, start+len(pooled{})*f.of)
	}
	for _, c := range a.pool {
		a.emit(c[:]...)
	}
	return a.code
}

// modrm emits the operand bytes of an instruction whose other operand is reg. After them the instruction has behind
// more bytes.
func (a *asm) modrm(reg int, m mem, behind int) {
	r := byte(reg&7) << 3
	switch {
	case m.base < 0:
		a.emit(0x05 | r)
		a.pools = append(a.pools, fix{len(a.code), m.disp, behind})
		a.imm32(0)
		return
	case m.index >= 0:
		a.emit(0x84|r, byte(m.index&7)<<3|byte(m.base&7))
	default: // no base register that is used needs a SIB byte
		a.emit(0x80 | r | byte(m.base&7))
	}
	a.imm32(uint32(m.disp))
}

// high is bit 3 of a register's number, 0 if there is no register.
func high(reg int) byte {
	if reg < 0 {
		return 0
	}
	return byte(reg >> 3 & 1)
}

// op emits an instruction on general registers of 64 or 32 bits, with a memory operand.
func (a *asm) op(wide bool, code opcode, reg int, m mem, behind int) {
	rex := 0x40 | high(reg)<<2 | high(m.index)<<1 | high(m.base)
	if wide {
		rex |= 8
	}
	a.emit(rex)
	a.opcode(code)
	a.modrm(reg, m, behind)
}

// regs emits an instruction on two general registers and writes rm.
func (a *asm) regs(wide bool, code opcode, reg, rm int) {
	rex := 0x40 | high(reg)<<2 | high(rm)
	if wide {
		rex |= 8
	}
	a.emit(rex)
	a.opcode(code)
	a.emit(0xc0 | byte(reg&7)<<3 | byte(rm&7))
}

func (a *asm) load(wide bool, reg int, m mem)  { a.op(wide, opMOVFrom, reg, m, 0) }
func (a *asm) store(wide bool, reg int, m mem) { a.op(wide, opMOV, reg, m, 0) }

// value emits the load of a constant into a register.
func (a *asm) value(reg int, v uint64) {
	switch {
	case v <= 0xffffffff:
		a.emit(0x40|high(reg), byte(opMOVValue)|byte(reg&7))
		a.imm32(uint32(v))
	case int64(v) == int64(int32(v)):
		a.regs(true, opMOVImm, byMOV, reg)
		a.imm32(uint32(v))
	default:
		a.emit(0x48|high(reg), byte(opMOVValue)|byte(reg&7))
		a.code = binary.LittleEndian.AppendUint64(a.code, v)
	}
}

// byImm emits an instruction on a general register of 32 bits and a constant; number selects the instruction of its
// group.
func (a *asm) byImm(number int, reg int, v int32) {
	a.regs(false, opByImm, number, reg)
	a.imm32(uint32(v))
}

// vex emits the instruction form on vectors with destination or first operand reg, second operand vvvv and third
// operand in register rm or, if that is -1, in memory.
func (a *asm) vex(f form, reg, vvvv, rm int, m mem, imm ...byte) {
	if a.lanes == 16 && !f.narrow {
		a.evex(f, 0, reg, vvvv, rm, m, imm...)
		return
	}
	x, b := high(m.index), high(m.base)
	if rm >= 0 {
		x, b = 0, high(rm)
	}
	length := byte(1) // vectors of eight lanes
	if f.narrow {
		length = 0
	}
	a.emit(0xc4, (1-high(reg))<<7|(1-x)<<6|(1-b)<<5|f.mm, byte(15-vvvv)<<3|length<<2|f.pp, f.code)
	if rm >= 0 {
		a.emit(0xc0 | byte(reg&7)<<3 | byte(rm&7))
	} else {
		a.modrm(reg, m, len(imm))
	}
	a.emit(imm...)
}

// form is the encoding of an instruction on vectors: the prefix, table and code in the numbering of VEX.
type form struct {
	pp, mm, code byte
	narrow       bool // operates on 128 bits
}

// Instructions that move vectors.
var (
	vmovups    = form{0, 1, 0x10, false}
	vmovupsTo  = form{0, 1, 0x11, false}
	vmovaps    = form{0, 1, 0x28, false}
	vbroadcast = form{1, 2, 0x18, false} // VBROADCASTSS from memory
	vmovd      = form{1, 1, 0x6e, true}
	vspread    = form{1, 2, 0x58, false} // VPBROADCASTD from a register
	vand       = form{1, 1, 0xdb, false}
	vequal     = form{1, 1, 0x76, false}
	toDoubles  = form{0, 1, 0x5a, false} // VCVTPS2PD: converts half a vector
	toSingles  = form{1, 1, 0x5a, false} // VCVTPD2PS: the result is half a vector
)

// binary2 holds the encodings of instructions on two vectors, the left operand first.
var binary2 = [numOpcodes]form{
	vector.Add: {1, 1, 0xfe, false}, vector.Sub: {1, 1, 0xfa, false}, vector.Mul: {1, 2, 0x40, false},
	vector.And: vand, vector.Or: {1, 1, 0xeb, false}, vector.Xor: {1, 1, 0xef, false},
	vector.AndNot: {1, 1, 0xdf, false}, // operands swapped
	vector.Shl:    {1, 2, 0x47, false}, vector.Shr: {1, 2, 0x45, false}, vector.Sar: {1, 2, 0x46, false},
	vector.MinS: {1, 2, 0x39, false}, vector.MaxS: {1, 2, 0x3d, false},
	vector.MinU: {1, 2, 0x3b, false}, vector.MaxU: {1, 2, 0x3f, false},
	vector.Equal: vequal, vector.Greater: {1, 1, 0x66, false},
	vector.MulEvenU: {1, 1, 0xf4, false}, vector.MulEvenS: {1, 2, 0x28, false},
	vector.AddB: {1, 1, 0xfc, false}, vector.SubB: {1, 1, 0xf8, false}, vector.AverageB: {1, 1, 0xe0, false},
	vector.SubSatB: {1, 1, 0xd8, false}, vector.SubSatW: {1, 1, 0xd9, false}, vector.MaxB: {1, 1, 0xde, false},
	vector.EqualB: {1, 1, 0x74, false}, vector.GreaterB: {1, 1, 0x64, false},
	vector.MulAddW: {1, 1, 0xf5, false}, vector.MulAddB: {1, 2, 0x04, false}, vector.ShuffleB: {1, 2, 0x00, false},
	vector.AddPS: {0, 1, 0x58, false}, vector.SubPS: {0, 1, 0x5c, false}, vector.MulPS: {0, 1, 0x59, false},
	vector.MaxPS: {0, 1, 0x5f, false},
	vector.OddOf: {1, 3, 0x02, false}, vector.ComparePS: {0, 1, 0xc2, false},
	vector.DivPD: {1, 1, 0x5e, false},
}

// two returns the encoding of an instruction on two vectors. Every such instruction of a list is in the tables.
func two(op vector.Opcode) form {
	f := binary2[op]
	if f == (form{}) {
		panic("block: there is no instruction " + op.Name())
	}
	return f
}

// unary holds the encodings of instructions on one vector.
var unary = [numOpcodes]form{
	vector.FromInt: {0, 1, 0x5b, false}, vector.Truncate: {2, 1, 0x5b, false}, vector.RoundPS: {1, 3, 0x08, false},
	vector.LowPD: toDoubles, vector.SqrtPD: {1, 1, 0x51, false},
}

// count is the encoding of a shift by a constant: the instruction and its number in the group.
type count struct {
	form
	ext int
}

// Shifts of dwords by a constant.
var (
	shiftLeft  = count{form{1, 1, 0x72, false}, 6}
	shiftRight = count{form{1, 1, 0x72, false}, 2}
	shiftSign  = count{form{1, 1, 0x72, false}, 4}
	shiftQuad  = count{form{1, 1, 0x73, false}, 2} // 64 bits, to the right
)

// byCount holds the encodings of shifts by a constant.
var byCount = [numOpcodes]count{
	vector.ShlBy: shiftLeft, vector.ShrBy: shiftRight, vector.SarBy: shiftSign,
	vector.ShlByW: {form{1, 1, 0x71, false}, 6}, vector.ShrByW: {form{1, 1, 0x71, false}, 2},
	vector.SarByW: {form{1, 1, 0x71, false}, 4}, vector.ShrByQ: shiftQuad,
}
