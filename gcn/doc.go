// Package gcn is the vocabulary of the simulator: targets, instruction rows,
// encoded instructions and resource descriptors of AMD's GCN architecture.
//
// An instruction is one [Row]. An encoded instruction is an [Inst]: its words,
// the row they select and the layout they follow. What differs between
// generations is data in this package ([Gen.Traits], the opcode columns of a
// row, the field layouts), so that no other package asks which generation runs.
package gcn
