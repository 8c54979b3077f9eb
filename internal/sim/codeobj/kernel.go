package codeobj

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/hidden"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
)

// Kernel holds what a launch needs to know about a kernel.
type Kernel struct {
	Name       string
	Descriptor uint64 // address of the kernel descriptor or amd_kernel_code_t, relative to the load base
	Entry      uint64 // address of the first instruction, relative to the load base

	GroupBytes   uint32 // static LDS of a work-group
	PrivateBytes uint32 // scratch of a work-item
	KernargBytes uint32 // kernarg segment, hidden arguments included

	RSRC         gcn.RSRC // COMPUTE_PGM_RSRC1 to 3
	VGPRs, SGPRs int      // registers a wave is given, VCC and its kin included

	initSGPRs     []InitSGPR // from s0 on, user SGPRs first
	UserSGPRs     int        // COMPUTE_PGM_RSRC2.USER_SGPR: where system SGPRs begin
	WorkItemVGPRs int        // v0 up to v2 hold that many work-item ids

	scratchElementBytes int // ELEMENT_SIZE of the private segment buffer, bytes

	// From the metadata; zero if the object has none.
	Args             []Arg     // by position, hidden ones last
	ReqdGroupSize    [3]uint32 // reqd_work_group_size, 0 if any size will do
	MaxFlatGroupSize uint32    // work-items of a work-group, 0 if unknown
	UniformGroups    bool      // the kernel relies on it that all work-groups are full
	UsesDynamicStack bool      // PrivateBytes is not all the scratch it may use
}

// SGPRItem is a value that dispatch puts into SGPRs.
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
	WorkGroupIDX // the first system SGPR
	WorkGroupIDY
	WorkGroupIDZ
	WorkGroupInfo
	PrivateSegmentWaveByteOffset
	numSGPRItems
)

// sgprItems gives each item's registers and enable bit: of the properties up to
// GridWorkGroupCountZ, then of COMPUTE_PGM_RSRC2 (rule ST12).
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

// InitSGPR says which registers hold a value when a wave starts.
type InitSGPR struct {
	Item         SGPRItem
	First, Count int
}

// Arg is a kernel argument.
type Arg struct {
	Name         string // empty if the compiler did not say (-cl-kernel-arg-info)
	TypeName     string
	Offset, Size uint32 // bytes within the kernarg segment
	align        uint32 // bytes; v2 only, later versions give offsets alone
	Kind         ArgKind
	Hidden       bool   // the runtime, not the caller, gives it
	ValueKind    string // Kind as the metadata spells it
	addressSpace string // of a pointer, as the metadata spells it
	PointeeAlign uint32 // bytes, of a dynamic shared pointer
	// NoAlias: no pointer of another argument points into the same buffer. It is restrict, or of constant memory.
	NoAlias bool
}

// ArgKind says what an argument holds.
type ArgKind uint8

// The kinds of arguments that callers give. Other arguments ([Arg.Hidden] is set) have a name alone. Source:
// AMDGPUUsage, "value_kind".
const (
	ByValue ArgKind = iota
	GlobalBuffer
	DynamicSharedPointer // 32-bit LDS offset of memory the dispatch adds
	Sampler
	Image
	Pipe
	Queue
	firstHidden         = iota // the kinds of package hidden follow
	numArgKinds ArgKind = hidden.End
)

var _ = [1]struct{}{}[hidden.First-firstHidden] // they are equal: no other index compiles

// argKindNames spells those kinds in v3 and later, and in v2.
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

// String returns the name in v3 and later metadata.
func (k ArgKind) String() string {
	if k < numArgKinds {
		return k.names()[0]
	}
	return "unknown"
}

// names spells one of the kinds in v3 and later, and in v2.
func (k ArgKind) names() [2]string {
	if k < firstHidden {
		return argKindNames[k]
	}
	return hidden.Names[k-hidden.First]
}
