package boards

import "strings"

// kernel is what a figure measures.
type kernel struct {
	class  string
	group  uint32 // work-items of a work-group
	groups int    // work-groups of a run, for each CU
	// bytes that one work-item reads from each of the buffers it reads and writes to the last
	// one, and operations that it does.
	reads  []int
	writes int
	counts int    // of what a work-item does, in the unit of the figure: bytes, operations or steps
	scalar []byte // the argument after the buffers: as in OpenCL, 4 or 8 bytes
}

// The classes of figures.
const (
	Streaming  = "streaming reads"
	Quarters   = "reads with stride"
	Mixed      = "reads and writes"
	Random     = "random reads"
	Arithmetic = "vector arithmetic"
	Latency    = "latency"
)

const (
	vectors     = 16       // of a work-item of the bandwidth kernels
	chainSteps  = 2 * 64   // pairs of steps of a chain, times two operations each
	blockReads  = 64       // of eight lanes
	blockBytes  = 128      // of eight lanes, one read
	randomBytes = 64 << 20 // where random reads go
)

// kernelOf returns what f measures, nil for what no kernel here does.
func kernelOf(f *Figure) *kernel {
	name, width, _ := strings.Cut(f.Kernel, "_v")
	n := int(number(width))
	switch name {
	case "bw":
		k := &kernel{class: Streaming, group: 256, groups: 24, reads: []int{4 * n * vectors}, writes: 4, counts: 4 * n * vectors}
		if strings.HasPrefix(f.Use, "order") {
			k.class = Quarters
		}
		k.groups = max(3, 24/n)
		return k
	case "hp":
		return &kernel{class: Arithmetic, group: 256, groups: 10, writes: 4, counts: 4 * chainSteps * n, scalar: make([]byte, 4)}
	case "sp", "int", "i24":
		return &kernel{class: Arithmetic, group: 256, groups: 10, writes: 4, counts: 4 * chainSteps * n, scalar: make([]byte, 4)}
	case "dp":
		return &kernel{class: Arithmetic, group: 256, groups: 10, writes: 8, counts: 4 * chainSteps, scalar: make([]byte, 8)}
	case "st_copy", "st_mul":
		return &kernel{class: Mixed, group: 256, groups: 80, reads: []int{8}, writes: 8, counts: 16}
	case "st_add", "st_triad":
		return &kernel{class: Mixed, group: 256, groups: 80, reads: []int{8, 8}, writes: 8, counts: 24}
	case "rnd128":
		return &kernel{class: Random, group: 256, groups: 4, writes: 4, counts: blockReads * blockBytes / 8}
	case "chase_L1", "chase_L2", "chase_DRAM_31MB", "chase_DRAM_1GB":
		return &kernel{class: Latency}
	}
	return nil
}

// name returns the name of the kernel in kernels.cl.
func (f *Figure) name() string {
	if kernelOf(f).class == Quarters {
		return strings.Replace(f.Kernel, "bw_", "bwq_", 1)
	}
	return f.Kernel
}
