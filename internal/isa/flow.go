package isa

// Flow describes which bits of the sources each bit of a result depends on, for an analysis of undefined values. S0
// to S2 are the sources in the order of the row's signature; for rows with [ReadsDst] the destination is an
// additional source.
type Flow uint8

// The flows. "Bit n of" means that bit n of the result depends on the named bits.
const (
	FlowAny         Flow = iota // each bit depends on all bits: comparisons, floats, conversions, counts
	FlowCopy                    // bit n of S0
	FlowReverse                 // bit 31-n or 63-n of S0
	FlowXor                     // bits n of the sources
	FlowAnd                     // bits n of the sources; a defined 0 determines the result
	FlowAndNot                  // like FlowAnd, with S1 inverted
	FlowNotAnd                  // like FlowAnd, with S0 inverted
	FlowOr                      // bits n of the sources; a defined 1 determines the result
	FlowOrNot                   // like FlowOr, with S1 inverted
	FlowNotOr                   // like FlowOr, with S0 inverted
	FlowAdd                     // bits 0 to n of the sources
	FlowSub                     // like FlowAdd; 0 if both sources are the same register
	FlowMul                     // like FlowAdd; 0 if a source is 0
	FlowMul24                   // like FlowMul, with bits 23:0 of the sources
	FlowShl                     // left shift by the source whose type differs from the result's type
	FlowShr                     // right shift, with sign extension if the result is signed
	FlowSelect                  // S0 or S1, depending on one bit of a lane mask or SCC
	FlowInsert                  // S1 where S0 is 1, S2 where S0 is 0 (v_bfi_b32)
	FlowExtract                 // a field of S0 at bit S1 with S2 bits, sign-extended if the result is signed
	FlowField                   // like FlowExtract, with position and width in S1 as for s_bfe
	FlowAlignBits               // S0 and S1 as 64 bits, shifted right by S2 bits
	FlowAlignBytes              // S0 and S1 as 64 bits, shifted right by S2 bytes
	FlowBytes                   // the bytes of S0 and S1 that the bytes of S2 select (v_perm_b32)
	FlowPackLow                 // the low half of S0, then the low half of S1
	FlowPackLowHigh             // the low half of S0, then the high half of S1
	FlowPackHigh                // the high half of S0, then the high half of S1
	FlowEach                    // the low half depends on all bits of S0, the high half on all bits of S1
	FlowSigned8                 // bits 7:0 of S0, sign-extended
	FlowSigned16                // bits 15:0 of S0, sign-extended
)

// flows is the type in which tables of rows have [Row.Flow].
type flows [2]Flow
