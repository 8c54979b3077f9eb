package browser_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/page/internal/engine"
)

// picture is the picture of a step in a lesson: what it touched, or when it ran, or what it changed.
const picture = `(now => now.querySelector('.access .scroll, .texels figure') || now.querySelector('.timeline .chart') ||
	now.querySelector('.changes'))(document.querySelector('.viewer .now'))`

// TestSwitchBesideItsPicture: in each lesson the switch of variants stays in the window with the picture, above it, and
// who looks at the picture and chooses a variant still looks at it.
func TestSwitchBesideItsPicture(t *testing.T) {
	effort.Long(t)
	ctx := browser(t)
	list, err := engine.Lessons()
	require.NoError(t, err)
	tried := 0
	for _, size := range [][2]int64{{1300, 900}, {400, 800}} {
		do(t, ctx, chromedp.EmulateViewport(size[0], size[1]))
		height := float64(size[1])
		for i := range list {
			name := list[i].Name
			lesson(t, ctx, name)
			// The top of the picture comes to the middle of the window.
			evaluate[bool](t, ctx, `(scrollBy(0, `+picture+`.getBoundingClientRect().top - innerHeight / 2), true)`)
			variants := evaluate[int](t, ctx, `document.querySelectorAll('.switch button').length`)
			require.Greater(t, variants, 1, name)
			for k := range variants {
				button := fmt.Sprintf(`document.querySelectorAll('.switch button')[%d]`, k)
				evaluate[bool](t, ctx, `(`+button+`.click(), true)`)
				eventually(t, ctx, button+`.getAttribute('aria-pressed') === 'true' && document.querySelector('.viewer .now')`)
				at := evaluate[[]float64](t, ctx, `(([a, b]) => [a.top, a.bottom, b.top])([document.querySelector('.switch'), `+
					picture+`].map(e => e.getBoundingClientRect()))`)
				where := fmt.Sprintf("%s, variant %d, %v: %v", name, k, size, at)
				assert.InDelta(t, 0, at[0], 1, where)
				assert.Less(t, at[1], height/4, where)
				assert.Greater(t, at[2], at[1], where)
				assert.Less(t, at[2], height*9/10, where)
				tried++
			}
		}
	}
	assert.Greater(t, tried, 190)
}
