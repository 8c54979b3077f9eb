package isa

// Flow says which bits of a result which bits of the sources decide: what an analysis of
// undefined values needs to know of an operation. S0 to S2 are the sources in the order of
// the row's signature; of rows with [ReadsDst] the destination is one more.
type Flow uint8

// The flows.
const (
	FlowAny         Flow = iota // each bit of all bits: comparisons, floats, conversions, counts
	FlowCopy                    // bit n of bit n of S0
	FlowReverse                 // bit n of bit 31-n or 63-n of S0
	FlowXor                     // bit n of the bits n
	FlowAnd                     // bit n of the bits n; a 0 decides
	FlowAndNot                  // as FlowAnd, S1 inverted
	FlowNotAnd                  // as FlowAnd, S0 inverted
	FlowOr                      // bit n of the bits n; a 1 decides
	FlowOrNot                   // as FlowOr, S1 inverted
	FlowNotOr                   // as FlowOr, S0 inverted
	FlowAdd                     // bit n of the bits up to n
	FlowSub                     // as FlowAdd; 0 if the sources are one register
	FlowMul                     // as FlowAdd; 0 if a source is 0
	FlowMul24                   // as FlowMul, of bits 23:0 of the sources
	FlowShl                     // the other source shifted left by the source whose type is not the type of the result
	FlowShr                     // right, with the sign if the result is signed
	FlowSelect                  // S0 or S1, as one bit decides: of a lane mask or SCC
	FlowInsert                  // S1 where S0 is 1, S2 where it is 0 (v_bfi_b32)
	FlowExtract                 // a field of S0 at S1 of S2 bits; the sign follows if the result is signed
	FlowField                   // as FlowExtract, both in S1 as s_bfe has them
	FlowAlignBits               // S0 and S1 as 64 bits, shifted right by S2 bits
	FlowAlignBytes              // by S2 bytes
	FlowBytes                   // the bytes of S0 and S1 that the bytes of S2 select (v_perm_b32)
	FlowPackLow                 // the low half of S0, then the low half of S1
	FlowPackLowHigh             // the low half of S0, then the high half of S1
	FlowPackHigh                // the high half of S0, then the high half of S1
	FlowEach                    // the low half of all bits of S0, the high half of all bits of S1
	FlowSigned8                 // bits 7:0 of S0 and their sign
	FlowSigned16                // bits 15:0
)

// flows are [Row.Flow] as the tables of rows write it.
type flows [2]Flow
