package check_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/state"
)

// JSON keeps findings with all keys, with only the required keys, and with values equal to those of missing keys.
func TestFindingsAsJSON(t *testing.T) {
	addr := uint64(1<<64 - 1)
	for _, c := range []struct {
		f    check.Finding
		text string
	}{
		{
			check.Finding{Kind: check.Ignored, Severity: check.Doubt, Message: "it has no effect", Lane: state.NoLane, Count: 1},
			`{"kind":"ignored","severity":"doubt","message":"it has no effect"}`,
		}, {
			check.Finding{Kind: check.Uninit, Severity: check.Error, Site: check.Site{Text: "s_nop 0"}, Addr: new(uint64)},
			`{"kind":"uninit","severity":"error","inst":0,"pc":"0x0","text":"s_nop 0","lane":0,"addr":"0x0","message":"",` +
				`"count":0}`,
		}, {
			check.Finding{
				Kind: check.Race, Severity: check.Warning, Lane: 63, Addr: &addr, Count: 7, Field: "STRIDE", Reg: "v1",
				Space: "lds", Rule: "RC1", Message: "a < b", Fix: "c & d",
				Site: check.Site{PC: 0x1_0000_0010, Text: "ds_read_b32 v1, v0", Symbol: "k+0x10", Source: "k.cl:12",
					Index: 5, Group: [3]uint32{1, 2, 3}, Wave: 4},
				Producer: &check.Site{PC: 8, Text: "ds_write_b32 v0, v1", Symbol: "k+0x8", Source: "k.cl:11", Index: 2},
			},
			`{"kind":"race","severity":"warning","inst":5,"pc":"0x100000010","text":"ds_read_b32 v1, v0","lane":63,` +
				`"reg":"v1","space":"lds","addr":"0xffffffffffffffff",` +
				`"message":"a < b","field":"STRIDE","producer":{"pc":"0x8","inst":2,"group":[0,0,0],"wave":0,` +
				`"text":"ds_write_b32 v0, v1","symbol":"k+0x8","source":"k.cl:11"},` +
				`"symbol":"k+0x10","source":"k.cl:12","group":[1,2,3],"wave":4,"count":7,"fix":"c & d","rule":"RC1"}`,
		},
	} {
		require.JSONEq(t, c.text, readAgain(t, &c.f))
		text, err := c.f.MarshalJSON()
		require.NoError(t, err)
		require.Equal(t, c.text, strings.TrimSpace(string(text)))
	}
	var f check.Finding
	require.EqualError(t, json.Unmarshal([]byte(`{"severity":"fatal"}`), &f),
		`"fatal" is no severity; known are doubt, note, warning, error`)
}

// Findings of real programs are equal after they are written to JSON and read.
func TestFindingsOfProgramsAsJSON(t *testing.T) {
	all := newBench(t, gcn.GFX803).run(`buffer_load_dword v1, v0, s[0:3], 0 offen
		v_mov_b32 v2, v1
		buffer_load_dword v3, v2, s[4:7], 0 offen offset:3`)
	for _, s := range raceSpecimens(t) {
		all = append(all, s.crew(t, s.lines).run(inOrder)...)
	}
	require.Greater(t, len(all), 30)
	for i := range all {
		readAgain(t, &all[i])
	}
}

// readAgain returns the JSON of f, after it has checked that reading the JSON gives an equal finding.
func readAgain(t *testing.T, f *check.Finding) string {
	t.Helper()
	text, err := json.Marshal(f)
	require.NoError(t, err)
	var again check.Finding
	require.NoError(t, json.Unmarshal(text, &again))
	require.Empty(t, cmp.Diff(*f, again, cmpopts.IgnoreUnexported(check.Finding{}),
		cmpopts.IgnoreFields(check.Site{}, "Inst")), "%s", text)
	return string(text)
}
