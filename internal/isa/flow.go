package isa

// Flow describes which bits of the sources each bit of a result depends on, for an analysis of undefined values. S0
// to S2 are the sources in the order of the row's signature; for rows with [ReadsDst] the destination is an
// additional source.
type Flow uint8

// The flows. Bit n is a bit of the result if the comment does not say of what.
const (
	FlowAny         Flow = iota // each bit depends on all bits of the sources: comparisons, floats, conversions, counts
	FlowCopy                    // bit n of the result is bit n of S0
	FlowReverse                 // bit n of the result is bit 31-n or 63-n of S0
	FlowXor                     // bit n of the result depends on bits n of the sources
	FlowAnd                     // bit n depends on bits n of the sources; a defined 0 alone determines it
	FlowAndNot                  // like FlowAnd, with S1 inverted
	FlowNotAnd                  // like FlowAnd, with S0 inverted
	FlowOr                      // bit n depends on bits n of the sources; a defined 1 alone determines it
	FlowOrNot                   // like FlowOr, with S1 inverted
	FlowNotOr                   // like FlowOr, with S0 inverted
	FlowAdd                     // bit n of the result depends on bits 0 to n of the sources
	FlowSub                     // like FlowAdd; the result is a defined 0 if both sources are the same register
	FlowMul                     // like FlowAdd; the result is a defined 0 if a source is a defined 0
	FlowMul24                   // like FlowMul, with bits 23:0 of the sources
	FlowShl                     // a left shift by the source whose type is not the type of the result
	FlowShr                     // a right shift by that source, with sign extension if the result is signed
	FlowSelect                  // the result is S0 or S1, selected by one bit of a lane mask or by SCC
	FlowInsert                  // bit n is that of S1 if bit n of S0 is 1, else that of S2 (v_bfi_b32)
	FlowExtract                 // the result is S2 bits of S0 from bit S1 on, sign-extended if the result is signed
	FlowField                   // like FlowExtract, with the position and the width in S1 (s_bfe)
	FlowAlignBits               // the 64 bits of S0 and S1, shifted right by S2 bits (v_alignbit_b32)
	FlowAlignBytes              // the 64 bits of S0 and S1, shifted right by S2 bytes (v_alignbyte_b32)
	FlowBytes                   // bytes of S0 and S1, which the bytes of S2 select (v_perm_b32)
	FlowPackLow                 // the low half of the result is the low half of S0, the high half is the low half of S1
	FlowPackLowHigh             // the low half of the result is the low half of S0, the high half is the high half of S1
	FlowPackHigh                // the low half of the result is the high half of S0, the high half is the high half of S1
	FlowEach                    // the low half of the result depends on all bits of S0, the high half on all bits of S1
	FlowSigned8                 // the result is bits 7:0 of S0, sign-extended
	FlowSigned16                // the result is bits 15:0 of S0, sign-extended
)

// flows is the type of [Row.Flow], with a short name for the tables of rows.
type flows [2]Flow
