package browser_test

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/page"
)

// full is JavaScript that, when a call asks for it, fills the memory of the library's worker, so that the next
// allocation fails.
const full = `
const instantiate = WebAssembly.instantiate
let memory, moved
WebAssembly.instantiate = async (module, imports) => {
  const i = await instantiate(module, imports)
  memory = i.exports.mem
  moved = imports.gojs['runtime.resetMemoryDataView']
  return i
}
addEventListener('message', e => {
  if (e.data.name !== 'run' || !e.data.body.includes('the memory is full')) return
  for (let n = 1024; n > 0;) try { memory.grow(n) } catch { n >>= 1 }
  moved(0)
})
`

// site serves the static files that make page wrote.
func site(t *testing.T) *httptest.Server {
	t.Helper()
	const dir = "../../../bin/page"
	files := page.Files()
	for _, name := range []string{"engine.wasm.gz", "wasm_exec.js"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			t.Skip(err, ": the library as WebAssembly is not tried; make page builds it")
		}
		require.NoError(t, err)
		files[name] = data
	}
	files["worker.js"] = append([]byte(full), files["worker.js"]...)
	types := map[string]string{".html": "text/html", ".js": "text/javascript", ".css": "text/css"}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		if name == "" {
			name = "index.html"
		}
		data, ok := files[name]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", types[path.Ext(name)])
		_, _ = w.Write(data) // an error means that the browser has disconnected
	}))
	t.Cleanup(server.Close)
	return server
}

// link returns the URL of a scenario.
func link(t *testing.T, server *httptest.Server, scenario map[string]any) string {
	t.Helper()
	text, err := json.Marshal(scenario)
	require.NoError(t, err)
	var packed bytes.Buffer
	z, err := flate.NewWriter(&packed, flate.DefaultCompression)
	require.NoError(t, err)
	_, err = z.Write(text)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return server.URL + "/#s=" + base64.RawURLEncoding.EncodeToString(packed.Bytes())
}

// The page survives every execution: an endless program is cancelled, a too large one is refused, and a library that
// is out of memory is restarted.
func TestLimits(t *testing.T) {
	engines := map[string]func(*testing.T) *httptest.Server{
		"WebAssembly": site,
		"server":      func(*testing.T) *httptest.Server { return served() },
	}
	for name, start := range engines {
		t.Run(name, func(t *testing.T) {
			ctx := browser(t)
			server := start(t)
			opened := 0
			open := func(scenario map[string]any, asm string) {
				t.Helper()
				opened++
				scenario["mcpu"], scenario["rules"], scenario["asm"] = "fiji", "seed", fmt.Sprintf("// program %d\n%s", opened, asm)
				do(t, ctx, chromedp.Navigate(link(t, server, scenario)))
				eventually(t, ctx, fmt.Sprintf(`document.querySelector('.cm-content')?.textContent.startsWith('// program %d')`,
					opened))
			}
			runs := func() {
				t.Helper()
				do(t, ctx, chromedp.Click("#run"))
				eventually(t, ctx, `document.querySelector('.result')?.textContent.startsWith('2 instructions') && `+
					`!document.querySelector('.problem')`)
			}
			begun := time.Now()
			open(map[string]any{}, brief)
			ready := time.Since(begun)
			runs()
			t.Logf("ready after %v, first run shown after %v", ready, time.Since(begun))
			refused := func(message string, scenario map[string]any, asm string) {
				t.Helper()
				open(scenario, asm)
				do(t, ctx, chromedp.Click("#run"))
				eventually(t, ctx, fmt.Sprintf(`[...document.querySelectorAll('.problem')].some(p => p.textContent.includes(%q))`,
					message))
				open(map[string]any{}, brief)
				runs()
			}
			buffer := func(first, size int) map[string]any {
				return map[string]any{"name": fmt.Sprint("b", first), "sgpr": first, "size": size}
			}
			refused("MiB together", map[string]any{"buffers": []any{buffer(0, 16<<20), buffer(4, 4)}}, brief)
			if !effort.LeavesOut(1) { // which takes a second
				refused("the page takes 1 MiB", map[string]any{}, strings.Repeat("s_nop 0 // a comment\n", 1<<16))
			}
			if name == "WebAssembly" {
				// When WebAssembly is out of memory, Go's runtime ends in one of several ways.
				refused("it starts again with the next run", map[string]any{"buffers": []any{buffer(0, 15<<20)}},
					brief+"\n// the memory is full")
			}
			open(map[string]any{}, endless)
			do(t, ctx, chromedp.Click("#run"))
			eventually(t, ctx, `/running, [0-9,]+ instructions/.test(document.querySelector('#cancel')?.parentElement.textContent)`)
			do(t, ctx, pressCancel())
			eventually(t, ctx, `document.querySelector('.problem')?.textContent === 'cancelled'`)
			write(t, ctx, brief)
			runs()
		})
	}
}
