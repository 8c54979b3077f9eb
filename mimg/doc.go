// Package mimg executes the image instructions: IMAGE_LOAD, STORE and atomics, queries,
// and those that filter. It finds texels with package tile, converts them with package
// format, and keeps what it makes of a T# for the next instruction. [Taps] says,
// without a machine, which texels a lane samples. Sources: the handbook's chapters on images,
// tiling and sampling.
package mimg
