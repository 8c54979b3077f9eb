//go:build linux && (amd64 || arm64)

package device

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/isa/chip"
)

func TestVersion(t *testing.T) {
	c := newClient(t, Options{Chip: "fiji"})
	var v drmVersion
	c.must(0x00, &v, &v)
	assert.EqualValues(t, []int32{3, 49}, []int32{v.Major, v.Minor})
	assert.EqualValues(t, len("amdgpu"), v.NameLen)
	v.Name = c.put(make([]byte, v.NameLen))
	v.DateLen = 0
	c.must(0x00, &v, &v)
	name, err := c.at(v.Name, 6)
	require.NoError(t, err)
	assert.Equal(t, "amdgpu", string(name))
}

// The structs have the sizes of the kernel's: _IOC_SIZE and sizeof from drm.h and amdgpu_drm.h of libdrm 2.4.114.
func TestStructSizes(t *testing.T) {
	sizes := map[uint8]int{
		0x00: 64, 0x09: 8, 0x0c: 16, 0x2d: 12, 0x2e: 12,
		0x40: 32, 0x41: 8, 0x42: 16, 0x43: 24, 0x44: 24, 0x45: 32, 0x46: 288, 0x47: 16, 0x48: 40, 0x49: 32,
		0x50: 16, 0x51: 24, 0x52: 24, 0x53: 8, 0x54: 32, 0x55: 16,
		0xbf: 8, 0xc0: 8, 0xc1: 16, 0xc2: 16, 0xc3: 32, 0xc4: 16, 0xc5: 16, 0xca: 40, 0xcb: 24, 0xcc: 32, 0xcd: 24,
	}
	require.Len(t, sizes, len(ioctls))
	for nr, size := range sizes {
		assert.Equal(t, size, ioctls[nr].size, "%#x %s", nr, ioctls[nr].name)
	}
	assert.Equal(t, 368, binary.Size(deviceInfo{}))
	assert.Equal(t, 96, binary.Size(memoryInfo{}))
	assert.Equal(t, 32, binary.Size(hwIPInfo{}))
	assert.Equal(t, 32, binary.Size(ibChunk{}))
}

// The reported properties of each chip are consistent with each other and with the tiling registers.
func TestDeviceInfo(t *testing.T) {
	for _, row := range chip.All() {
		c := newClient(t, Options{Chip: row.Name})
		var info deviceInfo
		require.Zero(t, c.query(0x16, &info), row.Name)
		cus := 0
		for _, se := range info.CUBitmap {
			for _, sh := range se {
				cus += bits.OnesCount32(sh)
			}
		}
		assert.EqualValues(t, info.CUs, cus, row.Name)
		assert.EqualValues(t, info.RBs, bits.OnesCount32(info.RBMask), row.Name)
		assert.Zero(t, info.HighVAEnd, row.Name)
		var reg uint32
		require.Zero(t, c.query(0x15, &reg, 0x263e, 1, 0xffffffff), row.Name)
		assert.Equal(t, row.Tiling.AddrConfig, reg, row.Name)
		if row.Tiling.Modes != nil {
			var modes [32]uint32
			require.Zero(t, c.query(0x15, &modes, 0x2644, 32, 0xffffffff), row.Name)
			assert.Equal(t, *row.Tiling.Modes, modes, row.Name)
		}
		var ip hwIPInfo
		require.Zero(t, c.query(0x02, &ip, 1), row.Name)
		assert.EqualValues(t, 0xf, ip.Rings, row.Name)
		assert.Equal(t, row.Target.String()[3:len(row.Target.String())-2], string(rune('0'+ip.Major)), row.Name)
	}
}

// An answer is cut to the size of the caller's buffer, and an unknown query is named in the log.
func TestInfoRoomAndUnknown(t *testing.T) {
	var log strings.Builder
	c := newClient(t, Options{Chip: "tahiti", Log: &log})
	var short [4]byte
	require.Zero(t, c.query(0x16, &short))
	assert.Equal(t, [4]byte{0x98, 0x67, 0, 0}, short)
	var v uint32
	assert.Equal(t, syscall.EINVAL, c.query(0x99, &v))
	assert.Equal(t, syscall.EFAULT, c.query(0x15, &v, 0x1234, 1))
	assert.Equal(t, syscall.ENOTTY, c.ioctl(0x5f, &v, nil))
	for _, nr := range []uint8{0x02, 0x05, 0x0a, 0x0b, 0x0d, 0xa0, 0xb5} { // ioctls that render nodes do not have
		assert.Equal(t, syscall.EACCES, c.ioctl(nr, &v, nil))
	}
	assert.Equal(t, "file 1: INFO query 0x99 is not answered: EINVAL\n"+
		"file 1: READ_MMR_REG of register 0x1234, which is not known: EFAULT\n"+
		"file 1: ioctl 0x5f is not answered: ENOTTY\n", log.String())
}

func TestUnknownChip(t *testing.T) {
	_, err := New(Options{Chip: "navi10"})
	require.ErrorContains(t, err, "tahiti")
}
