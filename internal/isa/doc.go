// Package isa contains the tables behind package gcn: instructions, encodings and descriptor fields, and the facts
// about each instruction.
//
// An instruction is one [Row]. An encoded instruction is an [Inst]: its words, the row that they select and their
// layout. Differences between generations are data in this package ([TraitsOf], the opcode columns of a row, the
// field layouts), so that other packages do not test the generation.
//
// Package gcn exports the subset that users need. Its types are those of this package, except for gcn.Inst, which
// converts to and from [Inst] at no cost. Methods of a type that package gcn exports are for users; operations for
// packages of this module only are functions, for example [RowOf].
package isa
