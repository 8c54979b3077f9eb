// Package vector describes operations on the lanes of registers: each is a short list of vector instructions. The
// generator of package simd converts the lists to assembly when the project is built, and package block compiles them
// to machine code while a program runs. The Go function with the same name in package simd defines the result; tests
// compare both with it.
package vector

// Value identifies a vector in a [Code]: the result of the instruction with that number. 0 means no vector.
type Value int16

// Instr is one vector instruction. X, Y and Z are its operands, Imm is its constant.
type Instr struct {
	Op      Opcode
	X, Y, Z Value
	Imm     uint32
}

// Code is a list of instructions. Each vector is assigned once. Element 0 is not used.
type Code struct {
	Instrs []Instr
	consts map[uint32]Value
}

// Arg returns argument n of the list, whose meaning is defined by the creator of the list.
func (e *Code) Arg(n int) Value { return e.Emit(Instr{Op: Arg, Imm: uint32(n)}) }

// Emit appends an instruction and returns its result.
//
//go:noinline
func (e *Code) Emit(i Instr) Value {
	if len(e.Instrs) == 0 {
		e.Instrs = append(e.Instrs, Instr{})
	}
	e.Instrs = append(e.Instrs, i)
	return Value(len(e.Instrs) - 1)
}

// K returns a vector with v in all lanes.
//
//go:noinline
func (e *Code) K(v uint32) Value {
	if x, ok := e.consts[v]; ok {
		return x
	}
	if e.consts == nil {
		e.consts = map[uint32]Value{}
	}
	x := e.Emit(Instr{Op: Const, Imm: v})
	e.consts[v] = x
	return x
}

func (e *Code) k(v uint32) Value { return e.K(v) }

// two and by append an instruction with two operands, and one with an operand and a constant. They are not inlined,
// because that would make the tables three times as large.
//
//go:noinline
func (e *Code) two(op Opcode, x, y Value) Value { return e.Emit(Instr{Op: op, X: x, Y: y}) }

//go:noinline
func (e *Code) by(op Opcode, x Value, imm uint32) Value { return e.Emit(Instr{Op: op, X: x, Imm: imm}) }

// Short names of instructions; the left operand is first.
func (e *Code) add(x, y Value) Value         { return e.two(Add, x, y) }
func (e *Code) sub(x, y Value) Value         { return e.two(Sub, x, y) }
func (e *Code) mul(x, y Value) Value         { return e.two(Mul, x, y) }
func (e *Code) and(x, y Value) Value         { return e.two(And, x, y) }
func (e *Code) or(x, y Value) Value          { return e.two(Or, x, y) }
func (e *Code) xor(x, y Value) Value         { return e.two(Xor, x, y) }
func (e *Code) andNot(x, y Value) Value      { return e.two(AndNot, x, y) }
func (e *Code) shl(x, n Value) Value         { return e.two(Shl, x, n) }
func (e *Code) shr(x, n Value) Value         { return e.two(Shr, x, n) }
func (e *Code) sar(x, n Value) Value         { return e.two(Sar, x, n) }
func (e *Code) shlBy(x Value, n int) Value   { return e.by(ShlBy, x, uint32(n)) }
func (e *Code) shrBy(x Value, n int) Value   { return e.by(ShrBy, x, uint32(n)) }
func (e *Code) sarBy(x Value, n int) Value   { return e.by(SarBy, x, uint32(n)) }
func (e *Code) minS(x, y Value) Value        { return e.two(MinS, x, y) }
func (e *Code) maxS(x, y Value) Value        { return e.two(MaxS, x, y) }
func (e *Code) minU(x, y Value) Value        { return e.two(MinU, x, y) }
func (e *Code) maxU(x, y Value) Value        { return e.two(MaxU, x, y) }
func (e *Code) equal(x, y Value) Value       { return e.two(Equal, x, y) }
func (e *Code) greater(x, y Value) Value     { return e.two(Greater, x, y) }
func (e *Code) not(x Value) Value            { return e.xor(x, e.k(0xffffffff)) }
func (e *Code) blend(x, y, mask Value) Value { return e.Emit(Instr{Op: Blend, X: x, Y: y, Z: mask}) }
func (e *Code) addPS(x, y Value) Value       { return e.two(AddPS, x, y) }
func (e *Code) subPS(x, y Value) Value       { return e.two(SubPS, x, y) }
func (e *Code) mulPS(x, y Value) Value       { return e.two(MulPS, x, y) }
func (e *Code) fmaPS(x, y, z Value) Value    { return e.Emit(Instr{Op: FMA, X: x, Y: y, Z: z}) }

// compare returns a vector with all bits of a lane set where the comparison how of floats is true, else none.
//
//go:noinline
func (e *Code) compare(x, y Value, how int) Value {
	return e.Emit(Instr{Op: ComparePS, X: x, Y: y, Imm: uint32(how)})
}

//go:noinline
func (e *Code) one(op Opcode, x Value) Value { return e.Emit(Instr{Op: op, X: x}) }

// bytes returns table t, 16 bytes repeated in each half of a vector and so on.
func (e *Code) bytes(t int) Value { return e.by(Bytes, 0, uint32(t)) }
