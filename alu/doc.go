// Package alu executes the scalar and vector arithmetic of a wave and its program
// control: SOP1, SOP2, SOPC, SOPK, SOPP, VOP1, VOP2, VOPC, VOP3 and VOP3P.
//
// Each instruction is decoded once, to a function that runs it on a wave.
// A table holds the operation of each row; operand fetch, modifiers and the write under EXEC are
// in one place for all of them. Semantics follow the AMD GCN ISA manuals as CLRX documents
// them (pages CLRX GcnInstrsSop1 to CLRX GcnInstrsVop3p), unless a comment says otherwise.
// What floating-point exceptions an instruction raises is computed beside it, if somebody asks: see raisedBy.
//
// Functions that make kernels for the tables are marked noinline. The compiler would
// inline them into package initialization and then no longer inline what their
// closures call in every lane.
package alu
