//go:build linux && (amd64 || arm64)

package device

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// kfdHeader lists the ioctls of linux/kfd_ioctl.h: number, bytes of the struct, and name without AMDKFD_IOC_. The
// first part is from Linux 6.18 and the amdgpu tree for Linux 7 (CREATE_PROCESS). The second part is from libhsakmt
// of October 2024, whose ioctls AMD's own driver implements, and from the amdgpu tree (PROFILER). Number 0x82 was
// DBG_TRAP until ROCm 5.2. A dash is a size that these sources do not give.
const kfdHeader = `
01   8 GET_VERSION
02  96 CREATE_QUEUE
03   8 DESTROY_QUEUE
04  32 SET_MEMORY_POLICY
05  40 GET_CLOCK_COUNTERS
06 400 GET_PROCESS_APERTURES
07  24 UPDATE_QUEUE
08  32 CREATE_EVENT
09   8 DESTROY_EVENT
0a   8 SET_EVENT
0b   8 RESET_EVENT
0c  24 WAIT_EVENTS
0d   8 DBG_REGISTER
0e   8 DBG_UNREGISTER
0f  16 DBG_ADDRESS_WATCH
10  16 DBG_WAVE_CONTROL
11  16 SET_SCRATCH_BACKING_VA
12  40 GET_TILE_CONFIG
13  24 SET_TRAP_HANDLER
14  16 GET_PROCESS_APERTURES_NEW
15   8 ACQUIRE_VM
16  40 ALLOC_MEMORY_OF_GPU
17   8 FREE_MEMORY_OF_GPU
18  24 MAP_MEMORY_TO_GPU
19  24 UNMAP_MEMORY_FROM_GPU
1a  16 SET_CU_MASK
1b  24 GET_QUEUE_WAVE_STATE
1c  32 GET_DMABUF_INFO
1d  24 IMPORT_DMABUF
1e  16 ALLOC_QUEUE_GWS
1f   8 SMI_EVENTS
20  24 SVM
21   4 SET_XNACK_MODE
22  56 CRIU_OP
23  16 AVAILABLE_MEMORY
24  16 EXPORT_DMABUF
25  16 RUNTIME_ENABLE
26  32 DBG_TRAP
27   0 CREATE_PROCESS

80  48 IPC_IMPORT_HANDLE
81  32 IPC_EXPORT_HANDLE
82   - DBG_TRAP of ROCm before 5.3
83  48 CROSS_MEMORY_COPY
84  32 RLC_SPM
85  32 PC_SAMPLE
86   - PROFILER
`

// TestKFDHeader: each ioctl of the newest header is either implemented with a struct of the same size, or refused
// with its name. No other ioctl is known.
func TestKFDHeader(t *testing.T) {
	var log strings.Builder
	r := newRuntime(t, Options{Chip: "vega10", MemoryBytes: 64 << 20, Log: &log})
	known := 0
	for line := range strings.Lines(kfdHeader) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		number, err := strconv.ParseUint(fields[0], 16, 8)
		require.NoError(t, err)
		nr, name := uint8(number), strings.Join(fields[2:], " ")
		known++
		if e, ok := kfdIoctls[nr]; ok {
			assert.Equal(t, name, e.name)
			assert.Equal(t, fields[1], strconv.Itoa(e.size), name)
			continue
		}
		log.Reset()
		assert.EqualValues(t, 25, r.call(nr, &[8]byte{}, nil), name) // ENOTTY
		if assert.Equal(t, name, kfdRefused[nr]); !kfdTried[nr] {
			assert.Contains(t, log.String(), name+" is not answered")
		} else {
			assert.Empty(t, log.String())
		}
	}
	assert.Len(t, kfdIoctls, known-len(kfdRefused))
	var version kfdVersion
	require.Zero(t, r.call(0x01, &version, &version))
	assert.Equal(t, kfdVersion{1, 11}, version, "from 1.9 on runtimes ask for AVAILABLE_MEMORY, from 1.12 on for dma-bufs")
}
