package r600

import "math"

// unit says in which slots of a group an instruction may be (rule FS9).
type unit uint8

const (
	anyUnit    unit = iota
	vecUnit         // a vector slot
	reduceUnit      // in all four vector slots at once
	transUnit       // the transcendental slot; Cayman, which has none, takes vector slots
	shiftUnit       // the transcendental slot on R600, any slot since
	earlyUnit       // the transcendental slot on R600 and R700, a vector slot since
)

// transcendental reports whether the instruction goes to the transcendental slot of family f whatever its DST_ELEM is.
func (u unit) transcendental(f Family) bool {
	return u == transUnit && f < Cayman || u == shiftUnit && f == R600 || u == earlyUnit && f < Evergreen
}

// effect says what an ALU instruction does beside giving a number, and what its operands are.
type effect uint8

const (
	srcFloat  effect = 1 << iota // SRC_NEG and SRC_ABS have a meaning
	dstFloat                     // OMOD and CLAMP have a meaning
	predicate                    // 1 passes, 0 does not
	kill                         // 1 kills the thread
	address                      // writes the address register
	barrier                      // waits for the work-group
	dot                          // results of the four vector slots are added

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

// both returns the codes of an instruction of R600 and R700, and of Evergreen and Cayman.
func both(before, since int16) [families]int16 { return [families]int16{before, before, since, since} }

// at returns the codes of an instruction that has the same on all families.
func at(code int16) [families]int16 { return both(code, code) }

// ops returns rows as instructions of a class, in the same order.
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
	{"MIN_DX10", at(0x06), anyUnit, 2, flt, f2(minNumber)}, {"FREXP_64", both(0x07, 0xc4), vecUnit, 1, 0, nil},
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
	{"FLOOR", at(0x14), anyUnit, 1, flt, f1(inDouble(math.Floor))}, {"MOVA", both(0x15, none), vecUnit, 1, 0, nil},
	{"MOVA_FLOOR", both(0x16, none), vecUnit, 1, 0, nil}, {"ADD_64", both(0x17, 0xcb), vecUnit, 2, 0, nil},
	{"MOVA_INT", both(0x18, 0xcc), vecUnit, 1, address, first}, {"MOV", at(0x19), anyUnit, 1, flt, first},
	{"NOP", at(0x1a), anyUnit, 0, 0, zeroes}, {"MUL_64", both(0x1b, 0xca), vecUnit, 2, 0, nil},
	{"FLT64_TO_FLT32", both(0x1c, 0xcd), vecUnit, 1, 0, nil},
	{"FLT32_TO_FLT64", both(0x1d, 0xce), vecUnit, 1, 0, nil},
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
	{"KILLNE", at(0x2f), anyUnit, 2, kill | srcFloat, asFloats(notEqual)},
	{"AND_INT", at(0x30), anyUnit, 2, 0, and}, {"OR_INT", at(0x31), anyUnit, 2, 0, or},
	{"XOR_INT", at(0x32), anyUnit, 2, 0, xor}, {"NOT_INT", at(0x33), anyUnit, 1, 0, not},
	{"ADD_INT", at(0x34), anyUnit, 2, 0, addInt}, {"SUB_INT", at(0x35), anyUnit, 2, 0, subInt},
	{"MAX_INT", at(0x36), anyUnit, 2, 0, maxInt}, {"MIN_INT", at(0x37), anyUnit, 2, 0, minInt},
	{"MAX_UINT", at(0x38), anyUnit, 2, 0, maxUint}, {"MIN_UINT", at(0x39), anyUnit, 2, 0, minUint},
	{"SETE_INT", at(0x3a), anyUnit, 2, 0, setMask(same)}, {"SETGT_INT", at(0x3b), anyUnit, 2, 0, setMask(moreThan)},
	{"SETGE_INT", at(0x3c), anyUnit, 2, 0, setMask(atLeast)},
	{"SETNE_INT", at(0x3d), anyUnit, 2, 0, setMask(differ)},
	{"SETGT_UINT", at(0x3e), anyUnit, 2, 0, setMask(above)},
	{"SETGE_UINT", at(0x3f), anyUnit, 2, 0, setMask(aboveEqual)},
	{"KILLGT_UINT", at(0x40), anyUnit, 2, kill, above}, {"KILLGE_UINT", at(0x41), anyUnit, 2, kill, aboveEqual},
	{"PRED_SETE_INT", at(0x42), anyUnit, 2, predicate, same},
	{"PRED_SETGT_INT", at(0x43), anyUnit, 2, predicate, moreThan},
	{"PRED_SETGE_INT", at(0x44), anyUnit, 2, predicate, atLeast},
	{"PRED_SETNE_INT", at(0x45), anyUnit, 2, predicate, differ}, {"KILLE_INT", at(0x46), anyUnit, 2, kill, same},
	{"KILLGT_INT", at(0x47), anyUnit, 2, kill, moreThan}, {"KILLGE_INT", at(0x48), anyUnit, 2, kill, atLeast},
	{"KILLNE_INT", at(0x49), anyUnit, 2, kill, differ}, {"PRED_SETE_PUSH_INT", at(0x4a), anyUnit, 2, 0, nil},
	{"PRED_SETGT_PUSH_INT", at(0x4b), anyUnit, 2, 0, nil}, {"PRED_SETGE_PUSH_INT", at(0x4c), anyUnit, 2, 0, nil},
	{"PRED_SETNE_PUSH_INT", at(0x4d), anyUnit, 2, 0, nil}, {"PRED_SETLT_PUSH_INT", at(0x4e), anyUnit, 2, 0, nil},
	{"PRED_SETLE_PUSH_INT", at(0x4f), anyUnit, 2, 0, nil},
	{"DOT4", both(0x50, 0xbe), reduceUnit, 2, flt | dot, f2(mulLegacy)},
	{"DOT4_IEEE", both(0x51, 0xbf), reduceUnit, 2, flt | dot, f2(mul)},
	{"CUBE", both(0x52, 0xc0), reduceUnit, 2, 0, nil}, {"MAX4", both(0x53, 0xc1), reduceUnit, 1, 0, nil},
	{"MOVA_GPR_INT", both(0x60, none), transUnit, 1, 0, nil},
	{"EXP_IEEE", both(0x61, 0x81), transUnit, 1, flt, f1(inDouble(math.Exp2))},
	{"LOG_CLAMPED", both(0x62, 0x82), transUnit, 1, flt, f1(clamped(inDouble(math.Log2)))},
	{"LOG_IEEE", both(0x63, 0x83), transUnit, 1, flt, f1(inDouble(math.Log2))},
	{"RECIP_CLAMPED", both(0x64, 0x84), transUnit, 1, flt, f1(clamped(recip))},
	{"RECIP_FF", both(0x65, 0x85), transUnit, 1, 0, nil},
	{"RECIP_IEEE", both(0x66, 0x86), transUnit, 1, flt, f1(recip)},
	{"RECIPSQRT_CLAMPED", both(0x67, 0x87), transUnit, 1, flt, f1(clamped(recipSqrt))},
	{"RECIPSQRT_FF", both(0x68, 0x88), transUnit, 1, 0, nil},
	{"RECIPSQRT_IEEE", both(0x69, 0x89), transUnit, 1, flt, f1(recipSqrt)},
	{"SQRT_IEEE", both(0x6a, 0x8a), transUnit, 1, flt, f1(inDouble(math.Sqrt))},
	{"FLT_TO_INT", both(0x6b, 0x50), earlyUnit, 1, srcFloat, floatToInt},
	{"INT_TO_FLT", both(0x6c, 0x9b), transUnit, 1, dstFloat, intToFloat},
	{"UINT_TO_FLT", both(0x6d, 0x9c), transUnit, 1, dstFloat, uintToFloat},
	{"ASHR_INT", both(0x70, 0x15), shiftUnit, 2, 0, ashr}, {"LSHR_INT", both(0x71, 0x16), shiftUnit, 2, 0, lshr},
	{"LSHL_INT", both(0x72, 0x17), shiftUnit, 2, 0, lshl}, {"MULLO_INT", both(0x73, 0x8f), transUnit, 2, 0, mulLow},
	{"MULHI_INT", both(0x74, 0x90), transUnit, 2, 0, mulHighInt},
	{"MULLO_UINT", both(0x75, 0x91), transUnit, 2, 0, mulLow},
	{"MULHI_UINT", both(0x76, 0x92), transUnit, 2, 0, mulHighUint},
	{"RECIP_INT", both(0x77, 0x93), transUnit, 1, 0, nil},
	{"RECIP_UINT", both(0x78, 0x94), transUnit, 1, 0, recipUint},
	{"FLT_TO_UINT", both(0x79, 0x9a), transUnit, 1, srcFloat, floatToUint},
	{"LDEXP_64", both(0x7a, 0xc5), vecUnit, 2, 0, nil}, {"FRACT_64", both(0x7b, 0xc6), vecUnit, 1, 0, nil},
	{"PRED_SETGT_64", both(0x7c, 0xc7), vecUnit, 2, 0, nil}, {"PRED_SETE_64", both(0x7d, 0xc8), vecUnit, 2, 0, nil},
	{"PRED_SETGE_64", both(0x7e, 0xc9), vecUnit, 2, 0, nil},
	{"BFREV_INT", both(none, 0x51), anyUnit, 1, 0, reverse}, {"ADDC_UINT", both(none, 0x52), anyUnit, 2, 0, carry},
	{"SUBB_UINT", both(none, 0x53), anyUnit, 2, 0, borrow},
	{"GROUP_BARRIER", both(none, 0x54), anyUnit, 0, barrier, zeroes},
	{"GROUP_SEQ_BEGIN", both(none, 0x55), anyUnit, 0, 0, nil},
	{"GROUP_SEQ_END", both(none, 0x56), anyUnit, 0, 0, nil}, {"SET_MODE", both(none, 0x57), anyUnit, 2, 0, nil},
	{"SET_CF_IDX0", both(none, 0x58), anyUnit, 0, 0, nil}, {"SET_CF_IDX1", both(none, 0x59), anyUnit, 0, 0, nil},
	{"SET_LDS_SIZE", both(none, 0x5a), anyUnit, 2, 0, nil},
	{"MUL_INT24", both(none, 0x5b), vecUnit, 2, 0, mulInt24},
	{"MULHI_INT24", both(none, 0x5c), vecUnit, 2, 0, mulHighInt24},
	{"FLT_TO_INT_TRUNC", both(none, 0x5d), vecUnit, 1, srcFloat, floatToInt},
	{"RECIP_64", both(none, 0x95), transUnit, 2, 0, nil},
	{"RECIP_CLAMPED_64", both(none, 0x96), transUnit, 2, 0, nil},
	{"RECIPSQRT_64", both(none, 0x97), transUnit, 2, 0, nil},
	{"RECIPSQRT_CLAMPED_64", both(none, 0x98), transUnit, 2, 0, nil},
	{"SQRT_64", both(none, 0x99), transUnit, 2, 0, nil}, {"BFM_INT", both(none, 0xa0), vecUnit, 2, 0, fieldMask},
	{"FLT32_TO_FLT16", both(none, 0xa2), vecUnit, 1, srcFloat, floatToHalf},
	{"FLT16_TO_FLT32", both(none, 0xa3), vecUnit, 1, dstFloat, halfToFloat},
	{"UBYTE0_FLT", both(none, 0xa4), vecUnit, 1, dstFloat, byteToFloat(0)},
	{"UBYTE1_FLT", both(none, 0xa5), vecUnit, 1, dstFloat, byteToFloat(1)},
	{"UBYTE2_FLT", both(none, 0xa6), vecUnit, 1, dstFloat, byteToFloat(2)},
	{"UBYTE3_FLT", both(none, 0xa7), vecUnit, 1, dstFloat, byteToFloat(3)},
	{"BCNT_INT", both(none, 0xaa), vecUnit, 1, 0, countOnes},
	{"FFBH_UINT", both(none, 0xab), vecUnit, 1, 0, firstHigh},
	{"FFBL_INT", both(none, 0xac), vecUnit, 1, 0, firstLow},
	{"FFBH_INT", both(none, 0xad), vecUnit, 1, 0, firstSign},
	{"FLT_TO_UINT4", both(none, 0xae), vecUnit, 1, 0, nil}, {"DOT_IEEE", both(none, 0xaf), vecUnit, 2, 0, nil},
	{"FLT_TO_INT_RPI", both(none, 0xb0), vecUnit, 1, srcFloat, roundedInt(roundHalfUp)},
	{"FLT_TO_INT_FLOOR", both(none, 0xb1), vecUnit, 1, srcFloat, roundedInt(math.Floor)},
	{"MULHI_UINT24", both(none, 0xb2), vecUnit, 2, 0, mulHighUint24},
	{"MBCNT_32HI_INT", both(none, 0xb3), vecUnit, 1, 0, nil},
	{"OFFSET_TO_FLT", both(none, 0xb4), vecUnit, 1, 0, nil},
	{"MUL_UINT24", both(none, 0xb5), vecUnit, 2, 0, mulUint24},
	{"BCNT_ACCUM_PREV_INT", both(none, 0xb6), vecUnit, 1, 0, nil},
	{"MBCNT_32LO_ACCUM_PREV_INT", both(none, 0xb7), vecUnit, 1, 0, nil},
	{"SETE_64", both(none, 0xb8), vecUnit, 2, 0, nil}, {"SETNE_64", both(none, 0xb9), vecUnit, 2, 0, nil},
	{"SETGT_64", both(none, 0xba), vecUnit, 2, 0, nil}, {"SETGE_64", both(none, 0xbb), vecUnit, 2, 0, nil},
	{"MIN_64", both(none, 0xbc), vecUnit, 2, 0, nil}, {"MAX_64", both(none, 0xbd), vecUnit, 2, 0, nil},
	{"SAD_ACCUM_PREV_UINT", both(none, 0xcf), vecUnit, 2, 0, nil}, {"DOT", both(none, 0xd0), vecUnit, 2, 0, nil},
	{"MUL_PREV", both(none, 0xd1), vecUnit, 1, 0, nil}, {"MUL_IEEE_PREV", both(none, 0xd2), vecUnit, 1, 0, nil},
	{"ADD_PREV", both(none, 0xd3), vecUnit, 1, 0, nil}, {"MULADD_PREV", both(none, 0xd4), vecUnit, 2, 0, nil},
	{"MULADD_IEEE_PREV", both(none, 0xd5), vecUnit, 2, 0, nil}, {"INTERP_XY", both(none, 0xd6), vecUnit, 2, 0, nil},
	{"INTERP_ZW", both(none, 0xd7), vecUnit, 2, 0, nil}, {"INTERP_X", both(none, 0xd8), vecUnit, 2, 0, nil},
	{"INTERP_Z", both(none, 0xd9), vecUnit, 2, 0, nil}, {"STORE_FLAGS", both(none, 0xda), vecUnit, 1, 0, nil},
	{"LOAD_STORE_FLAGS", both(none, 0xdb), vecUnit, 1, 0, nil}, {"LDS_1A", both(none, 0xdc), vecUnit, 2, 0, nil},
	{"LDS_1A1D", both(none, 0xdd), vecUnit, 2, 0, nil}, {"LDS_2A", both(none, 0xdf), vecUnit, 2, 0, nil},
	{"INTERP_LOAD_P0", both(none, 0xe0), vecUnit, 1, 0, nil},
	{"INTERP_LOAD_P10", both(none, 0xe1), vecUnit, 1, 0, nil},
	{"INTERP_LOAD_P20", both(none, 0xe2), vecUnit, 1, 0, nil},
	{"SIN", [families]int16{0x6e, none, none, none}, transUnit, 1, flt, f1(inDouble(math.Sin))}, // of radians
	{"COS", [families]int16{0x6f, none, none, none}, transUnit, 1, flt, f1(inDouble(math.Cos))},
	{"SIN", [families]int16{none, 0x6e, 0x8d, 0x8d}, transUnit, 1, flt, f1(ofTurns(math.Sin))},
	{"COS", [families]int16{none, 0x6f, 0x8e, 0x8e}, transUnit, 1, flt, f1(ofTurns(math.Cos))},
}

// arith3 are the instructions with three sources, by ALU_INST (rule FS9).
var arith3 = []arith{
	{"MULADD_64", both(0x08, none), vecUnit, 3, 0, nil}, {"MULADD_64_M2", both(0x09, none), vecUnit, 3, 0, nil},
	{"MULADD_64_M4", both(0x0a, none), vecUnit, 3, 0, nil}, {"MULADD_64_D2", both(0x0b, none), vecUnit, 3, 0, nil},
	{"MUL_LIT", both(0x0c, 0x1f), transUnit, 3, 0, nil}, {"MUL_LIT_M2", both(0x0d, none), anyUnit, 3, 0, nil},
	{"MUL_LIT_M4", both(0x0e, none), anyUnit, 3, 0, nil}, {"MUL_LIT_D2", both(0x0f, none), anyUnit, 3, 0, nil},
	{"MULADD", both(0x10, 0x14), anyUnit, 3, flt, f3(mulAdd(mulLegacy, 1))},
	{"MULADD_M2", both(0x11, 0x15), anyUnit, 3, flt, f3(mulAdd(mulLegacy, 2))},
	{"MULADD_M4", both(0x12, 0x16), anyUnit, 3, flt, f3(mulAdd(mulLegacy, 4))},
	{"MULADD_D2", both(0x13, 0x17), anyUnit, 3, flt, f3(mulAdd(mulLegacy, 0.5))},
	{"MULADD_IEEE", both(0x14, 0x18), anyUnit, 3, flt, f3(mulAdd(mul, 1))},
	{"MULADD_IEEE_M2", both(0x15, none), anyUnit, 3, flt, f3(mulAdd(mul, 2))},
	{"MULADD_IEEE_M4", both(0x16, none), anyUnit, 3, flt, f3(mulAdd(mul, 4))},
	{"MULADD_IEEE_D2", both(0x17, none), anyUnit, 3, flt, f3(mulAdd(mul, 0.5))},
	{"CNDE", both(0x18, 0x19), anyUnit, 3, flt, choose(asFloats(equal))},
	{"CNDGT", both(0x19, 0x1a), anyUnit, 3, flt, choose(asFloats(greater))},
	{"CNDGE", both(0x1a, 0x1b), anyUnit, 3, flt, choose(asFloats(greaterEqual))},
	{"CNDE_INT", at(0x1c), anyUnit, 3, 0, choose(same)}, {"CNDGT_INT", at(0x1d), anyUnit, 3, 0, choose(moreThan)},
	{"CNDGE_INT", at(0x1e), anyUnit, 3, 0, choose(atLeast)},
	{"BFE_UINT", both(none, 0x04), vecUnit, 3, 0, extractUint},
	{"BFE_INT", both(none, 0x05), vecUnit, 3, 0, extractInt}, {"BFI_INT", both(none, 0x06), vecUnit, 3, 0, insert},
	{"FMA", both(none, 0x07), vecUnit, 3, flt, f3(fma)},
	{"MULADD_INT24", both(none, 0x08), vecUnit, 3, 0, mulAddInt24},
	{"CNDNE_64", both(none, 0x09), vecUnit, 3, 0, nil}, {"FMA_64", both(none, 0x0a), vecUnit, 3, 0, nil},
	{"LERP_UINT", both(none, 0x0b), vecUnit, 3, 0, nil},
	{"BIT_ALIGN_INT", both(none, 0x0c), vecUnit, 3, 0, bitAlign},
	{"BYTE_ALIGN_INT", both(none, 0x0d), vecUnit, 3, 0, byteAlign},
	{"SAD_ACCUM_UINT", both(none, 0x0e), vecUnit, 3, 0, nil},
	{"SAD_ACCUM_HI_UINT", both(none, 0x0f), vecUnit, 3, 0, nil},
	{"MULADD_UINT24", both(none, 0x10), vecUnit, 3, 0, mulAddUint24},
}

// ldsIndexOp is ALU_INST of accesses to LDS.
const ldsIndexOp = 0x11

// access is an instruction on LDS: the address is the first source.
type access struct {
	name    string
	code    int16
	sources uint8
	bytes   int                           // that are read and written
	signed  bool                          // whether what is read is
	result  func(old, b, c uint32) uint32 // what is written; nil if the instruction is not modelled
}

// accesses are the instructions on LDS, by LDS_OP (rule FS9). What ends in _RET gives the value before to the queue.
var accesses = []access{
	{"ADD", 0x00, 2, 4, false, addInt}, {"SUB", 0x01, 2, 4, false, subInt}, {"RSUB", 0x02, 2, 4, false, reverseSub},
	{"INC", 0x03, 2, 4, false, increment}, {"DEC", 0x04, 2, 4, false, decrement},
	{"MIN_INT", 0x05, 2, 4, false, minInt}, {"MAX_INT", 0x06, 2, 4, false, maxInt},
	{"MIN_UINT", 0x07, 2, 4, false, minUint}, {"MAX_UINT", 0x08, 2, 4, false, maxUint},
	{"AND", 0x09, 2, 4, false, and}, {"OR", 0x0a, 2, 4, false, or}, {"XOR", 0x0b, 2, 4, false, xor},
	{"MSKOR", 0x0c, 3, 4, false, maskedOr}, {"WRITE", 0x0d, 2, 4, false, second},
	{"WRITE_REL", 0x0e, 3, 4, false, nil}, {"WRITE2", 0x0f, 3, 4, false, nil},
	{"CMP_STORE", 0x10, 3, 4, false, compareStore}, {"CMP_STORE_SPF", 0x11, 3, 4, false, nil},
	{"BYTE_WRITE", 0x12, 2, 1, false, second}, {"SHORT_WRITE", 0x13, 2, 2, false, second},
	{"ADD_RET", 0x20, 2, 4, false, addInt}, {"SUB_RET", 0x21, 2, 4, false, subInt},
	{"RSUB_RET", 0x22, 2, 4, false, reverseSub}, {"INC_RET", 0x23, 2, 4, false, increment},
	{"DEC_RET", 0x24, 2, 4, false, decrement}, {"MIN_INT_RET", 0x25, 2, 4, false, minInt},
	{"MAX_INT_RET", 0x26, 2, 4, false, maxInt}, {"MIN_UINT_RET", 0x27, 2, 4, false, minUint},
	{"MAX_UINT_RET", 0x28, 2, 4, false, maxUint}, {"AND_RET", 0x29, 2, 4, false, and},
	{"OR_RET", 0x2a, 2, 4, false, or}, {"XOR_RET", 0x2b, 2, 4, false, xor},
	{"MSKOR_RET", 0x2c, 3, 4, false, maskedOr}, {"XCHG_RET", 0x2d, 2, 4, false, second},
	{"XCHG_REL_RET", 0x2e, 3, 4, false, nil}, {"XCHG2_RET", 0x2f, 3, 4, false, nil},
	{"CMP_XCHG_RET", 0x30, 3, 4, false, compareStore}, {"CMP_XCHG_SPF_RET", 0x31, 3, 4, false, nil},
	{"READ_RET", 0x32, 1, 4, false, first}, {"READ_REL_RET", 0x33, 1, 4, false, nil},
	{"READ2_RET", 0x34, 2, 4, false, nil}, {"READWRITE_RET", 0x35, 3, 4, false, nil},
	{"BYTE_READ_RET", 0x36, 1, 1, true, first}, {"UBYTE_READ_RET", 0x37, 1, 1, false, first},
	{"SHORT_READ_RET", 0x38, 1, 2, true, first}, {"USHORT_READ_RET", 0x39, 1, 2, false, first},
}

var opsLDS = func() (all []op) {
	for _, r := range accesses {
		all = append(all, op{r.name, [families]int16{none, none, r.code, r.code}, classLDS, doPart})
	}
	return all
}()
