package state_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/state"
)

func TestAccess(t *testing.T) {
	a := state.Access{Op: gcn.Load, Elem: 4, Count: 2, Exec: 0xf0}
	a.Addr[4] = 0x100
	require.Equal(t, uint64(0x104), a.At(1, 4))
	a.Split = true
	a.More[0][4] = 0x900
	require.Equal(t, uint64(0x900), a.At(1, 4))
	require.Equal(t, 32, a.Bytes())
	require.Zero(t, a.OutMask())
	a.Out = [4]uint64{0x40, 0xc0 | 1}
	require.Equal(t, 20, a.Bytes())
	require.Equal(t, uint64(0xc0), a.OutMask())
}

func TestScalarAccess(t *testing.T) {
	a := state.Access{Op: gcn.Load, Elem: 4, Count: 4, Exec: 1, Scalar: true}
	a.Out[0] = 0b1100
	require.Equal(t, 8, a.Bytes())
	require.Equal(t, uint64(1), a.OutMask())
}

// TestAccessString compares the text of accesses with a golden file.
func TestAccessString(t *testing.T) {
	var linear, scattered, split, dense state.Access
	linear = state.Access{Op: gcn.Load, Elem: 4, Count: 2, Exec: 0xff0f, Reg: 2, Regs: 2, Out: [4]uint64{0x8000}}
	scattered = state.Access{Op: gcn.Store, Space: state.LDS, Elem: 2, Count: 1, Exec: 1<<63 | 6, Reg: 1, Regs: 1}
	split = state.Access{Op: gcn.Load, Space: state.LDS, Elem: 8, Count: 2, Exec: 3, Split: true}
	dense = state.Access{Op: gcn.Atomic, Elem: 4, Count: 1, Exec: state.FullExec, Dense: true}
	dense.Addr[0] = 0x100
	for lane := range uint64(state.NumLanes) {
		linear.Addr[lane] = 0x1000 + 8*lane
		scattered.Addr[lane] = lane * lane
		split.Addr[lane], split.More[0][lane] = 16, 0x40+8*lane
	}
	for want, a := range map[string]state.Access{
		"no access": {},
		"load global v[2:3]: 8 bytes, lanes 0-3, 8-15 at 0x1000 + 8*lane; out of range: lane 15": linear,
		"store lds v1: 2 bytes, lane 1 at 0x1, lane 2 at 0x4, lane 63 at 0xf81":                  scattered,
		"load lds: 2 times 8 bytes, lanes 0-1 at 0x10, lanes 0-1 at 0x40 + 8*lane":               split,
		"atomic global: 4 bytes, lanes 0-63 at 0x100 + 4*lane":                                   dense,
		"load global: 4 bytes, no lane":                                                          {Op: gcn.Load, Elem: 4, Count: 1},
		"load global s[4:5]: 8 bytes at 0x20": {Op: gcn.Load, Elem: 4, Count: 2, Scalar: true, Reg: 4, Regs: 2,
			Addr: [64]uint64{0x20}},
	} {
		assert.Equal(t, want, a.String())
	}
}
