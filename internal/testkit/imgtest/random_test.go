package imgtest_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/testkit/imgtest"
)

var targets = []gcn.Target{gcn.GFX600, gcn.GFX700, gcn.GFX803, gcn.GFX900, gcn.GFX906}

// The model accepts the instructions that Random creates, and these cover all interesting cases.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, target := range targets {
		for i, name := range imgtest.Mnemonics(target.Gen()) {
			if effort.LeavesOut(i) {
				continue
			}
			touched, lanes := 0, 0
			for range 4 {
				c := imgtest.RandomOf(r, target, name)
				res, err := c.Clone().Run()
				require.NoError(t, err, "%v", c)
				for lane := range res.Texels {
					lanes++
					if len(res.Texels[lane]) > 0 {
						touched++
					}
				}
			}
			if touched == 0 && name != "image_get_resinfo" && name != "image_get_lod" {
				t.Errorf("%v %s: %d of %d lanes touch texels", target, name, touched, lanes)
			}
		}
	}
}
