package check_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
)

func TestParseSuppression(t *testing.T) {
	s, err := check.ParseSuppression("  wait-raw\t0x48 ", 3)
	require.NoError(t, err)
	require.Equal(t, "wait-raw 0x48", s.Text)
	require.Equal(t, 3, s.Line)
	for text, want := range map[string]string{
		"race": "2:5: it does not say where; give the pc of the finding or an address of dis " +
			"--addresses (0x48), a symbol (vadd) or both (vadd+0x48)",
		"  races vadd": `2:3: "races" is not known; known are all, `,
		"race 0x4g":    `2:6: "0x4g" is no address; give one as in 0x48`,
		"race vadd+x": `2:11: "x" is no offset; give how many bytes behind the symbol the instruction is, as in ` +
			`vadd+0x48`,
		"race +4": "2:6: a symbol is missing before the +",
		"race vadd vadd # why": `2:11: "vadd" is too much: a suppression is a kind and a place; a comment is a line that ` +
			`begins with #`,
	} {
		_, err := check.ParseSuppression(text, 2)
		var bad *check.SyntaxError
		require.ErrorAs(t, err, &bad, text)
		require.True(t, strings.HasPrefix(err.Error(), want), "%v, not %s", err, want)
	}
	_, err = check.ParseSuppression(" ", 0)
	require.EqualError(t, err, "column 1: a kind is missing, and where it is suppressed")
}

// withoutWaits runs one work-group of a kernel whose waits for loads are replaced by s_nop. n is
// the last argument of the kernel.
func withoutWaits(t *testing.T, n uint32, suppressions ...string) (*check.Checker, *sim.Module) {
	t.Helper()
	data, err := os.ReadFile("../../internal/sim/codeobj/testdata/lines.clang22.fiji.co")
	require.NoError(t, err)
	for _, at := range []int{0x624, 0x64c} { // offsets in the file
		copy(data[at:], []byte{0, 0, 0x80, 0xbf}) // s_nop 0
	}
	m := sim.New(gcn.GFX803)
	mod, err := m.LoadObject(data)
	require.NoError(t, err)
	c, err := check.New("wait")
	require.NoError(t, err)
	for _, text := range suppressions {
		s, err := check.ParseSuppression(text, 0)
		require.NoError(t, err)
		c.Options.Suppressions = append(c.Options.Suppressions, s)
	}
	out, in := m.Alloc(256), m.Alloc(256)
	l := sim.Launch{
		Module: mod, Kernel: "lines", Grid: [3]uint32{64}, Group: [3]uint32{64},
		Args: []sim.Arg{sim.BufferArg(out), sim.BufferArg(in), sim.U32(n)},
	}
	require.NoError(t, l.Watch(c))
	_, err = m.Dispatch(context.Background(), l)
	require.NoError(t, err)
	return c, mod
}

// A suppression names an instruction by its address in the file or by its symbol, or all code
// of a symbol. It does not depend on the load address. Its kind must be that of the finding.
func TestSuppressions(t *testing.T) {
	c, mod := withoutWaits(t, 100)
	require.Len(t, c.Findings(), 2)
	require.NotZero(t, mod.Base)
	for text, left := range map[string]int{
		"wait-raw 0x1628": 1, "wait lines+0x28": 1, "all lines+80": 1, "wait lines": 0, "wait-waw lines": 2,
		"wait-raw lines+0x24":             2,
		"wait __clang_ocl_kern_imp_lines": 2, "wait line": 2, "all 0": 2,
	} {
		c, _ := withoutWaits(t, 100, text)
		require.Len(t, c.Findings(), left, text)
		require.Equal(t, 2-left, c.Suppressed()[0].Findings, text)
	}
	c, _ = withoutWaits(t, 100, "wait 0x1628", "wait lines", "all lines")
	require.Empty(t, c.Findings())
	for i, n := range []int{1, 1, 0} { // each finding counts once
		require.Equal(t, n, c.Suppressed()[i].Findings, i)
	}
}

// Instructions that no wave executed are listed, if they are in a function that a wave entered.
func TestUnexecuted(t *testing.T) {
	c, _ := withoutWaits(t, 100)
	all, more := c.Unexecuted()
	require.Empty(t, all)
	require.Zero(t, more)

	c, mod := withoutWaits(t, 0) // no lane has work
	all, more = c.Unexecuted()
	require.Zero(t, more)
	require.Len(t, all, 18)
	require.Equal(t, mod.Base+0x1618, all[0].PC)
	require.Equal(t, "s_load_dwordx4 s[0:3], s[4:5], 0x0", all[0].Text)
	require.Equal(t, "lines.cl:9", all[0].Source)
}

// A program without symbols is listed as a whole, except for its data. An instruction that one
// of several runs executed counts as executed.
func TestUnexecutedOfWaves(t *testing.T) {
	b := newBench(t, gcn.GFX803)
	const text = "s_cbranch_scc1 l\ns_nop 1\ns_branch e\n.long 0xffffffff\nl:\ns_nop 2\ne:\ns_nop 3"
	b.run(text)
	pcs := func() (pcs []uint64) {
		all, _ := b.c.Unexecuted()
		for _, u := range all {
			pcs = append(pcs, u.PC)
		}
		return pcs
	}
	require.Equal(t, []uint64{16}, pcs())
	b.w.SCC = 1
	b.run(text)
	require.Empty(t, pcs())
}

// The list for a very long program is cut, and says how many instructions are missing.
func TestManyUnexecuted(t *testing.T) {
	b := newBench(t, gcn.GFX803)
	b.run("s_endpgm\n.fill 70000, 4, 0xbf800000")
	all, more := b.c.Unexecuted()
	require.Len(t, all, 1<<16)
	require.Equal(t, 70000, len(all)+more)
}
