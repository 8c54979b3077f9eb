package vector

// Op is an operation on 32 bits with one to three operands. Name is its key in a table of package simd. Operands that
// it does not have are 0.
type Op struct {
	Name string
	N    int
	Body func(e *Code, a, b, c Value) Value
}

// Wide is an operation with a result of 64 bits. A 64-bit operand is two values, the lower half first. Operands that
// it does not have are 0.
type Wide struct {
	Name string
	// Body returns the halves of the result and, if there is one, the carry: all bits are set in lanes with a carry.
	Body func(e *Code, a, b, c, d Value) (low, high, carry Value)
}

// Float is an operation on float32 that rounds to nearest even.
type Float struct {
	Name string
	N    int // number of operands
	// Least is the smallest magnitude other than 0 that Plain handles; Full handles smaller ones.
	Least uint32
	// Plain computes by host arithmetic; its notes state when the result is correct. It is nil if there is only Full.
	Plain func(e *Code, a, b, c Value) Value
	// Full computes with flushing and NaN selection.
	Full func(e *Code, f Flush, a, b, c Value) Value
	// Eight is set if package simd has the operation for eight lanes only: for sixteen it needs more mask registers than
	// AVX-512 has, or computes in float64.
	Eight bool
}

// Flush has the masks of the bits that denormal operands and denormal results lose: all except the sign, or none.
// Value 0 means none.
type Flush struct{ In, Out Value }

// Comparison computes a bit for each lane: set where Holds has all bits set or, with Inverted, no bits.
type Comparison struct {
	Name     string
	Operand  func(e *Code, x, flush Value) Value // applied to operands before the comparison
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
