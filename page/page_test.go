package page_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/tool/svg"
	"github.com/gcnsim/gcnsim/page"
	"github.com/gcnsim/gcnsim/page/internal/engine"
	"github.com/gcnsim/gcnsim/page/internal/pagetest"
)

func TestExtra(t *testing.T) {
	r := pagetest.Record(t, "buffer_load_dword v1, v0, s[0:3], 0 offen")
	x := engine.ExtraOf(r)
	require.Contains(t, x.Rules, "C1")
	assert.Contains(t, x.Rules["C1"].Text, "NUM_RECORDS")
	require.Len(t, x.Descriptors, 1)
	for key, text := range x.Descriptors {
		assert.True(t, strings.HasPrefix(key, "vsharp "), key)
		assert.Contains(t, text, "NUM_RECORDS")
	}
}

// The parts of a report work under their policy and refer to nothing outside.
func TestViewer(t *testing.T) {
	p, err := page.Viewer(pagetest.File(t, "v_mov_b32 v1, 1"))
	require.NoError(t, err)
	assert.Contains(t, p.Policy, "default-src 'none'")
	assert.NotContains(t, p.Policy, "unsafe-eval")
	all := p.Head + p.Body
	for _, no := range []string{"src=", "@import", "url(", "fetch("} {
		assert.NotContains(t, all, no)
	}
}

// Meaningful shapes stand out from the page in both themes: bars of the timeline, accesses in flight, and the focus.
func TestShapesStandOut(t *testing.T) {
	css, err := os.ReadFile("dist/viewer.css")
	require.NoError(t, err)
	light, dark, ok := strings.Cut(string(css), "prefers-color-scheme:dark")
	require.True(t, ok)
	stalls := regexp.MustCompile(`\.stall(\d+)\{background:(#[0-9a-f]{6})\}`).FindAllStringSubmatch(string(css), -1)
	assert.Len(t, stalls, int(timing.NumStalls))
	for theme, text := range map[string]string{"#ffffff": light, "#14181f": dark} {
		assert.Contains(t, text, "--page: "+strings.Replace(theme, "#ffffff", "#fff", 1))
		for _, name := range []string{"busy", "flight", "focus"} {
			m := regexp.MustCompile("--" + name + ": (#[0-9a-f]{6})").FindStringSubmatch(text)
			require.NotNil(t, m, name)
			assert.GreaterOrEqual(t, svg.Contrast(m[1], theme), 3.0, name)
		}
		for _, s := range stalls {
			assert.GreaterOrEqual(t, svg.Contrast(s[2], theme), 3.0, s[0])
		}
	}
}

// The compressed files that users download are small.
func TestSizes(t *testing.T) {
	script, err := os.ReadFile("dist/report.js")
	require.NoError(t, err)
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err = z.Write(script)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	assert.Less(t, b.Len(), 100<<10)
	packed, err := os.Stat("dist/page.js.gz")
	require.NoError(t, err)
	assert.Less(t, packed.Size(), int64(400_000))
}
