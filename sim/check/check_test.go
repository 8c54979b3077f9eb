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
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

// bench is a machine with a checker and a buffer.
type bench struct {
	t   testing.TB
	m   *sim.Machine
	w   *state.Wave
	c   *check.Checker
	buf *sim.Buffer
}

// newBench returns a bench with a checker for kinds, "all" if there are none. SGPRs 0 to 3
// have the V# of the first 256 bytes of its buffer. VGPR 0 has 4 times the lane.
func newBench(t testing.TB, target gcn.Target, kinds ...string) *bench {
	if kinds == nil {
		kinds = []string{"all"}
	}
	c, err := check.New(kinds...)
	require.NoError(t, err)
	c.Options.Snippet = true
	m := sim.New(target)
	b := &bench{t: t, m: m, w: m.NewWave(), c: c, buf: m.Alloc(4096)}
	b.w.SetSGPRs(0, gcn.Buffer{Base: b.buf.Addr, NumRecords: 256}.Words()...)
	b.w.SetVGPR(0, lane.Times(4))
	return b
}

// run executes text in LLVM syntax and returns the findings so far.
func (b *bench) run(text string) []check.Finding {
	b.t.Helper()
	b.attach()
	_, err := b.m.RunAsm(context.Background(), b.w, text)
	require.NoError(b.t, err)
	return b.c.Findings()
}

// words executes machine words, and returns the findings so far.
func (b *bench) words(words ...uint32) []check.Finding {
	b.t.Helper()
	b.attach()
	_, err := b.m.Run(context.Background(), b.w, words)
	require.NoError(b.t, err)
	return b.c.Findings()
}

func (b *bench) attach() {
	if b.m.Watchers() == nil {
		require.NoError(b.t, b.m.Watch(b.c))
	}
	b.w.PC = 0
}

// one requires that there is exactly one finding, and returns it.
func one(t testing.TB, all []check.Finding) check.Finding {
	t.Helper()
	require.Len(t, all, 1, "%v", all)
	return all[0]
}

func TestUnknownKindsListTheKnownOnes(t *testing.T) {
	for _, name := range []string{"", "spelling", "ALL"} {
		_, err := check.New("all", name)
		var unknown *check.SyntaxError
		require.ErrorAs(t, err, &unknown)
		for _, known := range check.Names() {
			require.ErrorContains(t, err, known)
			_, err := check.New(known)
			require.NoError(t, err)
		}
	}
}

func TestGroups(t *testing.T) {
	c, err := check.New("range")
	require.NoError(t, err)
	require.True(t, c.Has(check.OutOfRange) && c.Has(check.Misaligned))
	require.False(t, c.Has(check.RulesDiffer))
	c, err = check.New()
	require.NoError(t, err)
	require.False(t, c.Has(check.OutOfRange))
}

// The package comment lists each kind, beside its group.
func TestTheKindsAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	for _, name := range check.Names()[1:] { // without the name all
		require.Regexp(t, `(?m)^//\t.*\b`+name+`\b`, string(doc))
	}
}

// A bare program that executes past its last word gives a note. It gives an error with Options.Whole, and no finding
// with Options.Snippet. The way in which the instructions before were executed does not matter (rule ST24).
func TestPastEnd(t *testing.T) {
	for _, text := range []string{"s_nop 0", "s_cbranch_scc0 l\ns_endpgm\nl: v_mov_b32 v1, 0", "s_nop 0\ns_endpgm"} {
		for _, o := range []check.Options{{}, {Whole: true}, {Snippet: true}} {
			for _, kind := range []string{"past-end", "all"} {
				c, err := check.New(kind)
				require.NoError(t, err)
				c.Options = o
				m := sim.New(gcn.GFX803)
				require.NoError(t, m.Watch(c))
				_, err = m.RunAsm(t.Context(), m.NewWave(), text)
				require.NoError(t, err)
				found := c.Findings()
				if o.Snippet || strings.HasSuffix(text, "s_endpgm") {
					require.Empty(t, found, text)
					continue
				}
				require.Equal(t, check.PastEnd, one(t, found).Kind)
				require.Equal(t, o.Whole, found[0].Severity == check.Error)
			}
		}
	}
}

func TestOutOfRange(t *testing.T) {
	b := newBench(t, gcn.GFX803)
	b.w.SetVGPR(0, lane.Times(8))
	f := one(t, b.run("v_nop\nbuffer_load_dword v1, v0, s[0:3], 0 offen"))
	addr := b.buf.Addr + 256
	require.Equal(t, check.OutOfRange, f.Kind)
	require.Equal(t, check.Note, f.Severity)
	require.Equal(t, [4]any{uint64(4), uint64(1), 32, &addr}, [4]any{f.PC, f.Index, f.Lane, f.Addr})
	require.Equal(t, "32 lanes are out of range: loads return 0, stores and atomics do nothing", f.Message)
	require.Equal(t, "buffer_load_dword v1, v0, s[0:3], 0 offen", f.Text)
}

// A misaligned access has a kind of its own, not the kind of an access out of range (rules L2, L4).
func TestMisaligned(t *testing.T) {
	for _, tt := range []struct {
		align state.Alignment
		text  string
		rule  string
		lanes string
	}{
		{state.AlignDwordStrict, "buffer_load_dword v1, v0, s[0:3], 0 offen offset:2", "L2", "64 lanes are misaligned"},
		{state.AlignStrict, "buffer_store_dwordx2 v[2:3], v0, s[0:3], 0 offen", "L2", "32 lanes are misaligned"},
		{state.AlignNone, "buffer_atomic_add_x2 v[2:3], v0, s[0:3], 0 offen", "L4", "32 lanes are misaligned"},
		{state.AlignDword, "buffer_load_dword v1, v0, s[0:3], 0 offen offset:2", "", ""},
		{state.AlignNone, "buffer_load_dword v1, off, s[0:3], 0 offset:2", "", ""},
	} {
		b := newBench(t, gcn.GFX803, "range")
		b.m.Align = tt.align
		b.w.SetSGPRs(2, 512)
		all := b.run(tt.text)
		if tt.rule == "" {
			require.Empty(t, all, tt.text)
			continue
		}
		f := one(t, all)
		require.Equal(t, check.Misaligned, f.Kind, tt.text)
		require.Equal(t, check.Error, f.Severity)
		require.Equal(t, tt.rule, f.Rule)
		require.True(t, strings.HasPrefix(f.Message, tt.lanes), f.Message)
		require.NotZero(t, b.w.TrapSts&state.TrapMemViol)
	}
	b := newBench(t, gcn.GFX803) // lanes 0 and 1 have one defect, the lanes from 2 on have the other
	b.m.Align = state.AlignDwordStrict
	b.w.SetVGPR(0, state.Lanes{0: 1, 1: 300})
	b.w.SetExec(7)
	all := b.run("buffer_load_dword v1, v0, s[0:3], 0 offen")
	require.Len(t, all, 2)
	require.Equal(t, [2]check.Kind{check.OutOfRange, check.Misaligned}, [2]check.Kind{all[0].Kind, all[1].Kind})
	require.Equal(t, [2]int{1, 0}, [2]int{all[0].Lane, all[1].Lane})
}

func TestRulesDiffer(t *testing.T) {
	b := newBench(t, gcn.GFX900)
	b.m.Align = state.AlignNone
	v := gcn.Buffer{Base: b.buf.Addr, NumRecords: ^uint32(0), Swizzle: true, AddTID: true, ElemSize: 4, IndexStride: 64}
	b.w.SetSGPRs(0, v.Words()...)
	b.w.SetExec(1)
	f := one(t, b.run("buffer_load_dword v1, off, s[0:3], 0 offset:2"))
	require.Equal(t, check.RulesDiffer, f.Kind)
	require.Equal(t, check.Doubt, f.Severity)
	require.Contains(t, f.Message, "crosses an element of swizzling")

	b = newBench(t, gcn.GFX900, "range")
	b.w.SetSGPRs(0, v.Words()...)
	b.w.SetExec(1)
	b.m.Align = state.AlignNone
	require.Empty(t, b.run("buffer_load_dword v1, off, s[0:3], 0 offset:2"))
	require.False(t, b.m.Compare)
}

// A defect that occurs several times is one finding, at its first occurrence.
func TestOneFindingADefect(t *testing.T) {
	b := newBench(t, gcn.GFX803)
	b.w.SetVGPR(0, lane.Times(8))
	all := b.run(`
	s_mov_b32 s8, 5
loop:
	buffer_load_dword v1, v0, s[0:3], 0 offen
	buffer_load_dword v2, v0, s[0:3], 0 offen offset:64
	s_sub_u32 s8, s8, 1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 loop`)
	require.Len(t, all, 2)
	for i, f := range all {
		require.Equal(t, uint64(5), f.Count)
		require.Equal(t, uint64(1+i), f.Index)
	}
	require.Less(t, all[0].PC, all[1].PC)
	require.Contains(t, all[1].String(), "5 times")
}

// Findings about several programs at the same address are not mixed up.
func TestProgramsAtOneAddress(t *testing.T) {
	b := newBench(t, gcn.GFX803)
	b.w.SetVGPR(0, lane.Times(8))
	require.Len(t, b.run("buffer_load_dword v1, v0, s[0:3], 0 offen"), 1)
	require.Len(t, b.run("buffer_store_dword v1, v0, s[0:3], 0 offen"), 2)
	require.Equal(t, uint64(2), b.run("buffer_store_dword v1, v0, s[0:3], 0 offen")[1].Count)
}

func TestWrite(t *testing.T) {
	var out strings.Builder
	require.NoError(t, check.Write(&out, nil, 0))
	require.Empty(t, out.String())
	b := newBench(t, gcn.GFX803)
	b.m.Align = state.AlignDwordStrict
	b.w.SetVGPR(0, state.Lanes{0: 1, 1: 300})
	b.w.SetExec(3)
	b.w.SetSGPRs(0, gcn.Buffer{Base: 0x10000, NumRecords: 256}.Words()...)
	require.NoError(t, check.Write(&out, b.run("buffer_load_dword v1, v0, s[0:3], 0 offen\nv_mov_b32 v2, v1"), 0))
	require.Equal(t, `findings: 2 errors, 1 note

note out-of-range: lane 1, address 0x1012c
  here  0x0  buffer_load_dword v1, v0, s[0:3], 0 offen
  1 lane is out of range: loads return 0, stores and atomics do nothing

error misaligned: lane 0, address 0x10001
  here  0x0  buffer_load_dword v1, v0, s[0:3], 0 offen
  1 lane is misaligned, which raises MEMVIOL: loads return 0, stores and atomics do nothing
  rule L2: Alignment modes

error wait-raw: v1, lane 0
  here   0x8  v_mov_b32_e32 v2, v1
  after  0x0  buffer_load_dword v1, v0, s[0:3], 0 offen
  it is read here and may still hold what it held before buffer_load_dword at 0x0: vmcnt must be at most 0 first
  fix: s_waitcnt vmcnt(0) before 0x8
  rule W3: A register that a load will write must not be read before its wait
`, out.String())
}
