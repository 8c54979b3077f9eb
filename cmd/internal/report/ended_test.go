package report

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/cmd/internal/request"
	"github.com/gcnsim/gcnsim/internal/sim/record"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

// recordOf returns the record in a report, and the report itself.
func recordOf(t *testing.T, name string) (*record.Record, string) {
	t.Helper()
	html, err := os.ReadFile(name)
	require.NoError(t, err)
	found := regexp.MustCompile(`id="gcnsim-record">([^<]*)<`).FindSubmatch(html)
	require.NotNil(t, found)
	file, err := base64.StdEncoding.DecodeString(string(found[1]))
	require.NoError(t, err)
	r, err := record.Read(bytes.NewReader(file))
	require.NoError(t, err)
	return r, string(html)
}

// An execution that faults or reaches its limit has a report up to that point, and an error.
func TestReportsOfRunsThatFail(t *testing.T) {
	effort.Long(t)
	const (
		fault  = "s_nop 0\nv_mov_b32 v1, 0\nflat_load_dword v2, v[0:1]\ns_endpgm"
		kernel = "../../../testdata/kernels/vadd.fiji.co"
	)
	object, err := os.ReadFile(kernel)
	require.NoError(t, err)
	path, err := filepath.Abs(kernel)
	require.NoError(t, err)
	buffers := []string{"buffer=4096", "buffer=2048", "buffer=4096", "u32=1000"}
	spec := fmt.Sprintf(`{"code_object":%q,"kernel":"vadd","grid":[1024],"workgroup":[64],`+
		`"args":[{"buffer":{"size":4096}},{"buffer":{"size":2048}},{"buffer":{"size":4096}},{"u32":1000}]}`, path)
	limit, steps := uint64(0), uint64(1_000_000) // 0 is the default
	if n := uint64(effort.Rounds(1_000_000)); n < steps {
		limit, steps = n, n
	}
	for name, c := range map[string]struct {
		file, text string
		o          Options
		kind, at   string
		step       uint64
		traced     string // text in the trace
	}{
		"text":       {"a.s", fault, Options{MCPU: "fiji"}, "memory", "flat_load_dword v2, v[0:1]", 2, "s_nop"},
		"limit":      {"a.s", "l: s_branch l", Options{MCPU: "fiji", Limit: limit}, "limit", "s_branch", steps, "s_branch"},
		"request":    {"a.json", fmt.Sprintf(`{"mcpu":"gfx803","asm":%q}`, fault), Options{}, "memory", "flat_load_dword", 2, "s_nop"},
		"unfinished": {"a.json", `{"mcpu":"gfx803","waves":2,"asm":"s_barrier\nflat_load_dword v2, v[0:1]"}`, Options{}, "memory", "flat_load_dword", 1, "s_barrier"},
		"no code":    {"a.s", "s_movk_i32 s0, 0x100\ns_setpc_b64 s[0:1]", Options{MCPU: "fiji", Check: []string{"all"}}, "memory", "", 2, "s_movk_i32"},
		"dispatch":   {"a.json", spec, Options{}, "memory", "flat_load_dword", 0, "s_load_dword"},
		"elsewhere":  {"a.json", spec, Options{Record: record.Options{FirstWave: 12}}, "memory", "flat_load_dword", 0, "s_load_dword"},
		"kernel":     {kernel, string(object), Options{Command: request.Command{Grid: []string{"1024"}, Args: buffers}}, "memory", "flat_load_dword", 0, "s_load_dword"},
	} {
		t.Run(name, func(t *testing.T) {
			c.o.Report, c.o.Stats = filepath.Join(t.TempDir(), "r.html"), true
			var out strings.Builder
			_, err := Run(t.Context(), c.file, []byte(c.text), &c.o, &out)
			require.Error(t, err)
			assert.Contains(t, out.String(), "report written to "+c.o.Report)
			assert.Contains(t, out.String(), "left out of the time model:", "statistics")
			r, html := recordOf(t, c.o.Report)
			assert.Contains(t, html, "The run ended early")

			// Traces are also written, with and without a report.
			dir := t.TempDir()
			traces := Options{MCPU: c.o.MCPU, Limit: c.o.Limit, Command: c.o.Command, Trace: filepath.Join(dir, "t.json"),
				Konata: filepath.Join(dir, "t.log")}
			_, err = Run(t.Context(), c.file, []byte(c.text), &traces, new(strings.Builder))
			require.Error(t, err)
			for _, name := range []string{traces.Trace, traces.Konata} {
				text, err := os.ReadFile(name)
				require.NoError(t, err)
				assert.Contains(t, string(text), c.traced, name)
			}
			require.NotNil(t, r.Fault)
			if c.at == "" { // the error is not at an instruction
				assert.EqualValues(t, c.step, r.Fault.Step)
				return
			}
			assert.Equal(t, c.kind, r.Fault.Kind)
			found := false
			for i := range r.Windows {
				w := &r.Windows[i]
				if w.Group != r.Fault.Group || w.Wave != r.Fault.Wave || r.Fault.Step-w.From >= uint64(w.Count) {
					continue
				}
				var s *record.Step
				for x, err := range w.Steps() {
					require.NoError(t, err)
					s = x
				}
				found = true
				assert.True(t, s.Fault)
				assert.Contains(t, s.Text, c.at)
			}
			assert.True(t, found, "no window has the fault")
			if c.step > 0 {
				assert.Equal(t, c.step, r.Fault.Step)
			}
		})
	}
}

// An interrupted execution has a report, too.
func TestReportOfAnInterruptedRun(t *testing.T) {
	var windows []record.Window
	// Repeat with a longer delay on a busy machine.
	for begun := 100 * time.Millisecond; windows == nil && begun < time.Minute; begun *= 4 {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(begun, cancel)
		o := Options{Report: filepath.Join(t.TempDir(), "r.html")}
		_, err := Run(ctx, "a.json", []byte(`{"mcpu":"gfx803","asm":"l: s_branch l","max_instructions":1000000000000}`),
			&o, new(strings.Builder))
		require.ErrorIs(t, err, ErrAnswered)
		r, html := recordOf(t, o.Report)
		assert.Contains(t, html, "it was interrupted")
		require.NotNil(t, r.Fault)
		assert.Equal(t, record.Interrupted, r.Fault.Kind)
		windows = r.Windows
	}
	assert.NotEmpty(t, windows)
}
