package codeobj

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/hidden"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
)

// Kernel holds the properties of a kernel that a launch uses.
type Kernel struct {
	Name       string
	Descriptor uint64 // address of the kernel descriptor or amd_kernel_code_t, relative to the load base
	Entry      uint64 // address of the first instruction, relative to the load base

	GroupBytes   uint32 // bytes of static LDS per work-group
	PrivateBytes uint32 // bytes of scratch per work-item
	KernargBytes uint32 // bytes of the kernarg segment, including hidden arguments

	RSRC         gcn.RSRC // COMPUTE_PGM_RSRC1 to 3
	VGPRs, SGPRs int      // numbers of registers allocated to a wave, including VCC and similar

	initSGPRs     []InitSGPR // registers from s0 on, user SGPRs first
	UserSGPRs     int        // COMPUTE_PGM_RSRC2.USER_SGPR: number of the first system SGPR
	WorkItemVGPRs int        // number of work-item ids in v0 to v2

	scratchElementBytes int // ELEMENT_SIZE of the private segment buffer in bytes

	// From the metadata; zero if the object has none.
	Args             []Arg     // by position, hidden ones last
	ReqdGroupSize    [3]uint32 // reqd_work_group_size, 0 if any size is allowed
	MaxFlatGroupSize uint32    // largest number of work-items in a work-group, 0 if unknown
	UniformGroups    bool      // the kernel requires that all work-groups are full
	UsesDynamicStack bool      // the kernel may use more scratch than PrivateBytes
}

// SGPRItem is a value that a dispatch writes to SGPRs.
type SGPRItem uint8

// The values, in the order of their registers (rule ST12).
const (
	PrivateSegmentBuffer SGPRItem = iota // V# of scratch
	DispatchPtr
	QueuePtr
	KernargSegmentPtr
	DispatchID
	FlatScratchInit
	PrivateSegmentSize
	GridWorkGroupCountX // v2 only
	GridWorkGroupCountY
	GridWorkGroupCountZ
	WorkGroupIDX // the first of the system SGPRs
	WorkGroupIDY
	WorkGroupIDZ
	WorkGroupInfo
	PrivateSegmentWaveByteOffset
	numSGPRItems
)

// sgprItems has the number of registers and the enable bit of each item: a bit of the properties up to
// GridWorkGroupCountZ, then a bit of COMPUTE_PGM_RSRC2 (rule ST12).
var sgprItems = [numSGPRItems]struct {
	count int
	bit   uint8
}{
	PrivateSegmentBuffer:         {4, 0},
	DispatchPtr:                  {2, 1},
	QueuePtr:                     {2, 2},
	KernargSegmentPtr:            {2, 3},
	DispatchID:                   {2, 4},
	FlatScratchInit:              {2, 5},
	PrivateSegmentSize:           {1, 6},
	GridWorkGroupCountX:          {1, 7},
	GridWorkGroupCountY:          {1, 8},
	GridWorkGroupCountZ:          {1, 9},
	WorkGroupIDX:                 {1, 7},
	WorkGroupIDY:                 {1, 8},
	WorkGroupIDZ:                 {1, 9},
	WorkGroupInfo:                {1, 10},
	PrivateSegmentWaveByteOffset: {1, 0},
}

var _ = enum.Full[SGPRItem](sgprItems[:])

// InitSGPR describes the registers that hold an item when a wave starts.
type InitSGPR struct {
	Item         SGPRItem
	First, Count int
}

// Arg is a kernel argument.
type Arg struct {
	Name         string // empty if the compiler did not record it (-cl-kernel-arg-info)
	TypeName     string
	Offset, Size uint32 // bytes, in the kernarg segment
	align        uint32 // bytes; used in v2 only, since later versions have offsets
	Kind         ArgKind
	Hidden       bool   // the runtime sets it, not the caller
	ValueKind    string // kind in the spelling of the metadata
	addressSpace string // address space of a pointer, in the spelling of the metadata
	PointeeAlign uint32 // alignment in bytes of a dynamic shared pointer's memory
	// NoAlias is set if no pointer of another argument points into the same buffer: the pointer is restrict, or points
	// to constant memory.
	NoAlias bool
}

// ArgKind is the kind of an argument.
type ArgKind uint8

// The kinds of arguments that callers pass. Other arguments have [Arg.Hidden] set; for them only the name is known.
// Source: AMDGPUUsage, "value_kind".
const (
	ByValue ArgKind = iota
	GlobalBuffer
	DynamicSharedPointer // 32-bit LDS offset of memory that the dispatch allocates
	Sampler
	Image
	Pipe
	Queue
	firstHidden         = iota // the kinds of package hidden follow
	numArgKinds ArgKind = hidden.End
)

var _ = [1]struct{}{}[hidden.First-firstHidden] // fails to compile unless the two constants are equal

// argKindNames has the spelling of those kinds in v3 and later, and in v2.
var argKindNames = [firstHidden][2]string{
	ByValue:              {"by_value", "ByValue"},
	GlobalBuffer:         {"global_buffer", "GlobalBuffer"},
	DynamicSharedPointer: {"dynamic_shared_pointer", "DynamicSharedPointer"},
	Sampler:              {"sampler", "Sampler"},
	Image:                {"image", "Image"},
	Pipe:                 {"pipe", "Pipe"},
	Queue:                {"queue", "Queue"},
}

var _ = enum.Full[ArgKind](argKindNames[:])

// String returns the name of the kind in the metadata of v3 and later.
func (k ArgKind) String() string {
	if k < numArgKinds {
		return k.names()[0]
	}
	return "unknown"
}

// names returns the spelling of a kind in v3 and later, and in v2.
func (k ArgKind) names() [2]string {
	if k < firstHidden {
		return argKindNames[k]
	}
	return hidden.Names[k-hidden.First]
}
