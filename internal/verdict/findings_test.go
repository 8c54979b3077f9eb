package verdict

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/sim/check"
)

// TestOnlyOne: findings differ by their kinds; what a cache holds counts only where programs do not race.
func TestOnlyOne(t *testing.T) {
	of := func(kinds ...check.Kind) (all []check.Finding) {
		for _, kind := range kinds {
			all = append(all, check.Finding{Kind: kind, Severity: check.Error})
		}
		return all
	}
	for _, c := range []struct{ a, b, onlyA, onlyB []check.Finding }{
		{},
		{a: of(check.WaitRAW), b: of(check.WaitRAW, check.WaitRAW)},
		{a: of(check.WaitRAW), b: of(check.VCCZ), onlyA: of(check.WaitRAW), onlyB: of(check.VCCZ)},
		{b: of(check.Stack)},
		{b: of(check.StaleCache), onlyB: of(check.StaleCache)},
		{a: of(check.Race), b: of(check.StaleCache), onlyA: of(check.Race), onlyB: of(check.StaleCache)},
		{a: of(check.Race), b: of(check.Race, check.StaleCache, check.WaitRAW), onlyB: of(check.WaitRAW)},
	} {
		parts := [2]*part{{}, {name: "b"}}
		r := &kernelCase{looked: map[*part]*looks{}}
		for i, found := range [2][]check.Finding{c.a, c.b} {
			r.looked[parts[i]] = &looks{kinds: map[check.Kind]bool{check.Stack: true}} // on other launches
			for _, f := range found {
				r.looked[parts[i]].kinds[f.Kind] = true
			}
		}
		assert.Equal(t, [2][]check.Finding{c.onlyA, c.onlyB}, r.onlyOne(&pairRun{found: [2][]check.Finding{c.a, c.b}}, parts))
	}
}

// TestUndefined: results that differ count for nothing where both programs do what their source leaves undefined.
func TestUndefined(t *testing.T) {
	for _, kind := range []check.Kind{check.Uninit, check.Race, check.OutOfRange, check.LaneConflict} {
		has := []check.Finding{{Kind: check.WaitRAW}, {Kind: kind}}
		assert.Contains(t, undefined(&compare.Difference{}, has, has), "findings of kind "+string(kind)+" on it")
		assert.Empty(t, undefined(&compare.Difference{}, has, has[:1]))
		assert.Empty(t, undefined(&compare.Difference{}, has[:1], has))
	}
}
