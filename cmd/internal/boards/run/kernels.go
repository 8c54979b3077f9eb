package run

import (
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/cmd/internal/boards"
)

// kernel is the kernel that a figure measures, with its launch.
type kernel struct {
	groups int    // work-groups of the short execution, for each CU
	reads  []int  // bytes that a work-item reads from each buffer
	writes int    // bytes that it writes
	counts int    // bytes or operations of a work-item, in the figure's unit
	scalar []byte // the last argument, or nil
	random bool   // it reads at random positions in a buffer of randomBytes
}

const (
	group       = 256      // work-items in a work-group
	vectors     = 16       // vectors that a work-item of a bandwidth kernel moves
	chainSteps  = 2 * 64   // operations of a chain: pairs of steps times two
	blockReads  = 64       // reads of eight lanes
	blockBytes  = 128      // bytes that eight lanes read at once
	randomBytes = 64 << 20 // size of the buffer for random reads
)

// kernelOf returns the kernel that f measures, or nil if this package has none.
func kernelOf(f *boards.Figure) *kernel {
	name, width, _ := strings.Cut(f.Kernel, "_v")
	n, _ := strconv.Atoi(width)
	switch name {
	case "bw":
		return &kernel{groups: max(3, 24/n), reads: []int{4 * n * vectors}, writes: 4, counts: 4 * n * vectors}
	case "hp", "sp", "int", "i24":
		return &kernel{groups: 10, writes: 4, counts: 4 * chainSteps * n, scalar: make([]byte, 4)}
	case "dp":
		return &kernel{groups: 10, writes: 8, counts: 4 * chainSteps, scalar: make([]byte, 8)}
	case "st_copy", "st_mul":
		return &kernel{groups: 80, reads: []int{8}, writes: 8, counts: 16}
	case "st_add", "st_triad":
		return &kernel{groups: 80, reads: []int{8, 8}, writes: 8, counts: 24}
	case "rnd128":
		return &kernel{groups: 4, writes: 4, counts: blockReads * blockBytes / 8, random: true}
	}
	return nil
}

// name returns the name of the kernel in kernels.cl.
func name(f *boards.Figure) string {
	if f.Class() == boards.Quarters {
		return strings.Replace(f.Kernel, "bw_", "bwq_", 1)
	}
	return f.Kernel
}
