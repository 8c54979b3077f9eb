// Package mimg executes the image instructions: IMAGE_LOAD, STORE and atomics, queries,
// and those that filter. It finds texels with package tile, converts them with package
// format, and keeps what it makes of a T# in [state.Images]. Sources: seed
// GcnMemHandling, images; spec/images.md; spec/tiling.md.
package mimg
