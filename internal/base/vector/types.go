package vector

// Op is an operation on 32 bits of one to three operands, as Name in a table of package simd. Operands that it does not
// have are 0.
type Op struct {
	Name string
	N    int
	Body func(e *Code, a, b, c Value) Value
}

// Wide is an operation with a result of 64 bits. Operands of 64 bits are two, the lower half first. Those that it does
// not have are 0.
type Wide struct {
	Name string
	// Body returns the halves of the result and, if there is one, a carry: all bits are set in the lanes that have it.
	Body func(e *Code, a, b, c, d Value) (low, high, carry Value)
}

// Float is an operation on float32 that rounds to nearest even.
type Float struct {
	Name string
	N    int // operands
	// Least is the smallest magnitude but 0 that Plain does not leave to Full.
	Least uint32
	// Plain computes as the machine does; its notes say when that is right. It is nil if there is only Full.
	Plain func(e *Code, a, b, c Value) Value
	// Full computes with flushing and NaNs as they are chosen.
	Full func(e *Code, f Flush, a, b, c Value) Value
	// Eight is set if package simd has the operation of eight lanes only: with sixteen it needs more registers of masks
	// than AVX-512 has, or computes in float64.
	Eight bool
}

// Flush holds masks of what becomes 0 in a denormal, of operands and of results: all but the
// sign, or nothing. A mask that is 0 is nothing.
type Flush struct{ In, Out Value }

// Comparison gives a bit for each lane: set where Holds has all bits set, or, with Inverted, none.
type Comparison struct {
	Name     string
	Operand  func(e *Code, x, flush Value) Value // changes an operand before the comparison
	Inverted bool
	Holds    func(e *Code, a, b Value) Value
}

// Carry is an operation that takes and gives a carry, or a borrow, in each lane.
type Carry struct {
	Name string
	// With and Without compute with and without a carry that is taken, in which all bits are set
	// in lanes that have one. The sign of out says with which there is a carry, or without which
	// there is none.
	With    func(e *Code, x, y, in Value) (r, out Value)
	Without func(e *Code, x, y Value) (r, none Value)
}
