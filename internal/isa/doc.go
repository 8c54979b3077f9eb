// Package isa is the machine room of package gcn: the tables of instructions, encodings and
// descriptor fields, and what is known about each instruction.
//
// An instruction is one [Row]. An encoded instruction is an [Inst]: its words,
// the row they select and the layout they follow. What differs between
// generations is data in this package ([TraitsOf], the opcode columns of a
// row, the field layouts), so that no other package asks which generation runs.
//
// Package gcn shows users the part of it that they need. Its types are those of this package,
// other than gcn.Inst, which converts to and from [Inst] at no cost. A method of a type that
// package gcn shows is a method for users; what only our packages ask is a function, [RowOf] for example.
package isa
