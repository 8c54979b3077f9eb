package vector

// Opcode is a vector instruction. It operates on lanes of 32 bits unless its comment names another size.
type Opcode uint8

// The opcodes. x, y and z are the operands, n is the constant.
const (
	None  Opcode = iota
	Arg          // argument number n
	Const        // n in all lanes
	Bytes        // Tables[n], repeated in each 128 bits

	Add
	Sub
	Mul // low 32 bits of the product
	And
	Or
	Xor
	AndNot // x &^ y
	Shl    // x << y, or 0 if y is 32 or more
	Shr
	Sar // x >> y, signed; all bits are the sign if y is 32 or more
	MinS
	MaxS
	MinU
	MaxU
	Equal    // all bits set in the lanes where x and y are equal
	Greater  // all bits set in the lanes where x > y, signed
	MulEvenU // 64-bit products of the even lanes, unsigned
	MulEvenS // 64-bit products of the even lanes, signed
	AddB     // sum of bytes
	SubB
	AverageB // average of bytes, rounded up
	SubSatB  // difference of unsigned bytes, 0 if y is larger
	SubSatW  // difference of unsigned 16-bit numbers, 0 if y is larger
	MaxB     // larger unsigned byte
	EqualB   // equality of bytes
	GreaterB // x > y for signed bytes
	MulAddW  // sums of two products of signed 16-bit words
	MulAddB  // sums of two products of unsigned bytes of x and signed bytes of y, in 16 bits
	ShuffleB // bytes of x that the bytes of y select, in each 128 bits
	AddPS    // operations on float32
	SubPS
	MulPS
	MaxPS // y if an operand is NaN

	ShlBy // shift by n
	ShrBy
	SarBy
	ShlByW // shift of 16-bit words
	ShrByW
	SarByW
	ShrByQ // shift of 64 bits
	OddOf  // even lanes of x, odd lanes of y

	FromInt   // float32 from a signed integer
	Truncate  // signed integer from a float32, towards zero
	RoundPS   // rounds to an integer in direction n of VROUNDPS
	ComparePS // comparison of float32 with predicate n of VCMPPS

	FMA    // x*y + z in float32, rounded once
	Blend  // y if the sign of z is set, else x
	BlendB // bytes of y where the sign of the byte of z is set, else of x

	// Values in float64 need two vectors: one for the lower and one for the upper half of the lanes.
	LowPD   // float64 of the lower half of the lanes of x, which are float32
	HighPD  // float64 of the upper half of the lanes of x, which are float32
	SqrtPD  // square roots in float64
	DivPD   // quotients in float64
	Singles // float32 of the float64 values in x (the lower half of the lanes) and y (the upper half)

	// The opcodes below compute nothing. They state conditions under which the result of a plain float operation is
	// correct.
	NoteOperand // x is not denormal
	NoteFinite  // x is not denormal, infinite or NaN
	NumOpcodes
)

// Tables are the constants for [Bytes].
var Tables = [][16]byte{
	tableOnes:        table(func(i int) byte { return byte(i&1 + i>>1&1 + i>>2&1 + i>>3) }),
	tableReverseLow:  table(func(i int) byte { return reverseNibble(i) << 4 }),
	tableReverseHigh: table(reverseNibble),
	tableLaneBytes:   table(func(i int) byte { return byte(i &^ 3) }),
	tableReverse:     table(func(i int) byte { return byte(i ^ 3) }),
}

const (
	tableOnes        = iota // number of set bits in a nibble
	tableReverseLow         // the bits of a nibble in reverse order, in the upper nibble
	tableReverseHigh        // the bits of a nibble in reverse order, in the lower nibble
	tableLaneBytes          // index of the first byte of each byte's lane
	tableReverse            // indexes of the bytes of each lane in reverse order
)

func table(value func(i int) byte) (t [16]byte) {
	for i := range t {
		t[i] = value(i)
	}
	return t
}

func reverseNibble(n int) byte { return byte(n&1<<3 | n&2<<1 | n&4>>1 | n&8>>3) }

// opcodeNames are the names of opcodes for people.
var opcodeNames = map[Opcode]string{
	Arg:         "argument",
	Const:       "constant",
	Bytes:       "bytes",
	Add:         "add",
	Sub:         "sub",
	Mul:         "mul",
	And:         "and",
	Or:          "or",
	Xor:         "xor",
	AndNot:      "and not",
	Shl:         "shl",
	Shr:         "shr",
	Sar:         "sar",
	MinS:        "min signed",
	MaxS:        "max signed",
	MinU:        "min unsigned",
	MaxU:        "max unsigned",
	Equal:       "equal",
	Greater:     "greater",
	MulEvenU:    "mul even unsigned",
	MulEvenS:    "mul even signed",
	AddB:        "add bytes",
	SubB:        "sub bytes",
	AverageB:    "average bytes",
	SubSatB:     "sub sat bytes",
	SubSatW:     "sub sat words",
	MaxB:        "max bytes",
	EqualB:      "equal bytes",
	GreaterB:    "greater bytes",
	MulAddW:     "mul add words",
	MulAddB:     "mul add bytes",
	ShuffleB:    "shuffle bytes",
	AddPS:       "add float",
	SubPS:       "sub float",
	MulPS:       "mul float",
	MaxPS:       "max float",
	ShlBy:       "shl by",
	ShrBy:       "shr by",
	SarBy:       "sar by",
	ShlByW:      "shl by words",
	ShrByW:      "shr by words",
	SarByW:      "sar by words",
	ShrByQ:      "shr by quads",
	OddOf:       "odd of",
	FromInt:     "from int",
	Truncate:    "truncate",
	RoundPS:     "round float",
	ComparePS:   "compare float",
	FMA:         "fma",
	Blend:       "blend",
	BlendB:      "blend bytes",
	LowPD:       "low double",
	HighPD:      "high double",
	SqrtPD:      "sqrt double",
	DivPD:       "div double",
	Singles:     "singles",
	NoteOperand: "note operand",
	NoteFinite:  "note finite",
}

// Name returns the name of the instruction for people.
func (o Opcode) Name() string {
	if name, ok := opcodeNames[o]; ok {
		return name
	}
	return "none"
}
