// Package r600 executes shaders of the first chips with unified shaders, R600 and R700. A program is control flow
// that starts clauses of ALU instructions and of fetches, and exports. A feature that is not modelled is an [Error]
// of kind [Fault] that names it.
//
// Instructions are words, or text in the notation of the driver, one macro a word: [Assemble], [Disassemble],
// [Explain]. [Load] decodes words to a [Program]. A [Machine] executes it: [Machine.Vertices] for vertices,
// [Machine.Rect] for the pixels of a rectangle, [Machine.Group] for threads with arbitrary registers. Sources: rules
// FS1 to FS10.
package r600
