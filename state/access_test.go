package state_test

import (
	"testing"

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
