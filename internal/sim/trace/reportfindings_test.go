package trace_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/trace"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
)

// checked executes a program with checks of waits and of unused results, and returns a report.
func checked(t *testing.T, text string) *trace.Report {
	t.Helper()
	p := new(trace.Profile)
	c, err := check.New("wait", "ignored")
	require.NoError(t, err)
	m := sim.New(gcn.GFX803)
	require.NoError(t, m.Watch(p))
	require.NoError(t, m.Watch(c))
	c.Setting("alignment", "L2", "it has no effect here: 1 < 2")
	w := m.NewWave()
	w.S[gcn.M0] = 1 << 16 // M0: all of LDS
	res, err := m.RunAsm(context.Background(), w, text)
	require.NoError(t, err)
	missed, more := c.Unexecuted()
	return &trace.Report{
		Title: "checked", Target: "gfx803", Result: res, Profile: p, Checked: true, Findings: c.Findings(),
		Unexecuted: missed, More: more,
	}
}

// pageOf returns the page of r, after checking that its tags are balanced.
func pageOf(t *testing.T, r *trace.Report) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, r.Write(&b))
	for _, tag := range []string{"tr", "td", "div", "p", "table"} {
		open := len(regexp.MustCompile("<"+tag+"[ >]").FindAllString(b.String(), -1))
		assert.Equal(t, open, strings.Count(b.String(), "</"+tag+">"), tag)
	}
	return b.String()
}

// Findings are after the line that they are about, those about settings at the top. Instructions that were not
// executed are in order.
func TestReportShowsFindings(t *testing.T) {
	r := checked(t, "ds_read_b32 v1, v0\nv_mov_b32 v2, v1\ns_branch e\ns_nop 1\ne:\ns_endpgm")
	page := pageOf(t, r)
	last := 0
	for _, part := range []string{
		`Checks: <a href="#finding1">1 error, 1 warning</a>; 1 instruction was never executed, and so not judged`,
		`<div class="finding warning" id="finding1"><p><b class="kind">warning ignored</b> <b>alignment</b></p>`,
		"<p>it has no effect here: 1 &lt; 2</p>", `<p class="rule">rule L2: Alignment modes</p>`,
		`<tr id="pc0x0000" class="mem"><td><code>0x0000</code></td><td><code>ds_read_b32 v1, v0</code></td><td ` +
			`class="n">1</td>`,
		`<tr id="pc0x0008"><td><code>0x0008</code></td><td><code>v_mov_b32_e32 v2, v1</code></td>`,
		`<tr class="found error"><td colspan="7"><div class="finding error" id="finding2"><p><b class="kind">error ` +
			`wait-raw</b> <b>v1, lane 0</b></p>`,
		`<p>after <a href="#pc0x0000">0x0000</a> <code>ds_read_b32 v1, v0</code></p>`,
		"<p>fix: s_waitcnt lgkmcnt(0) before 0x8</p>",
		`<tr id="pc0x0010" class="missed"><td><code>0x0010</code></td><td><code>s_nop 1</code></td><td class="n">never</td>`,
		`<tr id="pc0x0014">`,
	} {
		at := strings.Index(page[last:], part)
		require.GreaterOrEqual(t, at, 0, part)
		last += at
	}
	for _, m := range regexp.MustCompile(`<tr id=.*</tr>`).FindAllString(page, -1) {
		assert.Equal(t, 7, strings.Count(m, "<td"), m) // number of columns of a finding
	}

	// Addresses relative to an object's base are relative to it everywhere.
	r.Base = 4
	r.Findings = r.Findings[1:]
	page = pageOf(t, r)
	assert.Contains(t, page, "before 0x4</p>")
}

// The page states that checks found nothing; without checks it does not mention them.
func TestReportWithoutFindings(t *testing.T) {
	r := checked(t, "s_nop 0")
	r.Findings = nil
	assert.Contains(t, pageOf(t, r), "Checks: no findings</p>")
	r.Checked = false
	assert.NotContains(t, pageOf(t, r), "Checks")
}
