// Package tile computes the memory layout of images: the offsets of all mip levels of a surface, and the byte address
// of an element.
//
// Inputs are the tiling registers of a chip ([Registers]; [Preset] returns those that a driver programs) and the
// description of the surface in a resource ([Surface]). [Registers.Layout] computes the offsets of the levels,
// [Layout.Plan] prepares one level, and [Plan.Lanes] computes the addresses of 64 lanes.
//
// An element is a texel or, in block-compressed formats, a block. The address of an element combines one term for
// each bit of each coordinate: one part of a term is added, the other part is XORed (see equation). One table per
// coordinate is therefore enough, and no division is needed per texel.
//
// Sources: the handbook's chapter on tiling, which follows addrlib, AMD's address library and the drivers' model of
// the hardware. A case that it does not define is an [Error] of kind [NotSupported], or is listed in
// [Layout.Assumed].
package tile
