package r600

import _ "embed" // the programs

// The copy shaders for [R600], as [Assemble] takes them: CopyVS fetches the position and
// the texture coordinate of a vertex, CopyPS the texel of a pixel.
var (
	//go:embed copy_vs.txt
	CopyVS string
	//go:embed copy_ps.txt
	CopyPS string
)
