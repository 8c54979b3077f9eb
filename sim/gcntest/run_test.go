package gcntest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

// recorder records the reports of a helper and its calls at the end of a test.
type recorder struct {
	testing.TB
	failed string
	ended  bool
	last   func()
}

func (r *recorder) Helper()           {}
func (r *recorder) Log(...any)        {}
func (r *recorder) Cleanup(f func())  { r.last = f }
func (r *recorder) Error(args ...any) { r.failed = fmt.Sprint(args...) }

func (r *recorder) Failed() bool { return r.failed != "" }

func (r *recorder) Errorf(format string, args ...any) { r.failed = fmt.Sprintf(format, args...) }

func (r *recorder) Fatal(args ...any) {
	r.ended, r.failed = true, fmt.Sprint(args...)
	panic(r) // ends the test as Goexit does
}

func (r *recorder) Fatalf(format string, args ...any) { r.Fatal(fmt.Sprintf(format, args...)) }

// fails returns the report of f, and whether f ends the test.
func fails(t *testing.T, f func(testing.TB)) (report string, ended bool) {
	r := &recorder{TB: t}
	func() {
		defer func() {
			if v := recover(); v != nil && v != r {
				panic(v)
			}
		}()
		f(r)
	}()
	if r.last != nil {
		r.last()
	}
	return r.failed, r.ended
}

func TestRun(t *testing.T) {
	m := sim.New(gcn.GFX803)
	w := m.NewWave()
	Run(t, m, w, "v_mov_b32 v1, 7")
	DiffVGPR(t, w, 1, lane.All(7))
	report, ended := fails(t, func(t testing.TB) { Run(t, m, m.NewWave(), "v_mov_b32 v1") })
	assert.True(t, ended)
	assert.Contains(t, report, "1:")
	report, ended = fails(t, func(t testing.TB) { Run(t, m, m.NewWave(), "s_load_dword s0, s[2:3], 0") })
	assert.True(t, ended)
	assert.Contains(t, report, "no mapped range")
}

func TestDispatchReportsARefusal(t *testing.T) {
	m := sim.New(gcn.GFX803)
	_, ended := fails(t, func(t testing.TB) { Dispatch(t, m, sim.Launch{Module: &sim.Module{}}) })
	assert.True(t, ended)
}

func TestDiffVGPR(t *testing.T) {
	w := sim.New(gcn.GFX803).NewWave()
	w.SetVGPR(3, lane.Times(4))
	DiffVGPR(t, w, 3, lane.Times(4))
	DiffVGPR(t, w, 200, lane.All(0))
	report, _ := fails(t, func(t testing.TB) { DiffVGPR(t, w, 3, lane.Times(5)) })
	assert.Contains(t, report, "v3, by lane: 63 of 64 elements differ:\n  [1] want 0x00000005 (5) got 0x00000004 (4)")
	report, _ = fails(t, func(t testing.TB) { DiffVGPR(t, w, 256, lane.All(0)) })
	assert.Equal(t, "v256: the wave has 256 VGPRs", report)
}

func TestDiffBuffer(t *testing.T) {
	m := sim.New(gcn.GFX803)
	buf := m.Alloc(8)
	buf.SetUint32s(1, 0x3f800000)
	DiffBuffer[uint32](t, buf, 1)
	DiffBuffer[float32](t, buf, 0x1p-149, 1)
	DiffBuffer[uint8](t, buf, 1, 0, 0, 0, 0, 0, 0x80, 0x3f)
	report, _ := fails(t, func(t testing.TB) { DiffBuffer[uint16](t, buf, 1, 2) })
	assert.Contains(t, report, "[1] want 0x0002 (2) got 0x0000 (0)")
	report, _ = fails(t, func(t testing.TB) { DiffBuffer[uint64](t, buf, 1, 2) })
	assert.Contains(t, report, "buffer of 8 bytes at 0x")
	report, _ = fails(t, func(t testing.TB) { DiffBuffer(t, buf, "text") })
	assert.Contains(t, report, "cannot hold 1 times string")
}

// Reads of undefined registers in waves alone are found if the test lists the registers that it has set.
func TestRequireCleanOfInputs(t *testing.T) {
	var given check.Inputs
	given.VGPRs[0] = true
	for text, clean := range map[string]bool{"v_add_f32 v2, v0, v0\nexp mrt0 v2, v2, v2, v2 done vm": true,
		"v_add_f32 v2, v77, v77\nexp mrt0 v2, v2, v2, v2 done vm": false} {
		report, _ := fails(t, func(t testing.TB) {
			m := sim.New(gcn.GFX803)
			RequireClean(t, m, nil, check.Options{Inputs: &given})
			Run(t, m, m.NewWave(), text)
		})
		assert.Equal(t, clean, report == "", "%s: %s", text, report)
	}
}

// guards are the helpers that watch a run, with the call that a test would make.
var guards = map[string]func(t testing.TB, m *sim.Machine, l *sim.Launch){
	"RequireClean":    func(t testing.TB, m *sim.Machine, l *sim.Launch) { RequireClean(t, m, l) },
	"NoBankConflicts": NoBankConflicts,
	"MaxLines":        func(t testing.TB, m *sim.Machine, l *sim.Launch) { MaxLines(t, m, l, 1000) },
	"MaxCycles":       func(t testing.TB, m *sim.Machine, l *sim.Launch) { MaxCycles(t, m, l, "", 1e9) },
	"Picture":         func(t testing.TB, m *sim.Machine, l *sim.Launch) { Picture(t, m, l, "exec", "") },
}

// A guard without a run fails its test, and adds nothing to a test that failed for another reason.
func TestGuardsNeedARun(t *testing.T) {
	object, err := os.ReadFile("../../testdata/kernels/vadd.fiji.co")
	require.NoError(t, err)
	for name, guard := range guards {
		for _, c := range []struct {
			way, want string
			test      func(t testing.TB, m *sim.Machine, l sim.Launch)
		}{
			{"before the launch", "", func(t testing.TB, m *sim.Machine, l sim.Launch) {
				guard(t, m, &l)
				Dispatch(t, m, l)
			}},
			{"before the bare wave", "", func(t testing.TB, m *sim.Machine, _ sim.Launch) {
				guard(t, m, nil)
				Run(t, m, m.NewWave(), "s_endpgm")
			}},
			{"after the launch", "before the dispatch", func(t testing.TB, m *sim.Machine, l sim.Launch) {
				Dispatch(t, m, l)
				guard(t, m, &l)
			}},
			{"after the bare wave", "run on the machine after the call", func(t testing.TB, m *sim.Machine, _ sim.Launch) {
				Run(t, m, m.NewWave(), "s_endpgm")
				guard(t, m, nil)
			}},
			{"of a copy", "copies of it", func(t testing.TB, m *sim.Machine, l sim.Launch) {
				other := l
				guard(t, m, &other)
				Dispatch(t, m, l)
			}},
			{"of bare waves", "give it the launch", func(t testing.TB, m *sim.Machine, l sim.Launch) {
				guard(t, m, nil)
				Dispatch(t, m, l)
			}},
			{"without a run", "give it the launch", func(t testing.TB, m *sim.Machine, _ sim.Launch) { guard(t, m, nil) }},
		} {
			m := sim.New(gcn.GFX803)
			module, err := m.LoadObject(object)
			require.NoError(t, err)
			a, b, sum := m.Alloc(256), m.Alloc(256), m.Alloc(256)
			l := sim.Launch{Module: module, Kernel: "vadd", Grid: [3]uint32{64}, Group: [3]uint32{64},
				Args: []sim.Arg{sim.BufferArg(a), sim.BufferArg(b), sim.BufferArg(sum), sim.U32(64)}}
			report, _ := fails(t, func(t testing.TB) { c.test(t, m, l) })
			if c.want == "" {
				assert.Empty(t, report, "%s %s", name, c.way)
				continue
			}
			assert.Regexp(t, "^no run was watched: .*"+c.want, report, "%s %s", name, c.way)
		}
	}
	report, ended := fails(t, func(t testing.TB) {
		m := sim.New(gcn.GFX803)
		RequireClean(t, m, nil)
		Run(t, m, m.NewWave(), "no_such_instruction")
	})
	assert.True(t, ended)
	assert.Contains(t, report, "no_such_instruction")
}

// A program with findings fails its test even if there are other watchers, added before or after.
func TestRequireCleanBesideOthers(t *testing.T) {
	report, _ := fails(t, func(t testing.TB) {
		m := sim.New(gcn.GFX900)
		other, err := check.New("uninit")
		require.NoError(t, err)
		last, err := check.New("wait")
		require.NoError(t, err)
		require.NoError(t, m.Watch(other))
		RequireClean(t, m, nil)
		require.NoError(t, m.Watch(last))
		Run(t, m, m.NewWave(), "ds_read_b32 v1, v0\nv_mov_b32 v2, v1\ns_endpgm")
		require.Len(t, last.Findings(), 1)
	})
	assert.Contains(t, report, "error wait-raw: v1")
}

// TestRequireCleanReportsItsCall executes itself in another process to see which line is reported.
func TestRequireCleanReportsItsCall(t *testing.T) {
	if os.Getenv("GCNTEST_UNCLEAN") != "" {
		m := sim.New(gcn.GFX803)
		RequireClean(t, m, nil) // the line that must be reported
		Run(t, m, m.NewWave(), "buffer_load_dword v1, off, s[0:3], 0\nv_mov_b32 v2, v1")
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), "GCNTEST_UNCLEAN=1")
	out, err := cmd.CombinedOutput()
	assert.Error(t, err)
	src, err := os.ReadFile("run_test.go")
	assert.NoError(t, err)
	before, _, _ := strings.Cut(string(src), "// the line that must be reported\n")
	assert.Contains(t, string(out), fmt.Sprintf("run_test.go:%d: the program is not clean", 1+strings.Count(before, "\n")))
}

func TestRequireClean(t *testing.T) {
	const program = "buffer_load_dword v1, v0, s[0:3], 0 offen\ns_waitcnt vmcnt(0)"
	run := func(resource gcn.Buffer) func(t testing.TB) {
		return func(t testing.TB) {
			m := sim.New(gcn.GFX803)
			w := m.NewWave()
			resource.Base = m.Alloc(256).Addr
			w.SetSGPRs(0, resource.Words()...)
			RequireClean(t, m, nil)
			Run(t, m, w, program)
		}
	}
	report, _ := fails(t, run(gcn.Buffer{NumRecords: 256}))
	assert.Empty(t, report)
	report, _ = fails(t, run(gcn.Buffer{NumRecords: 256, Type: 2}))
	assert.Contains(t, report, "the program is not clean: 1 finding\n")
	assert.Contains(t, report, "buffer_load_dword v1, v0, s[0:3], 0 offen")
}

// TestGroupsFaultsAndBuilds tests the helpers for a work-group, an expected fault, and a comparison of two builds.
func TestGroupsFaultsAndBuilds(t *testing.T) {
	m := sim.New(gcn.GFX803)
	waves := []*state.Wave{m.NewWave(), m.NewWave()}
	res := RunGroup(t, m, "s_mov_b32 s0, 1\ns_barrier\ns_endpgm", waves...)
	assert.EqualValues(t, 6, res.Instructions)
	report, ended := fails(t, func(t testing.TB) { RunGroup(t, m, "s_mov", waves...) })
	assert.True(t, ended, report)

	_, err := m.RunAsm(t.Context(), m.NewWave(), "flat_load_dword v0, v[0:1]")
	assert.Equal(t, "flat_load_dword v0, v[0:1]", WantFault(t, err, state.FaultMemory).Text)
	report, ended = fails(t, func(t testing.TB) { _ = WantFault(t, err, state.FaultLimit) })
	assert.True(t, ended)
	assert.Contains(t, report, "want a fault of kind limit, got memory fault at pc 0x0")

	var objects [2][]byte
	for i, name := range []string{"vadd.fiji.co", "vadd.O0.fiji.co"} {
		objects[i], err = os.ReadFile("../../testdata/kernels/" + name)
		require.NoError(t, err)
	}
	Same(t, objects[0], objects[1], 0)
	wrong := slices.Clone(objects[0])
	at := bytes.Index(wrong, []byte{0x02, 0x09, 0x04, 0x32}) // replaces v_add_u32 by v_sub_u32
	require.Positive(t, at)
	wrong[at+3] = 0x34
	report, _ = fails(t, func(t testing.TB) { Same(t, objects[0], wrong, 0) })
	assert.Contains(t, report, "different")
}
