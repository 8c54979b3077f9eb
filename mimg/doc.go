// Package mimg executes the image instructions: IMAGE_LOAD, STORE and atomics, queries, and those that filter. It
// finds texels with package tile, converts them with package format, and caches decoded T#s. [Taps] returns the
// texels that a lane samples and needs no machine. Sources: the handbook's chapters on images, tiling and sampling.
package mimg
