package engine_test

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/sim/record"
	"github.com/gcnsim/gcnsim/internal/testkit/golden"
	"github.com/gcnsim/gcnsim/page/internal/engine"
)

// The results of the lessons' programs, unchanged and with each change, are in a golden file. Whoever changes it must
// check the lesson's text again. Times that the model may change are not in it.
func TestFactsOfLessons(t *testing.T) {
	list, err := engine.Lessons()
	require.NoError(t, err)
	var out strings.Builder
	for _, l := range list {
		fmt.Fprintf(&out, "%s\n", l.Name)
		facts(t, &out, "as it was", l.Scenario, l.Wave, l.Start)
		for _, w := range l.WhatIf {
			facts(t, &out, w.Label, changed(t, &l, w), l.Wave, cmp.Or(w.Start, l.Start))
		}
	}
	golden.Compare(t, "testdata/lessons.txt", []byte(out.String()))
}

// The times that lessons mention have the relations that the text states.
func TestTimesOfLessons(t *testing.T) {
	by := lessonsOf(t)
	cycles := func(name, label string) float64 {
		l := by[name]
		s := l.Scenario
		for _, w := range l.WhatIf {
			if w.Label == label {
				s = changed(t, &l, w)
			}
		}
		r := call[ran](t, "run", &s)
		return float64(r.Cycles)
	}
	one := cycles("110-occupancy", "")
	assert.Less(t, cycles("110-occupancy", "4 waves"), 1.25*one)
	assert.Less(t, cycles("110-occupancy", "both loads first"), 0.75*one)
	assert.Less(t, cycles("080-tiling", "tile mode 13, 1D tiled thin"), cycles("080-tiling", ""))
	assert.Less(t, cycles("020-swizzle", "swizzle: ELEMSIZE 4, INDEX_STRIDE 16"), cycles("020-swizzle", ""))
}

// changed returns a lesson's scenario with a change applied.
func changed(t *testing.T, l *engine.Lesson, w engine.WhatIf) (s engine.Scenario) {
	t.Helper()
	text, err := json.Marshal(l.Scenario)
	require.NoError(t, err)
	keys := map[string]json.RawMessage{}
	require.NoError(t, json.Unmarshal(text, &keys))
	maps.Copy(keys, w.Set)
	text, err = json.Marshal(keys)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &s))
	for _, x := range w.Replace {
		require.Equal(t, 1, strings.Count(s.Asm, x[0]), "%s: %q", w.Label, x[0])
		s.Asm = strings.Replace(s.Asm, x[0], x[1], 1)
	}
	return s
}

// facts writes the results of a scenario, mainly of the step that is shown first.
func facts(t *testing.T, out *strings.Builder, label string, s engine.Scenario, wave, start int) {
	t.Helper()
	r := call[ran](t, "run", &s)
	require.True(t, r.Reply.OK, label)
	file, err := record.Read(bytes.NewReader(r.Record))
	require.NoError(t, err)
	fmt.Fprintf(out, "  %s: findings %v\n", label, r.kinds())
	n := 0
	for step, err := range file.Windows[wave].Steps() {
		require.NoError(t, err)
		if step.Inst == nil {
			continue // the state before the first instruction
		}
		if n++; step.Access == nil && n != start && !step.Wait {
			continue
		}
		shown := ""
		if n == start {
			shown = ", shown first"
		}
		fmt.Fprintf(out, "    %d %s%s: %d lanes on", n, step.Text, shown, bits.OnesCount64(step.State.Exec()))
		if step.Access != nil {
			access(out, step)
		}
		out.WriteByte('\n')
	}
}

// access writes the accesses of a step.
func access(out *strings.Builder, s *record.Step) {
	a := s.Access
	lines, clocks := map[uint64]bool{}, 0.0
	for l := range a.Addr {
		if a.Exec>>l&1 != 0 && a.Out[0]>>l&1 == 0 {
			lines[a.Addr[l]/64] = true
		}
	}
	for _, group := range s.LaneGroups {
		clocks += group.Clocks
	}
	fmt.Fprintf(out, "; %d lines or half rows of banks, %d groups, %g clocks; out of range %016x %s", len(lines),
		len(s.LaneGroups), clocks, a.Out[0], s.Rule)
	for r := range int(a.Regs) {
		if v := s.State.V[int(a.Reg)+r]; a.Op == 1 {
			fmt.Fprintf(out, "; v%d lanes 0, 10, 63: %#x, %#x, %#x", int(a.Reg)+r, v[0], v[10], v[63])
		}
	}
	var weights []string
	for _, tap := range s.Taps[0] {
		weights = append(weights, fmt.Sprintf("(%d, %d) level %d by %g", tap.X, tap.Y, tap.Level, tap.Weight))
	}
	slices.Sort(weights)
	if weights != nil {
		fmt.Fprintf(out, "; lane 0 takes %s", strings.Join(weights, ", "))
	}
}

// Four wait states are too few for an SGPR written by the VALU, five are enough, and an SGPR written by the SALU
// needs none.
func TestWaitStatesOfTheLesson(t *testing.T) {
	l := lessonsOf(t)["075-wait-states"]
	r := call[ran](t, "run", &l.Scenario)
	assert.Equal(t, []string{"wait-state"}, r.kinds())
	missing := map[string]bool{"s_nop 4": false, "s_nop 3": true, "the SALU writes s8": false}
	require.Len(t, l.WhatIf, len(missing))
	for _, w := range l.WhatIf {
		s := changed(t, &l, w)
		r := call[ran](t, "run", &s)
		assert.Equal(t, missing[w.Label], len(r.kinds()) > 0, "%s: %v", w.Label, r.kinds())
	}
}

// In the lesson on permutes, v2 has the values that the text states.
func TestPermutesOfTheLesson(t *testing.T) {
	l := lessonsOf(t)["055-permutes"]
	v2 := func(s *engine.Scenario) (v [64]uint32) {
		r := call[ran](t, "run", s)
		file, err := record.Read(bytes.NewReader(r.Record))
		require.NoError(t, err)
		for step, err := range file.Windows[0].Steps() {
			require.NoError(t, err)
			v = step.State.V[2]
		}
		return v
	}
	want := map[string]func(lane int) uint32{
		"only even lanes below 32": func(int) uint32 { return 0 },
		"all ask for lane 5":       func(int) uint32 { return 5 },
		"an address of 256 more":   func(lane int) uint32 { return uint32(lane ^ 1) },
	}
	require.Len(t, l.WhatIf, len(want))
	neighbours := v2(&l.Scenario)
	assert.Equal(t, [...]uint32{1, 0, 62}, [...]uint32{neighbours[0], neighbours[1], neighbours[63]})
	for _, w := range l.WhatIf {
		require.Contains(t, want, w.Label)
		s := changed(t, &l, w)
		for lane, v := range v2(&s) {
			require.Equal(t, want[w.Label](lane), v, "%s: lane %d", w.Label, lane)
		}
	}
}

// In the lesson on atomics, the counter and v1 have the values that the text states.
func TestAtomicsOfTheLesson(t *testing.T) {
	l := lessonsOf(t)["065-atomics"]
	check := func(s *engine.Scenario, count int, returned bool) {
		r := call[ran](t, "run", s)
		assert.Equal(t, byte(count), r.Memory[0].Data[0])
		file, err := record.Read(bytes.NewReader(r.Record))
		require.NoError(t, err)
		var v1 [64]uint32
		for step, err := range file.Windows[0].Steps() {
			require.NoError(t, err)
			v1 = step.State.V[1]
		}
		if slices.Sort(v1[:count]); returned {
			for i, v := range v1[:count] {
				require.Equal(t, uint32(i), v)
			}
			return
		}
		assert.Equal(t, uint32(1), v1[0])
		assert.Equal(t, uint32(1), v1[count-1])
	}
	check(&l.Scenario, 64, true)
	require.Len(t, l.WhatIf, 2)
	none, few := changed(t, &l, l.WhatIf[0]), changed(t, &l, l.WhatIf[1])
	check(&none, 64, false)
	check(&few, 16, true)
}
