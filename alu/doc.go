// Package alu executes the scalar and vector arithmetic and the program control of a wave: SOP1, SOP2, SOPC, SOPK,
// SOPP, VOP1, VOP2, VOPC, VOP3 and VOP3P.
//
// Each instruction is decoded once, to a function that executes it on a wave. A table maps each row to its operation;
// operand fetch, modifiers and the write under EXEC are shared by all operations. Semantics follow the AMD GCN ISA
// manuals as CLRX documents them (pages CLRX GcnInstrsSop1 to CLRX GcnInstrsVop3p), unless a comment names another
// source. Floating-point exceptions are computed separately, only for callers that need them; see raisedBy.
//
// Functions that return kernels for the tables are marked noinline. If the compiler inlined them into package
// initialization, it would no longer inline the functions that their closures call for every lane.
package alu
