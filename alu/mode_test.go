package alu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// Bits of MODE whose effect is not modelled cause a fault.
func TestUnmodelledBitsOfMode(t *testing.T) {
	const all = ^state.Mode(0)
	const early = state.ModeVSkip
	for g, want := range map[gcn.Gen]state.Mode{
		gcn.GCN10: early, gcn.GCN12: early, gcn.GCN14: early | state.ModeFP16Ovfl, gcn.GCN141: early | state.ModeFP16Ovfl,
	} {
		require.Equal(t, want, unmodelled(all, isa.TraitsOf(g.Target())), g)
		require.Zero(t, unmodelled(all&^want, isa.TraitsOf(g.Target())))
	}
}
