package browser_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/page"
)

// shownSteps returns the viewer's position, such as "2 of 6 done".
func shownSteps(t *testing.T, ctx context.Context) string {
	t.Helper()
	return evaluate[string](t, ctx, `document.querySelector('.slider output').textContent`)
}

// focused is an expression for the element that has the focus.
const focused = `(e => e.id || e.className)(document.activeElement)`

// The viewer's keys work right after an execution that its button started, also when the focused element no longer
// exists. A user who started from the editor, or has moved elsewhere, keeps the focus there.
func TestRunFocus(t *testing.T) {
	ctx := browser(t)
	do(t, ctx, chromedp.Navigate(served().URL+"/#/playground"), chromedp.WaitVisible(".viewer"))

	do(t, ctx, chromedp.Focus(".cm-content"), ctrl(kb.Enter))
	eventually(t, ctx, `document.querySelector('.viewer')`)
	assert.Contains(t, evaluate[string](t, ctx, focused), "cm-content")

	do(t, ctx, chromedp.Click("#run"))
	eventually(t, ctx, focused+` === 'viewer'`)
	do(t, ctx, chromedp.KeyEvent(kb.Home))
	do(t, ctx, chromedp.KeyEvent(kb.ArrowRight))
	assert.Equal(t, "1 of 6 done", shownSteps(t, ctx))
	do(t, ctx, chromedp.KeyEvent("m"))
	assert.Equal(t, "2 of 6 done", shownSteps(t, ctx))

	do(t, ctx, chromedp.Evaluate[chromedp.Void](`document.querySelector('.access [aria-selected=true]').focus()`),
		chromedp.KeyEvent("m"), chromedp.KeyEvent("M"))
	assert.Equal(t, "2 of 6 done", shownSteps(t, ctx))
	do(t, ctx, chromedp.Evaluate[chromedp.Void](`document.querySelector('.changes [aria-selected=true]').focus()`),
		chromedp.KeyEvent("m"), chromedp.KeyEvent(kb.ArrowRight))
	assert.Equal(t, "6 of 6 done", shownSteps(t, ctx), "the cell went with the step")
	do(t, ctx, chromedp.Focus(".toolbar input[type=range]"), chromedp.KeyEvent("M"))
	assert.Equal(t, "5 of 6 done", shownSteps(t, ctx))

	write(t, ctx, endless)
	do(t, ctx, chromedp.Click("#run"), chromedp.WaitVisible("#cancel"), chromedp.Focus(".cm-content"), ctrl(kb.Enter))
	eventually(t, ctx, `document.querySelector('.said').textContent.startsWith('a run is under way')`)
	do(t, ctx, pressCancel())
	eventually(t, ctx, `!document.getElementById('cancel')`)

	// The answer arrives when the user is back in the editor.
	do(t, ctx, chromedp.Evaluate[chromedp.Void](`globalThis.answer = undefined; const wait = fetch; fetch = async `+
		`(url, o) => { const r = await wait(url, o); if (url.includes('run')) await new Promise(done => answer = done); `+
		`return r }`))
	write(t, ctx, brief)
	do(t, ctx, chromedp.Focus("#run"), chromedp.KeyEvent(kb.Enter))
	eventually(t, ctx, `answer`)
	do(t, ctx, chromedp.Focus(".cm-content"), chromedp.Evaluate[chromedp.Void](`answer()`))
	eventually(t, ctx, `document.querySelector('.result')`)
	assert.Contains(t, evaluate[string](t, ctx, focused), "cm-content")
}

// A fault is shown with all details, and disappears when the next execution starts, however that ends.
func TestRunFault(t *testing.T) {
	ctx := browser(t)
	do(t, ctx, chromedp.Navigate(served().URL+"/#/playground"), chromedp.WaitVisible("#run"))
	const want = "memory fault at 0x0014 flat_load_dword v1, v[2:3], lane 5, address 0xdeadbeef00001004, wave 0 of " +
		"group 0,0,0: no mapped range holds the 4 bytes there"
	write(t, ctx, "v_mov_b32 v2, 0x1004\nv_mov_b32 v3, 0xdeadbeef\ns_mov_b64 exec, 32\nflat_load_dword v1, v[2:3]\n")
	do(t, ctx, chromedp.Click("#run"))
	eventually(t, ctx, `document.querySelector('.problem .rule')`)
	text := func(selector string) string {
		t.Helper()
		return evaluate[string](t, ctx, `document.querySelector('`+selector+`').textContent`)
	}
	assert.Contains(t, text(".problem"), want)
	assert.Contains(t, text(".problem .rule"), "rule F9: Unmapped addresses")
	assert.Contains(t, text(".ended"), "at 0x0014 flat_load_dword v1, v[2:3], lane 5, address 0xdeadbeef00001004.")
	do(t, ctx, chromedp.Click("#fault"))
	eventually(t, ctx, `document.querySelector('.rest .finding')`)
	assert.Contains(t, text(".rest .finding"), want)

	write(t, ctx, endless)
	do(t, ctx, chromedp.Click("#run"), chromedp.WaitVisible("#cancel"))
	const none = `![...document.querySelectorAll('.problem, .finding')].some(e => e.textContent.includes('fault'))`
	eventually(t, ctx, none)
	do(t, ctx, pressCancel())
	eventually(t, ctx, `document.querySelector('.problem')?.textContent === 'cancelled'`)
	assert.True(t, evaluate[bool](t, ctx, none))
	assert.True(t, evaluate[bool](t, ctx, `!document.querySelector('.viewer')`),
		"steps of another program than that which was run")
}

// Without a clipboard the link of a program is selected, so that the user can copy it.
func TestShareWithoutClipboard(t *testing.T) {
	ctx := browser(t)
	do(t, ctx, chromedp.Navigate(served().URL+"/#/playground"), chromedp.WaitVisible("#share"),
		chromedp.Evaluate[chromedp.Void](`Object.defineProperty(navigator, 'clipboard', { value: undefined })`),
		chromedp.Click("#share"))
	eventually(t, ctx, `(e => e.id === 'link' && e.selectionStart === 0 && e.selectionEnd === e.value.length && `+
		`e.value.includes('#s='))(document.activeElement)`)
	do(t, ctx, chromedp.Focus(".cm-content"), typed("x"))
	eventually(t, ctx, `!document.getElementById('link')`) // the link belongs to another program
}

// A page that was opened as a file says what to do instead. The served page has an icon.
func TestOpened(t *testing.T) {
	ctx := browser(t)
	dir := t.TempDir()
	for name, data := range page.Files() {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	for _, place := range []string{"", "#/lesson/010-exec", "#rule/A1"} {
		do(t, ctx, chromedp.Navigate("about:blank"), chromedp.Navigate("file://"+dir+"/index.html"+place))
		eventually(t, ctx, `document.querySelector('.problem')?.textContent.includes('Run "gcnsim page"') && `+
			`!document.body.innerText.includes('being loaded')`)
	}
	do(t, ctx, chromedp.Navigate(served().URL))
	assert.Positive(t, evaluate[float64](t, ctx,
		`new Promise((done, failed) => { const i = new Image(); i.onload = () => done(i.naturalWidth); i.onerror = `+
			`failed; i.src = document.querySelector('link[rel=icon]').href })`))
}

// A step says what its instruction does, a wait which steps it waits for, and a register of the text what it holds.
func TestStepsExplainThemselves(t *testing.T) {
	ctx := browser(t)
	do(t, ctx, chromedp.Navigate(served().URL+"/#/playground"), chromedp.WaitVisible(".viewer"))
	write(t, ctx, "v_lshlrev_b32 v1, 2, v0\nbuffer_load_dword v2, v1, s[0:3], 0 offen\n"+
		"buffer_load_dword v3, v1, s[0:3], 0 offen\ns_waitcnt vmcnt(1)\ns_waitcnt vmcnt(0)\ns_endpgm\n")
	do(t, ctx, chromedp.Click("#run"))
	eventually(t, ctx, `document.querySelector('.slider output').textContent.endsWith('of 6 done')`)
	do(t, ctx, chromedp.Focus(".viewer"), chromedp.KeyEvent(kb.Home))
	var does []string
	for range 5 {
		do(t, ctx, chromedp.KeyEvent(kb.ArrowRight))
		does = append(does, evaluate[string](t, ctx, `document.querySelector('.does').textContent`))
	}
	assert.Equal(t, []string{
		"For each lane of EXEC: writes v1 (b32) from S0 = 2 (u32), S1 = v0 (b32): S1 << S0[4:0].",
		"Loads 1 dword a lane from the buffer.", "Loads 1 dword a lane from the buffer.",
		"Holds the wave: waits for vmcnt at most 1. What it waits for: step 1 (buffer_load_dword).",
		"Holds the wave: waits for vmcnt at most 0. What it waits for: step 2 (buffer_load_dword).",
	}, does)
	const title = `[...document.querySelectorAll('.code-listing span[title]')].find(e => e.textContent === '%s').title`
	assert.Equal(t, "v1 holds 0x00000000 in lane 0", evaluate[string](t, ctx, fmt.Sprintf(title, "v1")))
	assert.Equal(t, "s[0:3] holds 0x00010000 0x00000000 0x00000100 0x00027fac",
		evaluate[string](t, ctx, fmt.Sprintf(title, "s[0:3]")))
}
