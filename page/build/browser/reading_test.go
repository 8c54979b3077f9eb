package browser_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/handbook"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/page"
)

// lightness returns the mean lightness of the elements that a selector matches, from 0 to 1.
func lightness(t *testing.T, ctx context.Context, selector string) float64 {
	t.Helper()
	shot, err := chromedp.Run(ctx, chromedp.Screenshot(selector))
	require.NoError(t, err)
	img, err := png.Decode(bytes.NewReader(shot))
	require.NoError(t, err)
	return mean(img)
}

// The handbook on the page has its pictures, in the page's theme, and its links lead to existing rules and chapters.
func TestHandbook(t *testing.T) {
	ctx := browser(t)
	places := map[string]bool{}
	for _, c := range handbook.Chapters() {
		places["#/handbook/"+c.Name] = true
		for _, r := range c.Rules {
			places["#rule/"+r.ID] = true
		}
	}
	chapters, pictures, want := handbook.Chapters(), 0, 5
	if !effort.Full() {
		first := slices.IndexFunc(chapters, func(c handbook.Chapter) bool { return strings.Contains(c.Text, "![") })
		chapters, want = chapters[first:first+1], strings.Count(chapters[first].Text, "![")
	}
	for _, c := range chapters {
		visit(t, ctx, "handbook/"+c.Name)
		eventually(t, ctx, `document.querySelector('.handbook .prose h1') && [...document.images].every(i => i.complete && `+
			`i.naturalWidth > 0)`)
		for _, link := range evaluate[[]string](t, ctx,
			`[...document.querySelectorAll('.prose a')].map(a => a.getAttribute('href'))`) {
			assert.True(t, places[link] || strings.HasPrefix(link, "https://"), "%s links to %s", c.Name, link)
		}
		text := evaluate[string](t, ctx,
			`[...document.querySelectorAll('.prose :is(p, li, td, h1, h2, h3)')].map(e => e.textContent).join('\n')`)
		for _, raw := range []string{"](", "{#", "|--", "| --", "![", "**"} {
			assert.NotContains(t, text, raw, "%s shows Markdown", c.Name)
		}
		assert.Equal(t, strings.Count(c.Text, "\n|--")+strings.Count(c.Text, "\n| --"),
			evaluate[int](t, ctx, `document.querySelectorAll('.prose table').length`), "tables of %s", c.Name)
		alts := evaluate[[]string](t, ctx, `[...document.images].map(i => i.alt)`)
		assert.Len(t, alts, strings.Count(c.Text, "!["), c.Name)
		for _, alt := range alts {
			assert.Contains(t, c.Text, alt)
			assert.NotEmpty(t, alt)
		}
		if pictures += len(alts); len(alts) == 0 {
			continue
		}
		for _, scheme := range []string{"light", "dark"} {
			do(t, ctx, inScheme(scheme))
			assert.Equal(t, scheme == "light", lightness(t, ctx, ".shown") > 0.5, "%s, %s", c.Name, scheme)
		}
		do(t, ctx, inScheme("light"))
	}
	assert.Equal(t, want, pictures)
}

// inView is an expression that is true if the heading of a rule is visible and has the focus.
const inView = `(h => h && document.activeElement === h && h.getBoundingClientRect().top >= -1 && ` +
	`h.getBoundingClientRect().bottom <= innerHeight)(document.getElementById('rule-%s'))`

// Lessons and findings link to the rules that they cite.
func TestRuleLinks(t *testing.T) {
	ctx := browser(t)
	server := served()
	for i, c := range []struct {
		from, rule string
		shown      string // a condition that holds before the rule is visible
		clicks     []action
	}{
		{"/#/lesson/070-waitcnt", "W3", `document.querySelector('.finding')`, []action{chromedp.Click(`.text-pane > .prose a[href="#rule/W3"]`)}},
		{"/#/lesson/070-waitcnt", "W3", `document.querySelector('.finding')`, []action{chromedp.Click(`.finding .rule summary`), chromedp.Click(`.finding .rule a`)}},
		// Pictures load late and move the content below them.
		{"/#rule/SW9", "SW9", `document.images.length > 0 && [...document.images].every(i => i.complete)`, nil},
	} {
		if effort.LeavesOut(i) {
			continue
		}
		do(t, ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(server.URL+c.from))
		eventually(t, ctx, c.shown)
		do(t, ctx, c.clicks...)
		eventually(t, ctx, fmt.Sprintf(inView, c.rule))
	}
}

// The page works without a mouse: every element that takes the focus shows it and has a name, arrow keys reach lanes,
// and the effect of a step is announced after a pause.
func TestKeyboard(t *testing.T) {
	ctx := browser(t)
	server := served()
	do(t, ctx, chromedp.Navigate(server.URL+"/#/lesson/060-coalescing"), chromedp.WaitVisible(".access"))
	type stop struct {
		Tag, Name string
		Outline   float64
		Grid      bool
	}
	var grids, stops int
	for range 80 {
		do(t, ctx, chromedp.KeyEvent(kb.Tab))
		s := evaluate[stop](t, ctx, `(e => {
			const shown = e.closest('.editor') ?? e
			return { Tag: e.outerHTML.slice(0, 80), Grid: e.role === 'gridcell', Outline: parseFloat(getComputedStyle(shown).outlineWidth) * (getComputedStyle(shown).outlineStyle !== 'none'),
				Name: (e.ariaLabel || e.labels?.[0]?.textContent || e.textContent || '').trim() }
		})(document.activeElement)`)
		if s.Tag == "" || strings.HasPrefix(s.Tag, "<body") {
			break
		}
		stops++
		assert.NotEmpty(t, s.Name, s.Tag)
		assert.GreaterOrEqual(t, s.Outline, 2.0, "the focus on %s is not seen", s.Tag)
		if s.Grid {
			grids++
		}
		if strings.Contains(s.Tag, "cm-content") {
			do(t, ctx, chromedp.KeyEvent(kb.Escape))
		}
	}
	assert.Greater(t, stops, 25)
	assert.Equal(t, 4, grids, "v2, EXEC, VCC and addresses")

	cell := `document.querySelector('.access [role=gridcell][aria-selected=true]')`
	do(t, ctx, chromedp.Evaluate[chromedp.Void](cell+`.focus()`), chromedp.KeyEvent(kb.ArrowDown),
		chromedp.KeyEvent(kb.ArrowRight))
	assert.Equal(t, "lane 17: 0x10044, taken in group 2", evaluate[string](t, ctx, `document.activeElement.ariaLabel`))
	do(t, ctx, chromedp.KeyEvent(kb.End))
	assert.Contains(t, evaluate[string](t, ctx, `document.activeElement.ariaLabel`), "lane 31:")
	assert.Equal(t, "2 of 4 done", evaluate[string](t, ctx, `document.querySelector('.slider output').textContent`),
		"End is the row's while a cell has the focus")

	do(t, ctx, chromedp.Evaluate[chromedp.Void](`globalThis.said = []; new MutationObserver(() => { const text = `+
		`document.querySelector('.viewer .spoken').textContent; if (text) said.push(text) `+
		`}).observe(document.querySelector('.viewer .spoken'), { childList: true, characterData: true, subtree: true }); `+
		`document.getElementById('back').focus()`))
	do(t, ctx, chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowRight),
		chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
	eventually(t, ctx, `said.length > 0`)
	text, err := json.Marshal(evaluate[[]string](t, ctx, `said`))
	require.NoError(t, err)
	assert.Equal(t, `["step 2: s_waitcnt vmcnt(0)"]`, string(text))
	do(t, ctx, chromedp.KeyEvent(kb.End), chromedp.KeyEvent(kb.Enter))
	assert.Equal(t, "back", evaluate[string](t, ctx, `document.activeElement.id`),
		"a button that can do nothing keeps the focus")
}

// A printed lesson shows its answers, and has neither controls nor dark colours.
func TestPrint(t *testing.T) {
	ctx := browser(t)
	do(t, ctx, chromedp.Navigate(served().URL+"/#/lesson/020-swizzle"))
	eventually(t, ctx, `document.querySelector('.viewer')`)
	const answers = `["16 clocks.", "takes 4 clocks."].map(a => [...document.querySelectorAll('.lesson p')].some(p => ` +
		`p.checkVisibility() && p.textContent.endsWith(a)))`
	assert.Equal(t, []bool{false, false}, evaluate[[]bool](t, ctx, answers))
	do(t, ctx, emulating("print", "dark", ""))
	assert.Equal(t, []bool{true, true}, evaluate[[]bool](t, ctx, answers))
	do(t, ctx, chromedp.Evaluate[chromedp.Void](`document.querySelector('.paper input').click()`))
	eventually(t, ctx, `document.querySelector('.no-answers')`)
	assert.Equal(t, []bool{false, false}, evaluate[[]bool](t, ctx, answers))
	assert.Empty(t, evaluate[[]string](t, ctx,
		`[...document.querySelectorAll('button:not(.link, .code)')].filter(b => b.checkVisibility()).map(b => `+
			`b.textContent)`))
	assert.Equal(t, "rgb(255, 255, 255)", evaluate[string](t, ctx,
		`getComputedStyle(document.querySelector('.page')).backgroundColor`))
}

// The first paint only needs the document and its styles: the frame of the page is visible while the server holds
// back everything else.
func TestFirstPaint(t *testing.T) {
	ctx := browser(t)
	painted := make(chan struct{})
	var once sync.Once
	release := func() { once.Do(func() { close(painted) }) }
	handler := page.Handler()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" && r.URL.Path != "/style.css" {
			<-painted
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	t.Cleanup(release) // before the server is closed
	do(t, ctx, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`location.href = %q`, server.URL)))
	const paint = `performance.getEntriesByName('first-contentful-paint')[0]`
	eventually(t, ctx, paint+` && location.href.startsWith('http') && `+
		`document.querySelectorAll('header nav a').length === 4`)
	t.Logf("first contentful paint after %.0f ms", evaluate[float64](t, ctx, paint+`.startTime`))
	assert.False(t, evaluate[bool](t, ctx, `!!document.querySelector('.skip')`)) // no script has executed
	release()
	eventually(t, ctx, `document.querySelector('.skip') && document.querySelector('.card') && `+
		`document.querySelectorAll('header nav').length === 1`)
}
