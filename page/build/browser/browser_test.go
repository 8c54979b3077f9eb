package browser_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/evanw/esbuild/pkg/api"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/page"
	"github.com/gcnsim/gcnsim/page/internal/pagetest"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/state"
)

// chromium is a browser tab that all tests share, because its process is running and has already compiled the
// scripts.
var chromium struct {
	once sync.Once
	ctx  context.Context
	end  func()
}

func TestMain(m *testing.M) {
	status := m.Run()
	if chromium.end != nil {
		chromium.end()
	}
	os.Exit(status)
}

// browser returns the tab, without settings of earlier tests. It skips the test if chromium is not installed.
func browser(t *testing.T) context.Context {
	t.Helper()
	name, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed: the page is not tried in a browser")
	}
	chromium.once.Do(func() {
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(name), chromedp.NoSandbox,
			chromedp.DisableGPU, chromedp.WindowSize(1300, 1000))
		ctx, endBrowser := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, endTab := chromedp.NewContext(ctx)
		chromium.ctx, chromium.end = ctx, func() { endTab(); endBrowser() }
		do(t, ctx, chromedp.Navigate("about:blank")) // the tab exists as long as this context
	})
	require.NotNil(t, chromium.ctx)
	ctx, cancel := context.WithTimeout(chromium.ctx, 5*patience)
	t.Cleanup(cancel)
	do(t, ctx, chromedp.Navigate("about:blank"), preferring("", ""), chromedp.EmulateViewport(1300, 1000),
		func(ctx context.Context, target *chromedp.Target) (v chromedp.Void, err error) {
			_, err = cdp.Call(ctx, target, storage.ClearDataForOrigin, storage.ClearDataForOriginParams{
				Origin: served().URL, StorageTypes: "local_storage"})
			return v, err
		})
	return ctx
}

// served serves the page to all tests from one address, so that the browser caches its scripts.
var served = sync.OnceValue(func() *httptest.Server { return httptest.NewServer(page.Handler()) })

// action is a step that returns nothing.
type action = chromedp.Action[chromedp.Void]

// inScheme selects the light or dark theme, without transitions.
func inScheme(scheme string) action { return preferring(scheme, "reduce") }

// preferring sets the user preferences that the browser reports; "" means its default.
func preferring(scheme, motion string) action { return emulating("", scheme, motion) }

// emulating is like preferring, for a medium: "print", or "" for the screen.
func emulating(medium, scheme, motion string) action {
	return func(ctx context.Context, target *chromedp.Target) (v chromedp.Void, err error) {
		_, err = cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Media: medium,
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme},
				{Name: "prefers-reduced-motion", Value: motion}},
		})
		return v, err
	}
}

// do runs actions.
func do(t *testing.T, ctx context.Context, actions ...action) {
	t.Helper()
	for _, a := range actions {
		_, err := chromedp.Run(ctx, a)
		require.NoError(t, err)
	}
}

// pressCancel presses the button by script, because a click at a position would miss it if a line above disappears.
func pressCancel() action {
	return chromedp.Evaluate[chromedp.Void](`document.querySelector('#cancel').click()`)
}

// patience is how long a test waits for the page on a loaded machine.
const patience = time.Minute

// eventually waits until an expression of JavaScript is true.
func eventually(t *testing.T, ctx context.Context, expression string) {
	t.Helper()
	for start := time.Now(); time.Since(start) < patience; {
		if ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+expression+")")); err == nil && ok {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("never true: %s\n%s", expression, evaluate[string](t, ctx, "document.body.innerText.slice(0, 3000)"))
}

// evaluate returns the value of an expression, or of its promise.
func evaluate[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	out, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	require.NoError(t, err)
	return out
}

// write replaces the program in the editor, like typing. The editor measures its lines in the next frame, which moves
// the elements below. write returns after that, so that clicks hit their target.
func write(t *testing.T, ctx context.Context, text string) {
	t.Helper()
	do(t, ctx, chromedp.Focus(".cm-content"), chromedp.KeyEvent("a", chromedp.KeyModifiers(kb.ModifierCtrl)),
		func(ctx context.Context, target *chromedp.Target) (v chromedp.Void, err error) {
			_, err = cdp.Call(ctx, target, input.InsertText, input.InsertTextParams{Text: text})
			return v, err
		}, chromedp.KeyEvent(kb.Escape))
	evaluate[bool](t, ctx, `new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(true))))`)
}

const cellOf = `document.querySelector('.changes [role=grid] [aria-label^="lane %d:"]')?.textContent`

// A program is typed, executed and stepped through. An error is shown at its line. A link restores the program. All
// of that also works without a mouse.
func TestPlayground(t *testing.T) {
	ctx := browser(t)
	server := served()
	do(t, ctx, chromedp.Navigate(server.URL+"/#/playground"), chromedp.WaitVisible(".viewer"))

	write(t, ctx, "v_lshlrev_b32 v1, 2, v0\nv_add_u32 v2, vcc, 1, v1\ns_endpgm")
	do(t, ctx, chromedp.Click("#run"), chromedp.WaitVisible("#step"), chromedp.Click("#step"))
	eventually(t, ctx, fmt.Sprintf(cellOf, 3)+` === '0000000c'`)
	do(t, ctx, chromedp.Click("#step"))
	eventually(t, ctx, fmt.Sprintf(cellOf, 3)+` === '0000000d'`)
	do(t, ctx, chromedp.Click("#back"))
	eventually(t, ctx, fmt.Sprintf(cellOf, 63)+` === '000000fc'`)

	do(t, ctx, chromedp.Click("#share"))
	eventually(t, ctx, `document.getElementById('link')?.value.includes('#s=')`)
	link := evaluate[string](t, ctx, `document.getElementById('link').value`)

	write(t, ctx, "s_nop 0\nv_foo v1")
	eventually(t, ctx, `document.querySelector('.problem')?.textContent.startsWith('line 2')`)
	eventually(t, ctx, `document.querySelector('.cm-lint-marker-error')`)

	do(t, ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(link))
	eventually(t, ctx, `document.querySelector('.cm-content')?.textContent.includes('v_add_u32 v2, vcc, 1, v1')`)

	// With keys only: start from the editor, go to the steps, step.
	do(t, ctx, chromedp.Focus(".cm-content"), chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(kb.ModifierCtrl)),
		chromedp.WaitVisible("#step"), chromedp.KeyEvent(kb.Escape))
	eventually(t, ctx, `document.querySelector('.result')`)
	for range 60 {
		do(t, ctx, chromedp.KeyEvent(kb.Tab))
		if evaluate[bool](t, ctx, `document.activeElement.closest('.viewer') !== null`) {
			break
		}
	}
	do(t, ctx, chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
	eventually(t, ctx, fmt.Sprintf(cellOf, 1)+` === '00000005'`)
	do(t, ctx, chromedp.KeyEvent(kb.ArrowLeft))
	eventually(t, ctx, fmt.Sprintf(cellOf, 1)+` === '00000004'`)

	// The debug command changes with the shown step.
	do(t, ctx, chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll('.viewer summary')].find(
		s => s.textContent.startsWith('Debug this step')).click()`))
	eventually(t, ctx, `document.getElementById('debug')?.value.startsWith('gcnsim debug --at=0,0,0:0:0 request.json')`)
	do(t, ctx, chromedp.Click("#step"))
	eventually(t, ctx, `document.getElementById('debug').value.includes(' --at=0,0,0:0:1 ')`)
}

// Pages are accessible in the light and the dark theme, and fit a small screen. Lessons are similar, so each is
// tested in only one theme, alternately.
func TestAccess(t *testing.T) {
	ctx := browser(t)
	axe, err := os.ReadFile("../../node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Skip("axe-core is not installed, run npm ci --prefix page")
	}
	server := served()
	report := filepath.Join(t.TempDir(), "report.html")
	p, err := page.Viewer(pagetest.File(t, "buffer_load_dword v1, v0, s[0:3], 0 offen\ns_waitcnt "+
		"vmcnt(0)\nv_mov_b32 v2, v1"))
	require.NoError(t, err)
	html := fmt.Sprintf(`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" `+
		`content="width=device-width"><title>r</title><style>:root { color-scheme: light dark `+
		`}</style>%s</head><body><main><h1>r</h1><h2>s</h2>%s</main></body></html>`, p.Head, p.Body)
	require.NoError(t, os.WriteFile(report, []byte(html), 0o600))
	places := []string{"file://" + report + "#step=1", server.URL + "/#/", server.URL + "/#/playground",
		server.URL + "/#/lessons",
		server.URL + "/#rule/CY10"}
	// The other lessons have no other elements.
	for _, l := range []string{"030-range", "050-banks", "070-waitcnt", "100-filtering"} {
		places = append(places, server.URL+"/#/lesson/"+l)
	}
	if !effort.Full() {
		places = places[:1]
	}
	for i, place := range places {
		schemes := []string{"light", "dark"}
		if strings.Contains(place, "lesson/") {
			schemes = schemes[i%2 : i%2+1]
		}
		do(t, ctx, inScheme("light"), chromedp.EmulateViewport(1300, 1000), chromedp.Navigate("about:blank"),
			chromedp.Navigate(place))
		ready := `document.querySelector('#run, .contents, .cards, .handbook .prose')`
		if strings.Contains(place, "lesson/") || strings.HasPrefix(place, "file:") {
			ready = `document.querySelector('.special')`
		}
		eventually(t, ctx, ready)
		do(t, ctx, chromedp.Evaluate[chromedp.Void](string(axe)))
		for j, scheme := range schemes {
			if effort.LeavesOut(j) {
				continue
			}
			do(t, ctx, inScheme(scheme))
			evaluate[bool](t, ctx,
				`new Promise(r => requestAnimationFrame(r)).then(() => Promise.all(document.getAnimations().map(a => `+
					`a.finished))).then(() => true)`) // colours change gradually
			found := evaluate[[]string](t, ctx,
				`axe.run(document, { resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] `+
					`}).then(r => r.violations.filter(v => v.impact === 'serious' || v.impact === 'critical').flatMap(v => `+
					`v.nodes.map(n => v.id + ': ' + n.target.join(' ') + ' ' + n.failureSummary.slice(0, 300))))`)
			assert.Empty(t, found, "%s, %s", place, scheme)
			assert.Equal(t, scheme == "light", brightness(t, ctx) > 0.5, "%s, %s", place, scheme)
		}
		for j, small := range []int64{400, 650} { // a phone, and 200 percent on a screen of 1300 pixels
			if effort.LeavesOut(j) {
				continue
			}
			do(t, ctx, chromedp.EmulateViewport(small, 800))
			width := evaluate[int64](t, ctx, `document.scrollingElement.scrollWidth`)
			assert.LessOrEqual(t, width, small, "%s is wider than a small screen", place)
		}
	}
}

// brightness returns the mean of a screenshot, from 0 to 1.
func brightness(t *testing.T, ctx context.Context) float64 {
	t.Helper()
	shot, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	require.NoError(t, err)
	img, err := png.Decode(bytes.NewReader(shot))
	require.NoError(t, err)
	return mean(img)
}

// mean returns the mean of some pixels.
func mean(img image.Image) float64 {
	b, sum, n := img.Bounds(), 0.0, 0
	for y := b.Min.Y; y < b.Max.Y; y += 8 {
		for x := b.Min.X; x < b.Max.X; x += 8 {
			r, g, bl, _ := img.At(x, y).RGBA()
			sum += float64(r+g+bl) / (3 * 0xffff)
			n++
		}
	}
	return sum / float64(n)
}

// script makes the exports of a file in page/src available as the global R of an empty page.
func script(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	built := api.Build(api.BuildOptions{EntryPoints: []string{"../../src/" + name}, Bundle: true, Format: api.FormatIIFE,
		GlobalName: "R", Target: api.ES2022})
	require.Empty(t, built.Errors)
	do(t, ctx, chromedp.Navigate("about:blank"),
		chromedp.Evaluate[chromedp.Void](string(built.OutputFiles[0].Contents)+";globalThis.R = R"))
}

// Fields of descriptors are read and written at the right bits. A scenario is restored from its link. A change
// replaces text and keys. Numbers and rules are found in text.
func TestUnits(t *testing.T) {
	ctx := browser(t)
	script(t, ctx, "scenario.ts")
	assert.Empty(t, evaluate[[]string](t, ctx, `(() => {
		const words = ['0x12345678', '0xffffffff', '0x00000000', '0x9abcdef0'], wrong = []
		const whole = w => w.reduce((v, x, i) => v | BigInt(x) << BigInt(32 * i), 0n)
		for (let shift = 0; shift < 128; shift += 3)
			for (const width of [1, 4, 14, 32, 48].filter(w => shift + w <= 128)) {
				const mask = (1n << BigInt(width)) - 1n, value = Number(0xa5a5a5a5a5a5n & mask)
				const want = whole(words) & ~(mask << BigInt(shift)) | BigInt(value) << BigInt(shift)
				const got = R.withBits(words, { shift, width }, value)
				if (whole(got) !== want || R.bitsOf(got, { shift, width }) !== value) wrong.push(shift + ' ' + width)
			}
		return wrong
	})()`))
	assert.True(t, evaluate[bool](t, ctx, `(async s => JSON.stringify(await R.shared(await R.share(s))) ===
		JSON.stringify(s))({ ...R.first, asm: '日本 ' + 'v_nop\n'.repeat(9999) })`))
	assert.JSONEq(t, `{"asm": "b b a", "m0": "1", "mcpu": "fiji"}`, evaluate[string](t, ctx, `JSON.stringify(R.change(
		{ asm: 'a b a', mcpu: 'fiji' }, { replace: [['a', 'b']], set: { m0: '1' } }))`))
	script(t, ctx, "facts.ts")
	assert.Equal(t, "1 lane 2 lanes", evaluate[string](t, ctx, `R.many(1, 'lane') + ' ' + R.many(2, 'lane')`))
	assert.Equal(t, []string{"A6", "CY5"}, evaluate[[]string](t, ctx,
		`R.citations('by rule A6 (rule CY5), not B').flatMap(c => c.id ?? [])`))
}

// The viewer decodes a record like the reader in Go.
func TestReaders(t *testing.T) {
	ctx := browser(t)
	r := pagetest.Record(t, "v_cvt_f32_u32 v1, v0\nv_mul_f32 v2, v1, v1\ns_mov_b64 exec, 0xff\nv_xor_b32 v3, v2, "+
		"v0\nbuffer_load_dword v4, v0, s[0:3], 0 offen\ns_waitcnt vmcnt(0)\nv_mul_lo_u32 v5, v3, v3\nv_alignbit_b32 v6, "+
		"v5, v3, 7\nv_mad_f32 v7, v1, v2, v1\nv_writelane_b32 v8, s2, 5")
	var want []uint32
	for s, err := range r.Windows[0].Steps() {
		require.NoError(t, err)
		want = append(want, sum(s.State))
	}
	at := check.Site{PC: 0x1010, Text: "v_mov_b32 v1, v0", Index: 3, Group: [3]uint32{1, 0, 0}, Wave: 2}
	before := at
	before.PC, before.Index = 0x1008, 1
	r.Base = 0x1000
	r.AddFindings([]check.Finding{{Site: at, Producer: &before}, {Site: check.Site{PC: 0x1000, Text: "s_nop 0"}}})
	var file bytes.Buffer
	require.NoError(t, r.Write(&file))
	script(t, ctx, "record.ts")
	text, err := json.Marshal(base64.StdEncoding.EncodeToString(file.Bytes()))
	require.NoError(t, err)
	got := evaluate[[]uint32](t, ctx, `R.read(Uint8Array.from(atob(`+string(text)+`), c => c.charCodeAt(0))).then(r => {
		const w = r.windows[0], sums = []
		for (let i = 0; i <= w.count; i++) {
			const s = w.stateAt(i)
			let h = s.scc + s.vm + s.lgkm
			for (const v of s.s) h = (Math.imul(h, 31) + v) >>> 0
			for (const v of s.v) for (const x of v) h = (Math.imul(h, 31) + x) >>> 0
			sums.push(h)
		}
		w.stateAt(0)
		return sums
	})`)
	assert.Equal(t, want, got)
	assert.Equal(t, `[4112,3,[1,0,0],2,4104,1,[1,0,0],2][4096,0,[0,0,0],0]`, evaluate[string](t, ctx, `R.read(Uint8Array.from(
		atob(`+string(text)+`), c => c.charCodeAt(0))).then(r => r.head.findings.map(f => JSON.stringify(
			[f, ...(f.producer ? [f.producer] : [])].flatMap(s => [s.pc, s.step, s.group, s.wave]))).join(''))`))
}

// sum computes the same checksum as the script.
func sum(s *state.Wave) uint32 {
	h := s.SCC + uint32(s.VMCnt) + uint32(s.LGKMCnt)
	for _, v := range s.S {
		h = h*31 + v
	}
	for _, v := range s.V {
		for _, x := range v {
			h = h*31 + x
		}
	}
	return h
}
