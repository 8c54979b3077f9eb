package sim_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// FuzzRun runs arbitrary words on arbitrary registers, on every target: whatever they
// are, the answer is a state or a fault, never a panic.
func FuzzRun(f *testing.F) {
	f.Add(uint8(11), uint64(1), uint32(0xe0501000), uint32(0x80000100), uint32(0xbf810000))
	f.Add(uint8(14), uint64(2), uint32(0xdc508000), uint32(0x017f0002), uint32(0xbf810000))
	f.Add(uint8(0), uint64(3), uint32(0xd8d80010), uint32(0x01000002), uint32(0xbf810000))
	f.Add(uint8(17), uint64(4), uint32(0xd1c30004), uint32(0x04060501), uint32(0x7e0002f9))
	f.Fuzz(func(_ *testing.T, target uint8, seed uint64, a, b, c uint32) {
		targets := gcn.Targets()
		m := sim.New(targets[int(target)%len(targets)])
		m.Limit = 64
		m.Rules = state.Rules(seed % uint64(state.NumRules))
		m.Align = state.Alignment(seed >> 1 & 3)
		buf := m.Alloc(4096)
		w := m.NewWave()
		rng := rand.New(rand.NewPCG(seed, 0))
		// Small numbers, buffer addresses and noise, so that some accesses hit.
		value := func() uint32 {
			switch rng.IntN(4) {
			case 0:
				return rng.Uint32()
			case 1:
				return uint32(buf.Addr) + uint32(rng.IntN(5000))
			case 2:
				return uint32(buf.Addr >> 32)
			}
			return uint32(rng.IntN(200))
		}
		for i := range w.S {
			w.S[i] = value()
		}
		for reg := range w.V {
			x := value()
			for lane := range w.V[reg] {
				w.V[reg][lane] = x * uint32(lane&int(seed>>3&1))
			}
		}
		w.Mode = state.Mode(rng.Uint32())
		_, _ = m.Run(context.Background(), w, []uint32{a, b, c})
	})
}
