// Package hidden defines the kinds of kernel arguments that the runtime sets, not the caller. Package codeobj reads
// them and package sim sets them. Source: LLVM AMDGPUUsage, "value_kind".
package hidden

// First is the first of the kinds, which are values of codeobj.ArgKind.
const First = 7

// The kinds of hidden arguments.
const (
	GlobalOffsetX = First + iota
	GlobalOffsetY
	GlobalOffsetZ
	None
	PrintfBuffer
	HostcallBuffer
	DefaultQueue
	CompletionAction
	MultiGridSyncArg
	BlockCountX // the kinds from here on exist in v5
	BlockCountY
	BlockCountZ
	GroupSizeX
	GroupSizeY
	GroupSizeZ
	RemainderX
	RemainderY
	RemainderZ
	GridDims
	HeapV1
	DynamicLDSSize
	PrivateBase
	SharedBase
	QueuePtr
	End // one more than the last kind
)

// Names has the spelling of the kinds, from First on, in metadata of code objects v3 and later, and of v2.
var Names = [End - First][2]string{
	GlobalOffsetX - First:    {"hidden_global_offset_x", "HiddenGlobalOffsetX"},
	GlobalOffsetY - First:    {"hidden_global_offset_y", "HiddenGlobalOffsetY"},
	GlobalOffsetZ - First:    {"hidden_global_offset_z", "HiddenGlobalOffsetZ"},
	None - First:             {"hidden_none", "HiddenNone"},
	PrintfBuffer - First:     {"hidden_printf_buffer", "HiddenPrintfBuffer"},
	HostcallBuffer - First:   {"hidden_hostcall_buffer", "HiddenHostcallBuffer"},
	DefaultQueue - First:     {"hidden_default_queue", "HiddenDefaultQueue"},
	CompletionAction - First: {"hidden_completion_action", "HiddenCompletionAction"},
	MultiGridSyncArg - First: {"hidden_multigrid_sync_arg", "HiddenMultiGridSyncArg"},
	BlockCountX - First:      {"hidden_block_count_x", ""},
	BlockCountY - First:      {"hidden_block_count_y", ""},
	BlockCountZ - First:      {"hidden_block_count_z", ""},
	GroupSizeX - First:       {"hidden_group_size_x", ""},
	GroupSizeY - First:       {"hidden_group_size_y", ""},
	GroupSizeZ - First:       {"hidden_group_size_z", ""},
	RemainderX - First:       {"hidden_remainder_x", ""},
	RemainderY - First:       {"hidden_remainder_y", ""},
	RemainderZ - First:       {"hidden_remainder_z", ""},
	GridDims - First:         {"hidden_grid_dims", ""},
	HeapV1 - First:           {"hidden_heap_v1", ""},
	DynamicLDSSize - First:   {"hidden_dynamic_lds_size", ""},
	PrivateBase - First:      {"hidden_private_base", ""},
	SharedBase - First:       {"hidden_shared_base", ""},
	QueuePtr - First:         {"hidden_queue_ptr", ""},
}
