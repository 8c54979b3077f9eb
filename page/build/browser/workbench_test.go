package browser_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/handbook"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/page"
	"github.com/gcnsim/gcnsim/page/internal/engine"
	"github.com/gcnsim/gcnsim/page/internal/pagetest"
)

// visit opens a location of the page, such as "lesson/010-exec". The page is only loaded at the start of a test,
// because loading takes longer than most tests. The previous content is removed first.
func visit(t *testing.T, ctx context.Context, place string) {
	t.Helper()
	if evaluate[string](t, ctx, `location.origin`) != served().URL {
		do(t, ctx, chromedp.Navigate(served().URL+"/#/"+place))
		return
	}
	do(t, ctx, chromedp.Evaluate[chromedp.Void](`location.hash = '#/lessons'`))
	eventually(t, ctx, `document.querySelector('.contents')`)
	do(t, ctx, chromedp.Evaluate[chromedp.Void](`location.hash = '#/`+place+`'`))
}

// lesson opens a lesson and waits until its program has executed.
func lesson(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	visit(t, ctx, "lesson/"+name)
	eventually(t, ctx, `!document.querySelector('.contents') && document.querySelector('.viewer .now')`)
}

// mouse is a mouse event at a position in the window.
func mouse(what input.DispatchMouseEventType, x, y float64) action {
	return func(ctx context.Context, target *chromedp.Target) (v chromedp.Void, err error) {
		_, err = cdp.Call(ctx, target, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: what, X: x, Y: y,
			Button: "left", Buttons: 1, ClickCount: 1})
		return v, err
	}
}

// At 1300 x 900 pixels the code is to the left of the machine and both are visible, whatever part of the machine is
// shown. On a phone they are tabs.
func TestCodeBesideMachine(t *testing.T) {
	ctx := browser(t)
	do(t, ctx, chromedp.EmulateViewport(1300, 900))
	lesson(t, ctx, "018-linear")
	const boxes = `['.editor', '.viewer .access .map'].map(s => document.querySelector(s).getBoundingClientRect())`
	assert.True(t, evaluate[bool](t, ctx, `(([a, b]) => a.right < b.left && a.top > 0 && a.bottom < innerHeight && `+
		`b.top < innerHeight && b.top > 0)(`+boxes+`)`))
	do(t, ctx, chromedp.Click("#code"))
	assert.True(t, evaluate[bool](t, ctx, `!document.querySelector('.cm-content').checkVisibility()`))
	do(t, ctx, chromedp.Click("#code"))
	// The divider between them can be moved by keys and by dragging. The position is kept for the next variant.
	const width = `Math.round(document.querySelector('.code-pane').offsetWidth / document.querySelector('.bench').offsetWidth * 100)`
	do(t, ctx, chromedp.Focus(".code-divider"), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
	assert.Equal(t, 42, evaluate[int](t, ctx, width))
	at := evaluate[[]float64](t, ctx, `((r, bench) => [r.left + r.width / 2, r.top + 20, bench.left + bench.width / 2])(`+
		`...['.code-divider', '.bench'].map(s => document.querySelector(s).getBoundingClientRect()))`)
	do(t, ctx, mouse(input.DispatchMouseEventTypeMousePressed, at[0], at[1]),
		mouse(input.DispatchMouseEventTypeMouseMoved, at[2], at[1]),
		mouse(input.DispatchMouseEventTypeMouseReleased, at[2], at[1]))
	eventually(t, ctx, width+` === 50`)
	do(t, ctx, chromedp.Click(`.switch > button:nth-of-type(2)`))
	eventually(t, ctx, `document.querySelector('.switch > button:nth-of-type(2)').ariaPressed === 'true' && `+
		`document.querySelector('.viewer .now') && `+width+` === 50`)
	do(t, ctx, chromedp.Click("#machine"))
	assert.True(t, evaluate[bool](t, ctx, `!document.querySelector('.machine').checkVisibility() && `+
		`document.querySelector('.cm-content').checkVisibility()`))
	do(t, ctx, chromedp.Click("#machine"), chromedp.EmulateViewport(400, 800))
	for _, shown := range []string{"text", "code", "machine"} {
		do(t, ctx, chromedp.Click("#"+shown))
		assert.Equal(t, shown, evaluate[string](t, ctx, `['text', 'code', 'machine'].filter(p => `+
			`document.querySelector('.' + p + '-pane, .pane.' + p).checkVisibility()).join()`))
	}
	do(t, ctx, chromedp.ResetViewport())
}

// An exercise has no mark until somebody tries it. It is red until the program solves it, and green then. The browser
// stores that and the program until the user resets the program.
func TestExercise(t *testing.T) {
	ctx := browser(t)
	lesson(t, ctx, "060-coalescing")
	const first = `document.querySelector('.exercises .verdict')`
	eventually(t, ctx, `document.querySelector('.exercises [role=status]').textContent === 'Not tried yet.'`)
	assert.True(t, evaluate[bool](t, ctx, `!document.querySelector('.verdict')`))
	was := evaluate[string](t, ctx, edited)
	run := func(shift int, verdict string) {
		t.Helper()
		write(t, ctx, fmt.Sprintf("v_lshlrev_b32 v1, %d, v0\nbuffer_load_dword v2, v1, s[0:3], 0 offen\ns_waitcnt vmcnt(0)\n"+
			"s_endpgm", shift))
		do(t, ctx, chromedp.Focus(".cm-content"), ctrl(kb.Enter))
		eventually(t, ctx, first+`?.className === 'verdict `+verdict+`'`)
	}
	run(2, "wrong")
	assert.Equal(t, "✗ The number of cache lines of buffer_load is 4; the exercise wants 8.",
		evaluate[string](t, ctx, first+`.textContent`))
	run(3, "right")
	assert.Contains(t, evaluate[string](t, ctx, first+`.textContent`), "✓ The number of cache lines of buffer_load is 8.")
	do(t, ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(served().URL+"/#/lessons"))
	eventually(t, ctx, `document.querySelector('progress')?.value === 1`)
	eventually(t, ctx, `[...document.querySelectorAll('.contents li')].some(e => e.textContent.includes('Coalescing') && `+
		`e.textContent.includes('1 of 2 exercises solved'))`)

	lesson(t, ctx, "060-coalescing")
	eventually(t, ctx, first+`?.className === 'verdict right'`)
	assert.Contains(t, evaluate[string](t, ctx, edited), "v_lshlrev_b32 v1, 3, v0")
	choose := func(name string) {
		t.Helper()
		evaluate[bool](t, ctx, fmt.Sprintf(
			`([...document.querySelectorAll('.switch > button')].find(b => b.textContent === %q).click(), true)`, name))
	}
	choose("as it was")
	eventually(t, ctx, fmt.Sprintf(`%s === %q`, edited, was))
	choose("yours")
	eventually(t, ctx, edited+`.includes('v_lshlrev_b32 v1, 3, v0')`)
	// gcnsim grade marks the hand-in as solved, and a link transfers it to another browser.
	do(t, ctx, chromedp.Evaluate[chromedp.Void](`URL.createObjectURL = file => (file.text().then(t => handed = t), ''); `+
		`handed = ''; location.hash = '#/lessons'`), chromedp.WaitVisible("#hand-in"), chromedp.Click("#hand-in"),
		chromedp.Click("#work"), chromedp.WaitVisible("input.link"))
	eventually(t, ctx, `handed`)
	marks, err := page.Grade(t.Context(), nil, []byte(evaluate[string](t, ctx, `handed`)))
	require.NoError(t, err)
	said := map[bool][]string{}
	for _, m := range marks {
		if m.Say != "Not handed in." {
			said[m.Solved] = append(said[m.Solved], fmt.Sprint(m.Lesson, m.Exercise))
		}
	}
	assert.Equal(t, map[bool][]string{true: {"060-coalescing1"}, false: {"060-coalescing2"}}, said)
	link := evaluate[string](t, ctx, `(localStorage.clear(), document.querySelector('input.link').value)`)
	do(t, ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(link))
	eventually(t, ctx, `document.querySelector('progress')?.value === 1`)
	lesson(t, ctx, "060-coalescing")
	eventually(t, ctx, edited+`.includes('v_lshlrev_b32 v1, 3, v0')`)
	do(t, ctx, chromedp.Evaluate[chromedp.Void](`localStorage.clear()`))
}

// In every lesson all cited rules are links, no request to the server fails, and a user who selects a variant at the
// top of the page sees its picture.
func TestEveryLesson(t *testing.T) {
	ctx := browser(t)
	do(t, ctx, chromedp.EmulateViewport(1300, 900))
	list, err := engine.Lessons()
	require.NoError(t, err)
	for i := range list {
		if effort.LeavesOut(i) {
			continue
		}
		l := &list[i]
		lesson(t, ctx, l.Name)
		for _, id := range handbook.Cited(l.Text) {
			if strings.Contains(l.Text, id) { // otherwise it is inside of a range such as "A1 to A4"
				assert.True(t, evaluate[bool](t, ctx, `!!document.querySelector('.text-pane .prose a[href="#rule/`+id+`"]')`),
					"%s: %s", l.Name, id)
			}
		}
		assert.Empty(t, evaluate[[]string](t, ctx, `performance.getEntriesByType('resource').filter(r => `+
			`r.responseStatus >= 400).map(r => r.name)`), l.Name)
		evaluate[bool](t, ctx, `(document.querySelectorAll('.switch > button')[1].click(), true)`)
		eventually(t, ctx, `(picture => picture && picture.getBoundingClientRect().top > 0 && `+
			`picture.getBoundingClientRect().top < innerHeight)(`+picture+`)`)
	}
	do(t, ctx, chromedp.ResetViewport())
}

// The formula computes the address of every lane, in lessons with all kinds of addresses, and shows its numbers.
func TestFormula(t *testing.T) {
	ctx := browser(t)
	for name, want := range map[string]string{
		"018-linear":  "BASE 0x10000 + SOFFSET s8 256 + index v0 3 × STRIDE 16 + offset v1 4 + offset 4 = 0x10138",
		"035-tid":     "BASE 0x10000 + (0 × STRIDE 16 + 4) × INDEX_STRIDE 256 + 3 × ELEMENT_SIZE 12 = 0x1010c",
		"050-banks":   "v1 24 = 0x18",
		"120-flat":    "v[2:3] 0x1000c = 0x1000c",
		"044-direct":  "BASE 0 + v[4:5] 0x1000c = 0x1000c",
		"030-range":   "BASE 0x10000 + offset v1 12 = 0x1000c",
		"077-scalar":  "s[8:9] 0x10000 + offset 16 = 0x10010",
		"020-swizzle": "BASE 0x10000 + index v0 3 × STRIDE 16 = 0x10030",
	} {
		lesson(t, ctx, name)
		do(t, ctx, chromedp.Evaluate[chromedp.Void](`document.querySelector('.access [aria-label^="lane 3:"]')?.click()`))
		eventually(t, ctx, fmt.Sprintf(`document.querySelector('.formula')?.textContent.startsWith(%q)`, want))
	}
}

// Moving a field's slider redraws the machine at the shown step and lane. The test counts the cost instead of
// measuring time: one execution, and the changed nodes of the page.
func TestRedraw(t *testing.T) {
	ctx := browser(t)
	lesson(t, ctx, "018-linear")
	do(t, ctx, chromedp.Evaluate[chromedp.Void](`document.querySelector('.access [aria-label^="lane 3:"]').click()`),
		chromedp.Click(".descriptor summary"))
	eventually(t, ctx, `document.querySelector('[aria-label="STRIDE, slider"]')`)
	for stride := 20; stride < 40; stride += 4 {
		took := evaluate[struct{ Runs, Nodes, Milliseconds float64 }](t, ctx, fmt.Sprintf(`new Promise(done => {
			const send = fetch, begun = performance.now(), took = { Runs: 0, Nodes: 0 }
			fetch = (to, ...rest) => (took.Runs += /engine\/run/.test(to), send(to, ...rest))
			const seen = new MutationObserver(list => list.forEach(m => (took.Nodes += m.addedNodes.length || 1)))
			seen.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true })
			const slider = document.querySelector('[aria-label="STRIDE, slider"]')
			const look = () => {
				if (!document.querySelector('.formula')?.textContent.includes('STRIDE %d')) return setTimeout(look, 1)
				fetch = send
				seen.disconnect()
				done({ ...took, Milliseconds: performance.now() - begun })
			}
			slider.value = %[1]d
			slider.dispatchEvent(new Event('input', { bubbles: true }))
			look()
		})`, stride))
		t.Logf("%+v", took)
		assert.EqualValues(t, 1, took.Runs)
		assert.Less(t, took.Nodes, 1500.0)
		assert.Contains(t, evaluate[string](t, ctx, `document.querySelector('.access .chosen').textContent`), "lane 3:")
	}
}

// Keys navigate to waits and breakpoints, and the URL restores the shown location.
func TestPlaces(t *testing.T) {
	ctx := browser(t)
	lesson(t, ctx, "018-linear")
	do(t, ctx, chromedp.Evaluate[chromedp.Void](`document.querySelector('.viewer').focus()`), chromedp.KeyEvent(kb.Home),
		chromedp.KeyEvent("w"))
	assert.Equal(t, "4 of 5 done", shownSteps(t, ctx))
	do(t, ctx, chromedp.KeyEvent("W"), chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.ArrowRight),
		chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent("b"), chromedp.KeyEvent(kb.Home), chromedp.KeyEvent("c"))
	assert.Equal(t, "2 of 5 done", shownSteps(t, ctx))
	do(t, ctx, chromedp.KeyEvent(kb.Home), chromedp.KeyEvent("p"))
	eventually(t, ctx, `document.querySelector('.slider output').textContent === '2 of 5 done' && `+
		`document.getElementById('play').ariaPressed === 'false'`)
	do(t, ctx, chromedp.KeyEvent("m"),
		chromedp.Evaluate[chromedp.Void](`document.querySelector('.access [aria-label^="lane 9:"]').click()`))
	eventually(t, ctx, `location.hash === '#/lesson/018-linear&step=3&lane=9'`)
	do(t, ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(served().URL+"/#/lesson/018-linear&step=3&lane=7"))
	eventually(t, ctx, `document.querySelector('.access .chosen')?.textContent.startsWith('lane 7:')`)
}

// A URL with embed shows only the machine of a lesson. If it names no lesson, the page lists them.
func TestEmbed(t *testing.T) {
	ctx := browser(t)
	do(t, ctx, chromedp.Navigate(served().URL+"/?embed=linear&step=3&lane=5"))
	eventually(t, ctx, `document.querySelector('.access .chosen')?.textContent.startsWith('lane 5:')`)
	assert.True(t, evaluate[bool](t, ctx, `!document.querySelector('header, .question') && `+
		`!document.querySelector('.cm-content').checkVisibility()`))
	do(t, ctx, chromedp.Navigate(served().URL+"/?embed=no"))
	eventually(t, ctx, `document.querySelector('.problem')?.textContent.includes('coalescing')`)
}

// Two executions are shown side by side, with their differences marked.
func TestCompare(t *testing.T) {
	ctx := browser(t)
	lesson(t, ctx, "020-swizzle")
	do(t, ctx, chromedp.Click(`.switch > button:nth-of-type(2)`))
	eventually(t, ctx, `document.querySelector('.switch > button:nth-of-type(2)').ariaPressed === 'true' && `+
		`document.querySelector('.viewer .now')`)
	do(t, ctx, chromedp.Click("#compare"))
	eventually(t, ctx, `document.querySelectorAll('.compare .map').length === 2`)
	rows := evaluate[[]string](t, ctx, `[...document.querySelectorAll('.compare tr.changed')].map(r => r.textContent)`)
	assert.Contains(t, rows, "≠ access 116 groups, 16 clocks, 16 lines4 groups, 4 clocks, 4 lines")
	assert.Equal(t, []int{16, 4}, evaluate[[]int](t, ctx,
		`[...document.querySelectorAll('.compare .map')].map(m => m.tBodies[0].rows.length)`))
}

// Buttons and keys change the size of the machine. The size is kept when the page is reopened, and a large machine
// fits on a phone.
func TestZoom(t *testing.T) {
	ctx := browser(t)
	do(t, ctx, chromedp.EmulateViewport(1300, 900))
	lesson(t, ctx, "050-banks")
	const row = `document.querySelector('.machine td').getBoundingClientRect().height`
	before := evaluate[float64](t, ctx, row)
	sized := func(percent string) {
		t.Helper()
		eventually(t, ctx, fmt.Sprintf(`document.querySelector('#size')?.textContent === '%s %%'`, percent))
	}
	do(t, ctx, chromedp.Click("#larger"), chromedp.Focus(".machine .viewer"), chromedp.KeyEvent("+"))
	sized("150")
	eventually(t, ctx, fmt.Sprintf(`%s > %g`, row, 1.3*before))
	do(t, ctx, chromedp.Navigate("about:blank"))
	lesson(t, ctx, "050-banks")
	sized("150")
	for range 5 {
		do(t, ctx, chromedp.Focus(".machine .viewer"), chromedp.KeyEvent("+"))
	}
	sized("200")
	do(t, ctx, chromedp.EmulateViewport(400, 800), chromedp.Click("#machine"))
	eventually(t, ctx, `document.scrollingElement.scrollWidth <= 400`)
	do(t, ctx, chromedp.Focus(".machine .viewer"), chromedp.KeyEvent("0"), chromedp.KeyEvent("-"))
	sized("75")
	do(t, ctx, chromedp.Click("#size"), chromedp.ResetViewport())
	sized("100")
}

// Files that are dropped on the page are shown, whatever runs the library: a code object with its kernels, a program,
// a request, a record.
func TestDrop(t *testing.T) {
	t.Run("server", func(t *testing.T) { testDrop(t, browser(t), served()) })
	t.Run("WebAssembly", func(t *testing.T) { testDrop(t, browser(t), site(t)) })
}

func testDrop(t *testing.T, ctx context.Context, server *httptest.Server) {
	do(t, ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(server.URL+"/#/"))
	eventually(t, ctx, `document.querySelectorAll('.card svg rect').length > 500`)
	dropAll := func(all map[string][]byte) {
		t.Helper()
		text, err := json.Marshal(all)
		require.NoError(t, err)
		evaluate[bool](t, ctx, `(all => {
			const files = new DataTransfer()
			for (const [name, data] of Object.entries(all))
				files.items.add(new File([Uint8Array.from(atob(data), c => c.charCodeAt(0))], name))
			return dispatchEvent(new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true })), true
		})(`+string(text)+`)`)
	}
	drop := func(name string, data []byte) {
		t.Helper()
		dropAll(map[string][]byte{name: data})
	}
	object, err := os.ReadFile("../../../internal/sim/codeobj/testdata/lines.clang22.fiji.co")
	require.NoError(t, err)
	drop("lines.co", object)
	eventually(t, ctx, `document.querySelector('#kernel option') && document.querySelector('.object-code tbody tr') && `+
		`[...document.querySelectorAll('.object-code td')].some(d => /:\d+$/.test(d.textContent))`)
	// It executes with arguments that were derived from its metadata. Another one executes with its specification,
	// when all files are present.
	do(t, ctx, chromedp.Click("#launches"), chromedp.WaitVisible("#spec"), chromedp.Click("#dispatch"))
	eventually(t, ctx, `document.querySelector('.launch .result') && document.querySelector('.launch .viewer .now')`)
	files := map[string][]byte{}
	for _, name := range []string{"vadd.fiji.json", "vadd.fiji.co", "vadd.arg1.in", "vadd.arg2.in"} {
		files[name], err = os.ReadFile("../../../testdata/kernels/" + name)
		require.NoError(t, err)
	}
	drop("vadd.fiji.json", files["vadd.fiji.json"])
	eventually(t, ctx, `document.querySelector('.problem')?.textContent.includes('drop vadd.fiji.co on the page, too')`)
	dropAll(files)
	eventually(t, ctx, `document.querySelector('h1')?.textContent === 'vadd.fiji.co' && document.querySelector('#spec')`)
	do(t, ctx, chromedp.Click("#dispatch"))
	eventually(t, ctx, `document.querySelector('.launch .result')?.textContent.includes('no findings')`)
	drop("a.s", []byte("v_mov_b32 v1, 7\ns_endpgm\n"))
	eventually(t, ctx, `document.querySelector('.cm-content')?.textContent.includes('v_mov_b32 v1, 7')`)
	drop("r.json", []byte(`{"mcpu":"gfx906","asm":"s_add_u32 s2, s2, 1","sgpr":{"2":[5]},"exec":"0xff"}`))
	eventually(t, ctx, `document.querySelector('.cm-content')?.textContent.includes('s_add_u32 s2') && `+
		`document.querySelector('main').textContent.includes('no place for exec')`)
	var file bytes.Buffer
	require.NoError(t, pagetest.Record(t, "v_mov_b32 v1, 1").Write(&file))
	drop("r.rec", file.Bytes())
	eventually(t, ctx, `document.querySelector('h1')?.textContent === 'r.rec' && document.querySelector('.viewer .now')`)
	do(t, ctx, chromedp.Click("header nav a")) // an earlier dropped file is no longer shown
	eventually(t, ctx, `document.querySelector('.card')`)
	drop("x.bin", []byte{0xff, 0xfe, 0})
	eventually(t, ctx, `document.querySelector('.problem')?.textContent.includes('x.bin: ')`)
}

// Every lesson has a card, and the course page says how long each takes.
func TestGallery(t *testing.T) {
	ctx := browser(t)
	list, err := engine.Lessons()
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(list), 24)
	do(t, ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(served().URL+"/#/"))
	eventually(t, ctx, fmt.Sprintf(`document.querySelectorAll('.card').length === %d`, len(list)))
	assert.True(t, evaluate[bool](t, ctx, `[...document.querySelectorAll('.card')].every(c => / min/.test(c.textContent))`))
}
