// Package r600 runs shaders and kernels as the chips before GCN did, R600 to Cayman: control flow that starts clauses
// of ALU instructions and fetches, exports, and exports to memory. What it does not execute is an [Error] of kind
// [Fault] that names it. Instructions are bits of words or text in the notation of the driver, one macro a word:
// [Assemble], [Disassemble], [Explain]. [Load] makes words a [Program], which a [Machine] runs: [Machine.Vertices]
// for vertices, [Machine.Rect] for the pixels of a rectangle, [Machine.Compute] for a kernel, [Machine.Group] for
// threads with any registers. Sources: rules FS1 to FS12.
package r600
