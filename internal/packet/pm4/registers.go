package pm4

import "fmt"

// Byte addresses of the registers that affect dispatches. Source: the amdgpu kernel driver, gfx_6_0_d.h and its
// successors. Except for the address of border colours they are the same on all generations.
const (
	ComputeStartX        = 0xb810 // also the address of Y, then Z
	ComputeNumThreadX    = 0xb81c // also the address of Y, then Z
	ComputePgmLo         = 0xb830
	ComputePgmHi         = 0xb834
	ComputePgmRsrc1      = 0xb848
	ComputePgmRsrc2      = 0xb84c
	ComputeTmpringSize   = 0xb860
	ComputeUserData0     = 0xb900 // also the address of registers 1 to 15
	TaCsBcBaseAddrConfig = 0x950c // GCN 1.0 only
	TaCsBcBaseAddr       = 0x30e00
	TaCsBcBaseAddrHi     = 0x30e04

	SqThreadTraceUserdata2 = 0x30d08 // also the address of register 3: markers for profilers
)

// register names a series of registers.
type register struct {
	addr  uint32
	count uint32
	name  string
}

// registers are the named registers. %d is the number within a series, as in CB_COLOR0_BASE.
var registers = []register{
	{TaCsBcBaseAddrConfig, 1, "TA_CS_BC_BASE_ADDR"},
	{0xb800, 1, "COMPUTE_DISPATCH_INITIATOR"}, {0xb804, 1, "COMPUTE_DIM_X"}, {0xb808, 1, "COMPUTE_DIM_Y"},
	{0xb80c, 1, "COMPUTE_DIM_Z"}, {ComputeStartX, 1, "COMPUTE_START_X"}, {ComputeStartX + 4, 1, "COMPUTE_START_Y"},
	{ComputeStartX + 8, 1, "COMPUTE_START_Z"}, {ComputeNumThreadX, 1, "COMPUTE_NUM_THREAD_X"},
	{ComputeNumThreadX + 4, 1, "COMPUTE_NUM_THREAD_Y"}, {ComputeNumThreadX + 8, 1, "COMPUTE_NUM_THREAD_Z"},
	{0xb82c, 1, "COMPUTE_PIPELINESTAT_ENABLE"},
	{ComputePgmLo, 1, "COMPUTE_PGM_LO"}, {ComputePgmHi, 1, "COMPUTE_PGM_HI"}, {0xb838, 1, "COMPUTE_TBA_LO"},
	{0xb83c, 1, "COMPUTE_TBA_HI"}, {0xb840, 1, "COMPUTE_TMA_LO"}, {0xb844, 1, "COMPUTE_TMA_HI"},
	{ComputePgmRsrc1, 1, "COMPUTE_PGM_RSRC1"}, {ComputePgmRsrc2, 1, "COMPUTE_PGM_RSRC2"},
	{0xb854, 1, "COMPUTE_RESOURCE_LIMITS"}, {0xb858, 2, "COMPUTE_STATIC_THREAD_MGMT_SE%d"},
	{ComputeTmpringSize, 1, "COMPUTE_TMPRING_SIZE"}, {0xb864, 1, "COMPUTE_STATIC_THREAD_MGMT_SE2"},
	{0xb868, 1, "COMPUTE_STATIC_THREAD_MGMT_SE3"}, {0xb86c, 1, "COMPUTE_RESTART_X"}, {0xb870, 1, "COMPUTE_RESTART_Y"},
	{0xb874, 1, "COMPUTE_RESTART_Z"}, {0xb878, 1, "COMPUTE_THREAD_TRACE_ENABLE"}, {0xb87c, 1, "COMPUTE_MISC_RESERVED"},
	{ComputeUserData0, 16, "COMPUTE_USER_DATA_%d"},
	{SqThreadTraceUserdata2, 1, "SQ_THREAD_TRACE_USERDATA_2"},
	{SqThreadTraceUserdata2 + 4, 1, "SQ_THREAD_TRACE_USERDATA_3"},
	{TaCsBcBaseAddr, 1, "TA_CS_BC_BASE_ADDR"}, {TaCsBcBaseAddrHi, 1, "TA_CS_BC_BASE_ADDR_HI"},
}

// RegisterName returns the name of the register at a byte address, or the address as text if it has no name here, as
// for graphics registers.
func RegisterName(addr uint32) string {
	for _, r := range registers {
		switch i := (addr - r.addr) / 4; {
		case addr < r.addr || i >= r.count:
		case r.count == 1:
			return r.name
		default:
			return fmt.Sprintf(r.name, i)
		}
	}
	return fmt.Sprintf("register 0x%05x", addr)
}
