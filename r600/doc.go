// Package r600 runs the copy shaders of the Radeon X driver as the chips before GCN did,
// R600 to Cayman: control flow instructions that start clauses, vertex fetch, texture fetch
// and exports. It is for teaching how buffer and image instructions came to be, not an
// engine: what those two programs do not use is an [Error] of kind [Fault] that names it.
//
// Instructions are bits of words or text in the notation of the driver, one macro a word
// ([Assemble], [Disassemble]). [Load] makes words a [Program], which a [Machine] runs:
// [Machine.Vertices] for vertices, [Machine.Rect] for the pixels of a rectangle. Sources: rules FS1
// to FS8.
package r600
