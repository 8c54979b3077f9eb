package vector

// Opcode is an instruction on vectors, of the lanes of 32 bits unless it says otherwise.
type Opcode uint8

// The opcodes. x, y and z are the operands, n is the constant.
const (
	None  Opcode = iota
	Arg          // argument n
	Const        // n in all lanes
	Bytes        // Tables[n] in each 128 bits

	Add
	Sub
	Mul // the low 32 bits
	And
	Or
	Xor
	AndNot // x &^ y
	Shl    // x << y, 0 if y is 32 or more
	Shr
	Sar // x >> y, signed; all bits are the sign if y is 32 or more
	MinS
	MaxS
	MinU
	MaxU
	Equal    // all bits of the lanes in which it holds
	Greater  // the same, signed
	MulEvenU // products of the even lanes, of 64 bits
	MulEvenS // the same, signed
	AddB     // of bytes
	SubB
	AverageB // rounded up
	SubSatB  // unsigned, 0 where y is larger
	SubSatW  // the same of 16 bits
	MaxB     // unsigned
	EqualB   // of bytes
	GreaterB // the same, signed
	MulAddW  // sums of two products of signed 16 bits
	MulAddB  // sums of two products of unsigned bytes of x and signed bytes of y, to 16 bits
	ShuffleB // bytes of x that the bytes of y name, in each 128 bits
	AddPS    // of float32
	SubPS
	MulPS
	MaxPS // y if one is a NaN

	ShlBy // by n
	ShrBy
	SarBy
	ShlByW // of 16 bits
	ShrByW
	SarByW
	ShrByQ // of 64 bits
	OddOf  // the even lanes of x, the odd ones of y

	FromInt   // float32 of a signed integer
	Truncate  // signed integer of a float32
	RoundPS   // to an integer in direction n of VROUNDPS
	ComparePS // of float32, with predicate n of VCMPPS

	FMA    // x*y + z of float32, rounded once
	Blend  // y where the sign of z is set, else x
	BlendB // the same of bytes

	// float64 takes two vectors: one of the lower half of the lanes and one of the upper half.
	LowPD   // float64 of the lower half of the lanes of x, which are float32
	HighPD  // float64 of the upper half
	SqrtPD  // square roots of float64
	DivPD   // quotients of float64
	Singles // float32 of the float64 in x, as the lower half of the lanes, and of those in y, as the upper half

	// Notes compute nothing. They say what must hold for the result of a plain operation on floats to be right.
	NoteOperand // x is not denormal
	NoteFinite  // x is not denormal, infinite nor NaN
	NumOpcodes
)

// Tables are the constants of [Bytes].
var Tables = [][16]byte{
	tableOnes:        table(func(i int) byte { return byte(i&1 + i>>1&1 + i>>2&1 + i>>3) }),
	tableReverseLow:  table(func(i int) byte { return reverseNibble(i) << 4 }),
	tableReverseHigh: table(reverseNibble),
	tableLaneBytes:   table(func(i int) byte { return byte(i &^ 3) }),
	tableReverse:     table(func(i int) byte { return byte(i ^ 3) }),
}

const (
	tableOnes        = iota // how many bits are set in a nibble
	tableReverseLow         // the bits of a nibble in reverse order, as the upper nibble of a byte
	tableReverseHigh        // and as the lower one
	tableLaneBytes          // the first byte of the lane of each byte
	tableReverse            // the bytes of each lane in reverse order
)

func table(value func(i int) byte) (t [16]byte) {
	for i := range t {
		t[i] = value(i)
	}
	return t
}

func reverseNibble(n int) byte { return byte(n&1<<3 | n&2<<1 | n&4>>1 | n&8>>3) }

// opcodeNames are the names that people read.
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

// Name names the instruction for people.
func (o Opcode) Name() string {
	if name, ok := opcodeNames[o]; ok {
		return name
	}
	return "none"
}
