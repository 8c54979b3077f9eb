// Package r600 runs shaders and kernels as the chips before GCN did, R600 to Cayman: control flow instructions that
// start clauses of ALU instructions, vertex fetches and texture fetches, exports, and exports to memory. It is for
// teaching how buffer and image instructions came to be, and for what LLVM compiles for those chips. What it does not
// execute is an [Error] of kind [Fault] that names it.
//
// Instructions are bits of words or text in the notation of the driver, one macro a word ([Assemble], [Disassemble],
// [Explain]). [Load] makes words a [Program], which a [Machine] runs: [Machine.Vertices] for vertices, [Machine.Rect]
// for the pixels of a rectangle, [Machine.Compute] for a kernel, [Machine.Group] for threads with any registers.
// Sources: rules FS1 to FS12.
package r600
