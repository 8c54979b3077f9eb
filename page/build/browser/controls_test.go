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

// picture is an expression for the picture of a lesson's step: the accessed texels or dwords, the timeline, or the
// changes.
const picture = `(of => of.querySelector('.texels figure') || of.querySelector('.access .scroll') ||
	of.querySelector('.changes') || of.querySelector('.timeline .chart'))(
	document.querySelector('.viewer .touched') ?? document.createElement('p'))`

// controls is JavaScript that uses all controls of a workbench that match a selector. It returns those whose effect
// is not visible in the window: no visible element changed, or the picture changed outside of the window. It scrolls
// to a control before using it, as a reader must, but not afterwards.
const controls = `(async selector => {
	const seen = e => {
		let { left, top, right, bottom } = e.getBoundingClientRect()
		for (let a = e.parentElement; a; a = a.parentElement) {
			const box = a === document.documentElement
				? { left: 0, top: 0, right: innerWidth, bottom: innerHeight } : a.getBoundingClientRect()
			if (a !== document.documentElement && getComputedStyle(a).overflowY === 'visible') continue
			left = Math.max(left, box.left), top = Math.max(top, box.top)
			right = Math.min(right, box.right), bottom = Math.min(bottom, box.bottom)
		}
		return e.checkVisibility() && right - left > 4 ? Math.max(0, bottom - top) : 0
	}
	const list = () => {
		const times = {}
		return [...document.querySelectorAll(selector)].filter(e => e.checkVisibility()).map(e => {
			const name = (e.ariaLabel || e.labels?.[0]?.textContent || e.textContent).slice(0, 60)
			times[name] = (times[name] || 0) + 1
			return [name + ' ' + times[name], e]
		})
	}
	const shown = () => [...document.querySelectorAll('.slider output, .touched')].map(e => e.textContent).join()
	const bad = []
	for (const [name] of list()) {
		const e = list().find(([n]) => n === name)?.[1]
		if (!e) continue
		e.scrollIntoView({ block: 'center' })
		const changed = [], before = shown()
		let last = performance.now()
		const look = new MutationObserver(all => {
			last = performance.now()
			for (const m of all) {
				if (m.type === 'childList') changed.push(...[...m.addedNodes].filter(n => n.nodeType === 1))
				changed.push(m.target.nodeType === 1 ? m.target : m.target.parentElement)
			}
		})
		look.observe(document.querySelector('.workbench'), { subtree: true, childList: true, characterData: true,
			attributes: true, attributeFilter: ['open', 'class', 'aria-pressed', 'aria-selected'] })
		if (e.tagName === 'SELECT') {
			e.selectedIndex = (e.selectedIndex + 1) % e.options.length
			e.dispatchEvent(new Event('change', { bubbles: true }))
		} else if (e.type === 'range') {
			e.value = +e.value === +e.max ? e.min : +e.value + 1
			e.dispatchEvent(new Event('input', { bubbles: true }))
		} else e.click()
		const busy = '.workbench [aria-busy=true], #cancel, #play[aria-pressed=true]'
		while (performance.now() - last < 50 || document.querySelector(busy))
			await new Promise(done => setTimeout(done, 20))
		for (const _ of [1, 2]) await new Promise(requestAnimationFrame)
		look.disconnect()
		if (e.tagName === 'SUMMARY' && !e.parentElement.open) continue // there is less to see
		const effects = (e.tagName === 'SUMMARY' ? [...e.parentElement.children].slice(1) : changed).filter(
			c => c?.isConnected && c.className !== 'spoken' && c !== e && !e.contains(c) && !c.contains(e))
		const drawn = ` + picture + `
		if (effects.length && !effects.some(c => seen(c) > 4)) bad.push(name + ': nothing that changed is seen')
		if (drawn?.checkVisibility() && shown() !== before && seen(drawn) < Math.min(drawn.offsetHeight / 2, 50))
			bad.push(name + ': the picture is not seen')
	}
	return bad
})`

// The effect of every control in a lesson is visible: on a laptop, a phone and a large screen.
func TestControls(t *testing.T) {
	list, err := engine.Lessons()
	require.NoError(t, err)
	for i := range list {
		if !effort.Full() && i != 3 {
			continue
		}
		for _, size := range [][2]int64{{1300, 900}, {400, 800}, {3840, 2160}} {
			t.Run(fmt.Sprintf("%s/%d", list[i].Name, size[0]), func(t *testing.T) { testControls(t, list[i].Name, size) })
		}
	}
}

func testControls(t *testing.T, name string, size [2]int64) {
	ctx := browser(t)
	do(t, ctx, chromedp.EmulateViewport(size[0], size[1]))
	lesson(t, ctx, name)
	try := func(selector string) {
		t.Helper()
		assert.Empty(t, evaluate[[]string](t, ctx, fmt.Sprintf(`%s(%q)`, controls, selector)))
	}
	for _, pane := range []string{"text", "code", "machine"} {
		if size[0] < 1000 {
			do(t, ctx, chromedp.Click("#"+pane))
		}
		try(`.workbench :is(.rest, .code-pane, .text-pane) summary`)
		try(`.workbench .pane :is(select, input[type=range], button:not(#share, #export, #compare, .main))`)
	}
	try(`.switch > button`)
	try(`#compare`)
	if size[0] > 1000 {
		assert.Zero(t, evaluate[float64](t, ctx, `scrollY`), "the document scrolls")
	}
}
