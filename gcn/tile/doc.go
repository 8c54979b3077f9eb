// Package tile computes where the texels of an image lie in memory: the layout of all
// mip levels of a surface, and the byte address of an element.
//
// Inputs are the tiling registers of a chip ([Registers]; [Preset] has those a driver
// programs) and what a resource says of the surface ([Surface]). [Registers.Layout]
// places the levels, [Layout.Plan] prepares one level, and [Plan.Lanes] gives the
// addresses of 64 lanes.
//
// An element is a texel or, where a block has one address, a block of a
// block-compressed format. Every address is a sum of terms of the coordinates' bits plus
// an exclusive or of such terms (see equation), which is why a table per coordinate is
// enough and nothing is divided per texel.
//
// Sources: the handbook's chapter on tiling, which follows AMD's addrlib, the drivers'
// model of the hardware. What it leaves open is an [Error] that says [NotSupported] or marked in
// [Layout.Assumed].
package tile
