//go:build linux && (amd64 || arm64)

package guest

import (
	"debug/elf"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/device"
)

// TestImages: code objects are found by their headers, wherever they lie; programs for CPUs are left out.
func TestImages(t *testing.T) {
	header := func(m elf.Machine) []byte {
		h := elf.Header64{Machine: uint16(m), Shoff: 1000, Shentsize: 64, Shnum: 5}
		copy(h.Ident[:], elf.ELFMAG+"\x02\x01\x01")
		b, err := binary.Append(nil, binary.LittleEndian, h)
		require.NoError(t, err)
		return b
	}
	b := make([]byte, 1000)
	copy(b[4:], header(elf.EM_AMDGPU))
	copy(b[101:], header(elf.EM_X86_64))
	copy(b[333:], header(elf.EM_AMDGPU))
	copy(b[990:], header(elf.EM_AMDGPU)) // an incomplete object
	assert.Equal(t, []device.Loaded{{Addr: 0x7004, Bytes: 1320}, {Addr: 0x714d, Bytes: 1320}}, images(b, 0x7000))
}
