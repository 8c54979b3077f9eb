package r600

import "math"

// unit is the set of slots in a group where an instruction may be (rule FS9).
type unit uint8

const (
	anyUnit    unit = iota
	vecUnit         // a vector slot
	reduceUnit      // in all four vector slots at once
	transUnit       // the transcendental slot
	shiftUnit       // the transcendental slot on R600, any slot on R700
)

// transcendental reports whether on family f the instruction always goes to the transcendental slot, whatever its
// DST_ELEM is.
func (u unit) transcendental(f Family) bool {
	return u == transUnit || u == shiftUnit && f == R600
}

// effect is a set of an ALU instruction's side effects and operand kinds.
type effect uint8

const (
	srcFloat  effect = 1 << iota // sources are floats: SRC_NEG and SRC_ABS are valid
	dstFloat                     // the result is a float: OMOD and CLAMP are valid
	predicate                    // sets the predicate: result 1 is true
	kill                         // result 1 kills the thread
	address                      // writes the address register
	dot                          // the results of the four vector slots are added

	flt = srcFloat | dstFloat
)

// arith is an ALU instruction.
type arith struct {
	name    string
	codes   [families]int16
	unit    unit
	sources uint8
	effect  effect
	result  func(a, b, c uint32) uint32 // nil if the instruction is not modelled
}

// ops returns rows as instructions of class c, in the same order.
func ops(rows []arith, c class) (all []op) {
	for _, r := range rows {
		all = append(all, op{r.name, r.codes, c, doPart})
	}
	return all
}

var ops2, ops3 = ops(arith2, classOp2), ops(arith3, classOp3)

// arith2 are the instructions with at most two sources, by ALU_INST (rule FS9).
var arith2 = []arith{
	{"ADD", at(0x00), anyUnit, 2, flt, f2(add)}, {"MUL", at(0x01), anyUnit, 2, flt, f2(mulLegacy)},
	{"MUL_IEEE", at(0x02), anyUnit, 2, flt, f2(mul)}, {"MAX", at(0x03), anyUnit, 2, flt, f2(maxLegacy)},
	{"MIN", at(0x04), anyUnit, 2, flt, f2(minLegacy)}, {"MAX_DX10", at(0x05), anyUnit, 2, flt, f2(maxNumber)},
	{"MIN_DX10", at(0x06), anyUnit, 2, flt, f2(minNumber)}, {"FREXP_64", at(0x07), vecUnit, 1, 0, nil},
	{"SETE", at(0x08), anyUnit, 2, flt, setFloat(equal)}, {"SETGT", at(0x09), anyUnit, 2, flt, setFloat(greater)},
	{"SETGE", at(0x0a), anyUnit, 2, flt, setFloat(greaterEqual)},
	{"SETNE", at(0x0b), anyUnit, 2, flt, setFloat(notEqual)},
	{"SETE_DX10", at(0x0c), anyUnit, 2, srcFloat, setMask(asFloats(equal))},
	{"SETGT_DX10", at(0x0d), anyUnit, 2, srcFloat, setMask(asFloats(greater))},
	{"SETGE_DX10", at(0x0e), anyUnit, 2, srcFloat, setMask(asFloats(greaterEqual))},
	{"SETNE_DX10", at(0x0f), anyUnit, 2, srcFloat, setMask(asFloats(notEqual))},
	{"FRACT", at(0x10), anyUnit, 1, flt, f1(fract)}, {"TRUNC", at(0x11), anyUnit, 1, flt, f1(inDouble(math.Trunc))},
	{"CEIL", at(0x12), anyUnit, 1, flt, f1(inDouble(math.Ceil))},
	{"RNDNE", at(0x13), anyUnit, 1, flt, f1(inDouble(math.RoundToEven))},
	{"FLOOR", at(0x14), anyUnit, 1, flt, f1(inDouble(math.Floor))}, {"MOVA", at(0x15), vecUnit, 1, 0, nil},
	{"MOVA_FLOOR", at(0x16), vecUnit, 1, 0, nil}, {"ADD_64", at(0x17), vecUnit, 2, 0, nil},
	{"MOVA_INT", at(0x18), vecUnit, 1, address, first}, {"MOV", at(0x19), anyUnit, 1, flt, first},
	{"NOP", at(0x1a), anyUnit, 0, 0, zeroes}, {"MUL_64", at(0x1b), vecUnit, 2, 0, nil},
	{"FLT64_TO_FLT32", at(0x1c), vecUnit, 1, 0, nil}, {"FLT32_TO_FLT64", at(0x1d), vecUnit, 1, 0, nil},
	{"PRED_SETGT_UINT", at(0x1e), anyUnit, 2, predicate, above},
	{"PRED_SETGE_UINT", at(0x1f), anyUnit, 2, predicate, aboveEqual},
	{"PRED_SETE", at(0x20), anyUnit, 2, predicate | srcFloat, asFloats(equal)},
	{"PRED_SETGT", at(0x21), anyUnit, 2, predicate | srcFloat, asFloats(greater)},
	{"PRED_SETGE", at(0x22), anyUnit, 2, predicate | srcFloat, asFloats(greaterEqual)},
	{"PRED_SETNE", at(0x23), anyUnit, 2, predicate | srcFloat, asFloats(notEqual)},
	{"PRED_SET_INV", at(0x24), anyUnit, 1, 0, nil}, {"PRED_SET_POP", at(0x25), anyUnit, 2, 0, nil},
	{"PRED_SET_CLR", at(0x26), anyUnit, 0, 0, nil}, {"PRED_SET_RESTORE", at(0x27), anyUnit, 1, 0, nil},
	{"PRED_SETE_PUSH", at(0x28), anyUnit, 2, 0, nil}, {"PRED_SETGT_PUSH", at(0x29), anyUnit, 2, 0, nil},
	{"PRED_SETGE_PUSH", at(0x2a), anyUnit, 2, 0, nil}, {"PRED_SETNE_PUSH", at(0x2b), anyUnit, 2, 0, nil},
	{"KILLE", at(0x2c), anyUnit, 2, kill | srcFloat, asFloats(equal)},
	{"KILLGT", at(0x2d), anyUnit, 2, kill | srcFloat, asFloats(greater)},
	{"KILLGE", at(0x2e), anyUnit, 2, kill | srcFloat, asFloats(greaterEqual)},
	{"KILLNE", at(0x2f), anyUnit, 2, kill | srcFloat, asFloats(notEqual)}, {"AND_INT", at(0x30), anyUnit, 2, 0, and},
	{"OR_INT", at(0x31), anyUnit, 2, 0, or}, {"XOR_INT", at(0x32), anyUnit, 2, 0, xor},
	{"NOT_INT", at(0x33), anyUnit, 1, 0, not}, {"ADD_INT", at(0x34), anyUnit, 2, 0, addInt},
	{"SUB_INT", at(0x35), anyUnit, 2, 0, subInt}, {"MAX_INT", at(0x36), anyUnit, 2, 0, maxInt},
	{"MIN_INT", at(0x37), anyUnit, 2, 0, minInt}, {"MAX_UINT", at(0x38), anyUnit, 2, 0, maxUint},
	{"MIN_UINT", at(0x39), anyUnit, 2, 0, minUint}, {"SETE_INT", at(0x3a), anyUnit, 2, 0, setMask(same)},
	{"SETGT_INT", at(0x3b), anyUnit, 2, 0, setMask(moreThan)},
	{"SETGE_INT", at(0x3c), anyUnit, 2, 0, setMask(atLeast)}, {"SETNE_INT", at(0x3d), anyUnit, 2, 0, setMask(differ)},
	{"SETGT_UINT", at(0x3e), anyUnit, 2, 0, setMask(above)},
	{"SETGE_UINT", at(0x3f), anyUnit, 2, 0, setMask(aboveEqual)}, {"KILLGT_UINT", at(0x40), anyUnit, 2, kill, above},
	{"KILLGE_UINT", at(0x41), anyUnit, 2, kill, aboveEqual}, {"PRED_SETE_INT", at(0x42), anyUnit, 2, predicate, same},
	{"PRED_SETGT_INT", at(0x43), anyUnit, 2, predicate, moreThan},
	{"PRED_SETGE_INT", at(0x44), anyUnit, 2, predicate, atLeast},
	{"PRED_SETNE_INT", at(0x45), anyUnit, 2, predicate, differ}, {"KILLE_INT", at(0x46), anyUnit, 2, kill, same},
	{"KILLGT_INT", at(0x47), anyUnit, 2, kill, moreThan}, {"KILLGE_INT", at(0x48), anyUnit, 2, kill, atLeast},
	{"KILLNE_INT", at(0x49), anyUnit, 2, kill, differ}, {"PRED_SETE_PUSH_INT", at(0x4a), anyUnit, 2, 0, nil},
	{"PRED_SETGT_PUSH_INT", at(0x4b), anyUnit, 2, 0, nil}, {"PRED_SETGE_PUSH_INT", at(0x4c), anyUnit, 2, 0, nil},
	{"PRED_SETNE_PUSH_INT", at(0x4d), anyUnit, 2, 0, nil}, {"PRED_SETLT_PUSH_INT", at(0x4e), anyUnit, 2, 0, nil},
	{"PRED_SETLE_PUSH_INT", at(0x4f), anyUnit, 2, 0, nil},
	{"DOT4", at(0x50), reduceUnit, 2, flt | dot, f2(mulLegacy)},
	{"DOT4_IEEE", at(0x51), reduceUnit, 2, flt | dot, f2(mul)}, {"CUBE", at(0x52), reduceUnit, 2, 0, nil},
	{"MAX4", at(0x53), reduceUnit, 1, 0, nil}, {"MOVA_GPR_INT", at(0x60), transUnit, 1, 0, nil},
	{"EXP_IEEE", at(0x61), transUnit, 1, flt, f1(inDouble(math.Exp2))},
	{"LOG_CLAMPED", at(0x62), transUnit, 1, flt, f1(clamped(inDouble(math.Log2)))},
	{"LOG_IEEE", at(0x63), transUnit, 1, flt, f1(inDouble(math.Log2))},
	{"RECIP_CLAMPED", at(0x64), transUnit, 1, flt, f1(clamped(recip))}, {"RECIP_FF", at(0x65), transUnit, 1, 0, nil},
	{"RECIP_IEEE", at(0x66), transUnit, 1, flt, f1(recip)},
	{"RECIPSQRT_CLAMPED", at(0x67), transUnit, 1, flt, f1(clamped(recipSqrt))},
	{"RECIPSQRT_FF", at(0x68), transUnit, 1, 0, nil}, {"RECIPSQRT_IEEE", at(0x69), transUnit, 1, flt, f1(recipSqrt)},
	{"SQRT_IEEE", at(0x6a), transUnit, 1, flt, f1(inDouble(math.Sqrt))},
	{"FLT_TO_INT", at(0x6b), transUnit, 1, srcFloat, floatToInt},
	{"INT_TO_FLT", at(0x6c), transUnit, 1, dstFloat, intToFloat},
	{"UINT_TO_FLT", at(0x6d), transUnit, 1, dstFloat, uintToFloat}, {"ASHR_INT", at(0x70), shiftUnit, 2, 0, ashr},
	{"LSHR_INT", at(0x71), shiftUnit, 2, 0, lshr}, {"LSHL_INT", at(0x72), shiftUnit, 2, 0, lshl},
	{"MULLO_INT", at(0x73), transUnit, 2, 0, mulLow}, {"MULHI_INT", at(0x74), transUnit, 2, 0, mulHighInt},
	{"MULLO_UINT", at(0x75), transUnit, 2, 0, mulLow}, {"MULHI_UINT", at(0x76), transUnit, 2, 0, mulHighUint},
	{"RECIP_INT", at(0x77), transUnit, 1, 0, nil}, {"RECIP_UINT", at(0x78), transUnit, 1, 0, recipUint},
	{"FLT_TO_UINT", at(0x79), transUnit, 1, srcFloat, floatToUint}, {"LDEXP_64", at(0x7a), vecUnit, 2, 0, nil},
	{"FRACT_64", at(0x7b), vecUnit, 1, 0, nil}, {"PRED_SETGT_64", at(0x7c), vecUnit, 2, 0, nil},
	{"PRED_SETE_64", at(0x7d), vecUnit, 2, 0, nil}, {"PRED_SETGE_64", at(0x7e), vecUnit, 2, 0, nil},
	{"SIN", [families]int16{0x6e, none}, transUnit, 1, flt, f1(inDouble(math.Sin))},
	{"COS", [families]int16{0x6f, none}, transUnit, 1, flt, f1(inDouble(math.Cos))},
	{"SIN", since(0x6e), transUnit, 1, flt, f1(ofTurns(math.Sin))},
	{"COS", since(0x6f), transUnit, 1, flt, f1(ofTurns(math.Cos))},
}

// arith3 are the instructions with three sources, by ALU_INST (rule FS9).
var arith3 = []arith{
	{"MULADD_64", at(0x08), vecUnit, 3, 0, nil}, {"MULADD_64_M2", at(0x09), vecUnit, 3, 0, nil},
	{"MULADD_64_M4", at(0x0a), vecUnit, 3, 0, nil}, {"MULADD_64_D2", at(0x0b), vecUnit, 3, 0, nil},
	{"MUL_LIT", at(0x0c), transUnit, 3, 0, nil}, {"MUL_LIT_M2", at(0x0d), anyUnit, 3, 0, nil},
	{"MUL_LIT_M4", at(0x0e), anyUnit, 3, 0, nil}, {"MUL_LIT_D2", at(0x0f), anyUnit, 3, 0, nil},
	{"MULADD", at(0x10), anyUnit, 3, flt, f3(mulAdd(mulLegacy, 1))},
	{"MULADD_M2", at(0x11), anyUnit, 3, flt, f3(mulAdd(mulLegacy, 2))},
	{"MULADD_M4", at(0x12), anyUnit, 3, flt, f3(mulAdd(mulLegacy, 4))},
	{"MULADD_D2", at(0x13), anyUnit, 3, flt, f3(mulAdd(mulLegacy, 0.5))},
	{"MULADD_IEEE", at(0x14), anyUnit, 3, flt, f3(mulAdd(mul, 1))},
	{"MULADD_IEEE_M2", at(0x15), anyUnit, 3, flt, f3(mulAdd(mul, 2))},
	{"MULADD_IEEE_M4", at(0x16), anyUnit, 3, flt, f3(mulAdd(mul, 4))},
	{"MULADD_IEEE_D2", at(0x17), anyUnit, 3, flt, f3(mulAdd(mul, 0.5))},
	{"CNDE", at(0x18), anyUnit, 3, flt, choose(asFloats(equal))},
	{"CNDGT", at(0x19), anyUnit, 3, flt, choose(asFloats(greater))},
	{"CNDGE", at(0x1a), anyUnit, 3, flt, choose(asFloats(greaterEqual))},
	{"CNDE_INT", at(0x1c), anyUnit, 3, 0, choose(same)}, {"CNDGT_INT", at(0x1d), anyUnit, 3, 0, choose(moreThan)},
	{"CNDGE_INT", at(0x1e), anyUnit, 3, 0, choose(atLeast)},
}
