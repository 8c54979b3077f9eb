// Package r600 runs shaders as the first chips with unified shaders did, R600 and R700: control flow that starts
// clauses of ALU instructions and of fetches, and exports. What it does not execute is an [Error] of kind [Fault] that
// names it. Instructions are bits of words or text in the notation of the driver, one macro a word: [Assemble],
// [Disassemble], [Explain]. [Load] makes words a [Program], which a [Machine] runs: [Machine.Vertices] for vertices,
// [Machine.Rect] for the pixels of a rectangle, [Machine.Group] for threads with any registers. Sources: rules FS1 to
// FS10.
package r600
