package browser_test

import (
	"compress/flate"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

// Programs that execute until the page stops them, and for a moment.
const (
	endless = "l: v_add_f32 v1, v1, v0\ns_branch l"
	brief   = "v_mov_b32 v1, 7\ns_endpgm"
)

// sent is an action that sends a command of the browser's input.
func sent[P any](c cdp.Command[P, cdp.Empty], params ...P) action {
	return func(ctx context.Context, target *chromedp.Target) (v chromedp.Void, err error) {
		for _, p := range params {
			if _, err = cdp.Call(ctx, target, c, p); err != nil {
				return v, err
			}
		}
		return v, nil
	}
}

// down returns the event of a key press that types a character, unless the page prevents it.
func down(key rune, repeated bool) input.DispatchKeyEventParams {
	e := *kb.Encode(key)[0]
	if e.Type, e.AutoRepeat = kb.KeyDown, &repeated; kb.Keys[key] != nil && kb.Keys[key].Print {
		e.Text = kb.Keys[key].Text
	}
	return e
}

// typed types a text, key by key, waiting until the browser has processed each.
func typed(text string) action {
	var events []input.DispatchKeyEventParams
	for _, key := range strings.ReplaceAll(text, "\n", "\r") {
		events = append(events, down(key, false))
	}
	return sent(input.DispatchKeyEvent, events...)
}

// burst sends an event n times without waiting for the browser.
func burst(e input.DispatchKeyEventParams, n int) action {
	return func(ctx context.Context, target *chromedp.Target) (v chromedp.Void, err error) {
		var g errgroup.Group
		for range n {
			g.Go(func() error {
				_, err := cdp.Call(ctx, target, input.DispatchKeyEvent, e)
				return err
			})
		}
		return v, g.Wait()
	}
}

// command presses a shortcut that the browser handles itself, such as copy or paste.
func command(name, key string) action {
	return chromedp.KeyEvent(key, chromedp.KeyModifiers(kb.ModifierCtrl), func(p *input.DispatchKeyEventParams) {
		if p.Type == kb.KeyDown {
			p.Commands = []string{name}
		}
	})
}

// ctrl presses a key with Ctrl.
func ctrl(key string) action { return chromedp.KeyEvent(key, chromedp.KeyModifiers(kb.ModifierCtrl)) }

// edited is an expression for the editor's visible text.
const edited = `[...document.querySelectorAll('.cm-line')].map(l => l.textContent).join('\n')`

// scenario returns the scenario that the page would execute, decoded from its link. It leaves the focus in the
// editor.
func scenario(t *testing.T, ctx context.Context) (s map[string]any) {
	t.Helper()
	link := evaluate[string](t, ctx, `(async () => {
		document.getElementById('share').click()
		while (!document.getElementById('link')) await new Promise(done => setTimeout(done, 5))
		document.querySelector('.cm-content').focus()
		return document.getElementById('link').value
	})()`)
	_, packed, _ := strings.Cut(link, "#s=")
	b, err := base64.RawURLEncoding.DecodeString(packed)
	require.NoError(t, err)
	text, err := io.ReadAll(flate.NewReader(strings.NewReader(string(b))))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &s))
	return s
}

// The editor and the scenario contain everything that was typed, however fast and by whatever method.
func TestTyping(t *testing.T) {
	ctx := browser(t)
	server := served()
	open := func(place string) {
		t.Helper()
		do(t, ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(server.URL+place))
		eventually(t, ctx, `document.querySelector('.cm-content')`)
		do(t, ctx, chromedp.Focus(".cm-content"))
	}
	is := func(want string) {
		t.Helper()
		require.Equal(t, want, evaluate[string](t, ctx, edited))
		require.Equal(t, want, scenario(t, ctx)["asm"])
	}
	open("/#/playground")

	// Two changes in two tasks of the same frame.
	do(t, ctx, ctrl("a"), chromedp.KeyEvent(kb.Delete))
	evaluate[bool](t, ctx,
		`new Promise(done => { document.execCommand('insertText', false, 'a'); setTimeout(() => { `+
			`document.execCommand('insertText', false, 'b'); setTimeout(() => done(true), 100) }, 0) })`)
	is("ab")
	do(t, ctx, ctrl("a"), chromedp.KeyEvent(kb.Delete))

	text := ""
	for i := range effort.Rounds(20) {
		key := rune('0' + i%10)
		do(t, ctx, burst(down(key, false), 49), typed("\n"))
		text += strings.Repeat(string(key), 49) + "\n"
	}
	is(text)

	// The selection is replaced and deleted, and undone.
	do(t, ctx, ctrl("a"), typed("// x"))
	is("// x")
	do(t, ctx, ctrl("z"))
	for range 5 { // text that was typed at once is undone at once, or in parts
		if evaluate[string](t, ctx, edited) != text {
			do(t, ctx, ctrl("z"))
		}
	}
	is(text)
	do(t, ctx, ctrl("a"), command("copy", "c"), chromedp.KeyEvent(kb.Delete), command("paste", "v"), typed("\n"),
		command("paste", "v"))
	is(text + "\n" + text)
	do(t, ctx, ctrl("a"), chromedp.KeyEvent(kb.Backspace))
	is("")
	do(t, ctx, typed("7"), burst(down('7', true), 99)) // the key is held
	is(strings.Repeat("7", 100))
	do(t, ctx, burst(down('\b', true), 98))
	is("77")

	// An input method composes a word and changes it before it is committed.
	do(t, ctx, typed(" "), sent(input.ImeSetComposition,
		input.ImeSetCompositionParams{Text: "に", SelectionStart: 1, SelectionEnd: 1},
		input.ImeSetCompositionParams{Text: "にほ", SelectionStart: 2, SelectionEnd: 2},
		input.ImeSetCompositionParams{Text: "日本", SelectionStart: 2, SelectionEnd: 2}),
		sent(input.InsertText, input.InsertTextParams{Text: "日本"}), typed(" 8"))
	is("77 日本 8")

	// During an execution, and while a lesson is loading:
	write(t, ctx, endless)
	do(t, ctx, ctrl(kb.Enter), chromedp.WaitVisible("#cancel"), ctrl("a"), typed(brief))
	is(brief)
	do(t, ctx, pressCancel())
	eventually(t, ctx, `!document.getElementById('cancel')`)
	is(brief)
	// Meanwhile a rule is opened.
	do(t, ctx, chromedp.Evaluate[chromedp.Void](`location.hash = '#rule/A1'`))
	eventually(t, ctx, `document.querySelector('.handbook .prose')`)
	do(t, ctx, chromedp.Evaluate[chromedp.Void](`history.back()`))
	eventually(t, ctx, `document.querySelector('.cm-content')`)
	is(brief)
	open("/#/lesson/010-exec")
	do(t, ctx, ctrl("a"), typed(brief))
	eventually(t, ctx, `document.querySelector('.viewer')`)
	is(brief)
}

// inputs are the input elements of the forms.
const inputs = `[...document.querySelectorAll('.playground :is(.choices, .resources) :is(input:not([type=range]), select)')]`

// Whatever the page renders while a user types into a field or selects a value, the field and the scenario keep the
// input.
func TestForms(t *testing.T) {
	ctx := browser(t)
	server := served()
	do(t, ctx, chromedp.Navigate(link(t, server, map[string]any{
		"mcpu": "fiji", "rules": "seed", "asm": brief,
		"buffers": []any{map[string]any{"name": "b", "sgpr": 0, "size": 256, "fill": "zero"}},
		"images": []any{map[string]any{"name": "i", "sgpr": 8, "data": 10, "num": 0, "width": 16, "height": 16,
			"levels": 1, "picture": "checker"}},
		"samplers": []any{map[string]any{"sgpr": 16, "words": []string{"0x0", "0x0", "0x0", "0x0"}}},
	})))
	eventually(t, ctx, `document.querySelectorAll('.descriptor').length === 3`)
	do(t, ctx, chromedp.Evaluate[chromedp.Void](`document.querySelectorAll('.resources details').forEach(d => `+
		`d.open = true)`))
	eventually(t, ctx, `document.querySelectorAll('.descriptor table').length === 3`)
	count := evaluate[int](t, ctx, inputs+`.length`)
	assert.Greater(t, count, 40)
	// If the clipboard is not available, the link would take the focus.
	do(t, ctx, chromedp.Evaluate[chromedp.Void](`Object.defineProperty(navigator, 'clipboard', { value: { writeText: `+
		`async () => {} } })`))
	// renders makes the page show the link, which disappears after each change.
	renders := func() {
		t.Helper()
		do(t, ctx, chromedp.Evaluate[chromedp.Void](`document.getElementById('share').click()`))
		eventually(t, ctx, `document.getElementById('link')`)
	}
	type field struct {
		Name, Value, Last string // Last is the last choice
		Select            bool
	}
	look := func(i int) field {
		t.Helper()
		return evaluate[field](t, ctx, fmt.Sprintf(`(e => {
			e.focus()
			return { Name: e.ariaLabel || e.labels[0].firstChild.textContent, Value: e.value, Select: e.tagName === 'SELECT', Last: e.options?.[e.options.length - 1].value }
		})(%s[%d])`, inputs, i))
	}
	changed := 0
	for i := count - 1; i >= 0; i-- { // the chip is last, because it decides which fields exist
		if effort.LeavesOut(i) {
			continue
		}
		f, want := look(i), "1"
		switch {
		case f.Select:
			want = f.Last
			do(t, ctx, chromedp.KeyEvent(kb.End))
		case f.Name == "name ":
			want = "01"
			fallthrough
		default:
			do(t, ctx, ctrl("a"), typed("0"))
			renders()
			do(t, ctx, typed("1"))
			require.Equal(t, "01", look(i).Value, f.Name)
			do(t, ctx, typed("\n"))
		}
		require.Equal(t, want, look(i).Value, f.Name)
		changed++
	}
	if count != changed {
		return // in a sample only
	}
	text, err := json.Marshal(scenario(t, ctx))
	require.NoError(t, err)
	assert.JSONEq(t, `{"mcpu": "rv770", "rules": "rdna", "waves": 4, "asm": "v_mov_b32 v1, 7\ns_endpgm",
		"buffers": [{"name": "01", "sgpr": 1, "size": 1, "fill": "random", "words": ["0x00000001", "0xc0010000", "0x00000001", "0xc6ffffff"]}],
		"images": [{"name": "01", "sgpr": 1, "data": 16, "num": 0, "width": 1, "height": 1, "levels": 1, "tile": 1, "picture": "levels"}],
		"m0": "0x00010001",
		"samplers": [{"sgpr": 1, "words": ["0xf839ffff", "0x11001001", "0xfff04001", "0xc0000001"]}]}`, string(text))
}
