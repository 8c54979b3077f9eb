package state_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/state"
)

// TestRegistersThatAWaveLacks checks that the panic has the register's number and the number of registers.
func TestRegistersThatAWaveLacks(t *testing.T) {
	w := state.NewWave(gcn.GFX803, 16)
	for says, use := range map[string]func(){
		"state: there is no v300: the wave has 16 VGPRs, from v0 on":                func() { w.SetVGPR(300, state.Lanes{}) },
		"state: there is no v16: the wave has 16 VGPRs, from v0 on":                 func() { w.VGPR(16) },
		"state: there is no v-1: the wave has 16 VGPRs, from v0 on":                 func() { w.VGPR(-1) },
		"state: 3 values do not fit from s100 on: gfx803 has 102 SGPRs, from s0 on": func() { w.SetSGPRs(100, 1, 2, 3) },
	} {
		assert.PanicsWithValue(t, says, use)
	}
	w.NumVGPRs = 24 // more than V has at first
	assert.Zero(t, w.VGPR(23))
	assert.NotPanics(t, func() { w.SetVGPR(23, state.Lanes{1}) })
}
