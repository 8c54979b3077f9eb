package sim_test

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/record"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/sim/trace"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

// look is a set of watchers together with their reports after a run.
type look struct {
	watchers []sim.Watcher
	says     func() string
}

// looks are the sets of watchers, by name.
var looks = map[string]func(testing.TB, gcn.Target) look{
	"check": func(t testing.TB, _ gcn.Target) look {
		c, err := check.New("all")
		require.NoError(t, err)
		return look{[]sim.Watcher{c}, func() string {
			missed, more := c.Unexecuted()
			return fmt.Sprint(c.Findings(), missed, more)
		}}
	},
	"time": func(t testing.TB, target gcn.Target) look {
		model := newModel(t, target)
		return look{[]sim.Watcher{model}, func() string {
			r, err := model.Finish()
			if err != nil {
				return err.Error()
			}
			var out strings.Builder
			require.NoError(t, r.WriteTimeline(&out, 0))
			return fmt.Sprint(r.Cycles, r.Metrics, r.Busy, r.Stalls, r.Insts, r.NotModelled, out.String())
		}}
	},
	"record": func(t testing.TB, _ gcn.Target) look {
		rec := record.New(record.Options{})
		return look{[]sim.Watcher{rec}, func() string { return recorded(t, rec) }}
	},
	"timed record": func(t testing.TB, target gcn.Target) look {
		model, rec := newModel(t, target), record.New(record.Options{})
		model.OnSpan(rec.Span)
		return look{[]sim.Watcher{rec, model}, func() string {
			_, err := model.Finish()
			return fmt.Sprint(err, recorded(t, rec))
		}}
	},
	"profile": func(testing.TB, gcn.Target) look {
		p := new(trace.Profile)
		return look{[]sim.Watcher{p}, func() string { return fmt.Sprint(p.Rows()) }}
	},
	"traces": func(t testing.TB, target gcn.Target) look {
		model := newModel(t, target)
		var events, stages strings.Builder
		chrome, konata := trace.NewChrome(&events, 0), trace.NewKonata(&stages, 0)
		model.OnSpan(chrome.Observe)
		model.OnSpan(konata.Observe)
		return look{[]sim.Watcher{model}, func() string {
			_, err := model.Finish()
			return fmt.Sprint(err, chrome.Close(), konata.Close(), events.String(), stages.String())
		}}
	},
	"observer": func(testing.TB, gcn.Target) look {
		h := fnv.New64a()
		n := 0
		o := sim.Observer(func(e *sim.Event) {
			n++
			a := e.Access
			fmt.Fprint(h, e.Wave.Group, e.Wave.ID, e.PC, e.Inst.Words, e.Before, e.Wave.Exec(), e.Wave.SCC, a.Op)
			if a.Op != gcn.NoMem {
				fmt.Fprint(h, a.Space, a.Exec, a.Out, a.Elem, a.Count, a.Addr)
			}
			if len(e.Wave.V) > 3 {
				fmt.Fprint(h, e.Wave.V[:4])
			}
		})
		return look{[]sim.Watcher{o}, func() string { return fmt.Sprintf("%d events, %x", n, h.Sum64()) }}
	},
	"sparse observer": func(testing.TB, gcn.Target) look {
		var all []string
		o := sim.SparseObserver(func(e *sim.Event) {
			for pc := e.PC - e.Before; pc != e.PC; {
				in, _ := e.Program.Inst(pc)
				all = append(all, fmt.Sprint(e.Wave.Group, e.Wave.ID, pc))
				pc += uint64(in.Size)
			}
			all = append(all, fmt.Sprint(e.Wave.Group, e.Wave.ID, e.PC))
		})
		return look{[]sim.Watcher{o}, func() string { return fmt.Sprint(all) }}
	},
	"before and after": func(testing.TB, gcn.Target) look {
		i := &inspection{}
		return look{[]sim.Watcher{i}, func() string { return fmt.Sprint(*i) }}
	},
}

// lookNames returns the names of looks in order.
func lookNames() (names []string) {
	for name := range looks {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// newModel returns a time model whose time waves do not read, because that would change their results.
func newModel(t testing.TB, target gcn.Target) *timing.Model {
	model, err := timing.New(target, timing.Default(target))
	require.NoError(t, err)
	model.HideClock = true
	return model
}

func recorded(t testing.TB, rec *record.Recorder) string {
	var file bytes.Buffer
	require.NoError(t, rec.Record().Write(&file))
	return file.String()
}

// scene is a run that can be watched. set changes its configuration; the results are returned as text.
type scene struct {
	name   string
	target gcn.Target
	start  func(t testing.TB, set func(*sim.Config)) string
}

// run executes the scene with watchers and returns its results.
func (s *scene) run(t testing.TB, watchers []sim.Watcher) string {
	return s.start(t, func(c *sim.Config) { require.NoError(t, c.Watch(watchers...)) })
}

// bareScene executes text on the waves of one work-group. v0 is the number of the work-item times 4, s[0:3] a buffer
// of 4 KiB, and v[4:5] an address in it.
func bareScene(name string, target gcn.Target, waves int, text string) scene {
	return scene{name, target, func(t testing.TB, set func(*sim.Config)) string {
		m := sim.New(target)
		set(&m.Config)
		buf := m.Alloc(4096)
		words, err := asmWords(target, text)
		require.NoError(t, err, text)
		var all []*state.Wave
		for i := range waves {
			w := state.NewWave(target, 16)
			w.ID, w.S[gcn.M0] = i, ^uint32(0)
			w.SetBuffer(0, gcn.Buffer{Base: buf.Addr, NumRecords: 4096})
			w.SetVGPR(0, lane.Times(4*uint32(i+1)))
			for n := range uint32(state.NumLanes) {
				at := buf.Addr + uint64(4*n)*uint64(i+1)
				w.V[4][n], w.V[5][n] = uint32(at), uint32(at>>32)
			}
			all = append(all, w)
		}
		res, err := m.RunProgram(ctx, sim.NewProgram(target, 0, words, 16), all...)
		left := fmt.Sprintf("%v %v %x", res, err, buf.Bytes())
		for _, w := range all {
			left += fmt.Sprint(w.PC, w.Executed, w.S, w.V, w.SCC, w.VMCnt, w.EXPCnt, w.LGKMCnt, w.Ended, w.AtBarrier)
		}
		return left
	}}
}

// kernelScene dispatches a compiled kernel, from registers or by its name.
func kernelScene(t testing.TB, k kernelTest, file string, registers bool) scene {
	data := kernelObject(t, file)
	o, err := new(sim.ObjectCache).Parse(data)
	require.NoError(t, err)
	return scene{fmt.Sprintf("%s, registers %t", file, registers), o.Target,
		func(t testing.TB, set func(*sim.Config)) string {
			m := sim.New(o.Target)
			mod, err := m.LoadObject(data)
			require.NoError(t, err)
			l := sim.Launch{Module: mod, Kernel: k.name, Grid: k.grid, Group: k.group}
			var buffers []*sim.Buffer
			for _, a := range k.args {
				if a.in != nil {
					b := m.Alloc(len(a.in))
					copy(b.Bytes(), a.in)
					a.value, buffers = sim.BufferArg(b), append(buffers, b)
				}
				l.Args = append(l.Args, a.value)
			}
			var res *sim.Result
			if registers {
				c, release, errOf := sim.RegistersOf(m, &l)
				require.NoError(t, errOf)
				defer release()
				set(&c.Config)
				res, err = m.Compute(ctx, *c)
			} else {
				set(&l.Config)
				res, err = m.Dispatch(ctx, l)
			}
			var left []byte
			for _, b := range buffers {
				left = append(left, b.Bytes()...)
			}
			return fmt.Sprintf("%v %v %x", res, err, left)
		}}
}

// scenes returns runs of waves alone and dispatches, with loops, barriers, LDS, atomics, private memory, waves that
// read the time, defects that checks find, and faults.
func scenes(t testing.TB) []scene {
	all := []scene{
		bareScene("a wait is missing", gcn.GFX900, 1, "ds_read_b32 v1, v0\nv_mov_b32 v2, v1\ns_endpgm"),
		bareScene("waves meet in LDS", gcn.GFX803, 3, `
			s_movk_i32 s20, 5
		loop:
			ds_write_b32 v0, v0
			s_waitcnt lgkmcnt(0)
			s_barrier
			ds_read_b32 v1, v0 offset:4
			s_waitcnt lgkmcnt(0)
			v_add_u32 v2, vcc, v1, v2
			v_cmpx_lt_u32 vcc, 16, v0
			buffer_store_dword v2, v0, s[0:3], 0 offen
			s_mov_b64 exec, -1
			s_sub_u32 s20, s20, 1
			s_cmp_lg_u32 s20, 0
			s_cbranch_scc1 loop
			s_memtime s[8:9]
			s_endpgm`),
		bareScene("a fault", gcn.GFX803, 2, "v_mov_b32 v1, 1\nv_mov_b32 v4, 0\nv_mov_b32 v5, 0\ns_nop "+
			"0\nflat_load_dword v2, v[4:5]\ns_endpgm"),
	}
	registers := false
	for _, k := range kernelTests() {
		if slices.Contains([]string{"vadd", "reduce", "histogram", "matmul", "clock", "spill", "scan", "sort"}, k.name) {
			all = append(all, kernelScene(t, k, k.name+".fiji.co", registers))
			registers = !registers
		}
	}
	require.GreaterOrEqual(t, len(all), 10)
	return all
}

// TestPairsOfWatchers: the report of a watcher and the results of a run do not depend on other watchers or their
// order.
func TestPairsOfWatchers(t *testing.T) {
	effort.Long(t)
	names := lookNames()
	for nth, s := range scenes(t) {
		if effort.LeavesOut(nth) {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			left, alone := s.run(t, nil), map[string]string{}
			for _, name := range names {
				l := looks[name](t, s.target)
				require.Equal(t, left, s.run(t, l.watchers), name)
				alone[name] = l.says()
				require.NotEmpty(t, alone[name])
			}
			together := func(names ...string) {
				var all []look
				var watchers []sim.Watcher
				for _, name := range names {
					l := looks[name](t, s.target)
					all, watchers = append(all, l), append(watchers, l.watchers...)
				}
				require.Equal(t, left, s.run(t, watchers), names)
				for i, name := range names {
					if got := all[i].says(); got != alone[name] {
						t.Fatalf("%s says of %s with %q\n%.2000q\nand alone\n%.2000q", name, s.name, names, got, alone[name])
					}
				}
			}
			pairs := 0
			for i, a := range names {
				for _, b := range names[i:] { // includes two watchers of the same kind
					if pairs++; effort.LeavesOut(pairs - 1) {
						continue
					}
					if (pairs+nth)%2 == 0 { // every other scene has them in the opposite order
						together(a, b)
					} else {
						together(b, a)
					}
				}
			}
			together(names...)
			backwards := slices.Clone(names)
			slices.Reverse(backwards)
			together(backwards...)
		})
	}
}

// needy is a watcher with the given needs.
type needy struct {
	sim.NoWatcher
	needs sim.Needs
	asked int
}

func (w *needy) Needs() sim.Needs {
	w.asked++
	return w.needs
}

// byValue is a watcher whose values are not comparable.
type byValue struct {
	needy
	list []int
}

func (byValue) Needs() sim.Needs { return sim.Needs{} }

// TestWatchersThatCannotBeAdded: the error names the watcher and the solution, and no watcher is added.
func TestWatchersThatCannotBeAdded(t *testing.T) {
	first, second := newModel(t, gcn.GFX803), newModel(t, gcn.GFX803)
	first.HideClock, second.HideClock = false, false
	var c sim.Config
	require.NoError(t, c.Watch(first))
	for says, w := range map[string]sim.Watcher{
		"a watcher is nil; leave it out":                                              nil,
		"the watcher *timing.Model looks at the run already; add it once":             first,
		"the watcher *timing.Model and the watcher *timing.Model both tell waves the": second,
		"the watcher sim_test.byValue cannot be told from others":                     byValue{list: []int{1}},
		"the watcher *sim_test.needy needs events of kind 7":                          &needy{needs: sim.Needs{Events: 7}},
	} {
		var e *sim.Error
		require.ErrorAs(t, c.Watch(sim.Observer(func(*sim.Event) {}), w), &e, says)
		require.Equal(t, sim.BadWatcher, e.Kind)
		require.ErrorContains(t, e, says)
		require.Equal(t, []sim.Watcher{first}, c.Watchers())
	}
	require.ErrorContains(t, c.Watch((*check.Checker)(nil)), "a watcher is nil")
	require.ErrorContains(t, c.Watch(sim.Observer(nil)), "a watcher is nil")
	second.HideClock = true
	require.NoError(t, c.Watch(second))
}

// TestCopiesOfAConfig: a watcher that is added to a copy does not see the runs of the original, and the other way
// round. Its Needs is called once.
func TestCopiesOfAConfig(t *testing.T) {
	m := sim.New(gcn.GFX803)
	count := func(n *int) sim.Watcher { return sim.Observer(func(*sim.Event) { *n++ }) }
	var both, copied, original int
	asked := &needy{}
	require.NoError(t, m.Watch(asked, count(&both), &needy{})) // a list with spare capacity
	c := m.Config
	require.NoError(t, c.Watch(count(&copied)))
	require.NoError(t, m.Watch(count(&original)))
	run := func() {
		_, err := m.RunAsm(ctx, m.NewWave(), "s_nop 0\ns_endpgm")
		require.NoError(t, err)
	}
	run()
	require.Equal(t, [...]int{2, 0, 2}, [...]int{both, copied, original})
	m.Config = c
	run()
	require.Equal(t, [...]int{4, 2, 2}, [...]int{both, copied, original})
	require.Equal(t, 1, asked.asked)
}

// refuses is a watcher whose Start returns an error.
type refuses struct {
	sim.NoWatcher
	err error
}

func (refuses) Needs() sim.Needs { return sim.Needs{} }

func (r refuses) Start(*sim.Run) error { return r.err }

// TestStart: Start receives a description of the run, and its error ends the run before anything executes.
func TestStart(t *testing.T) {
	err := errors.New("not this one")
	for _, s := range scenes(t) {
		events := 0
		require.Contains(t, s.run(t, []sim.Watcher{sim.Observer(func(*sim.Event) { events++ }), refuses{err: err}}),
			err.Error())
		require.Zero(t, events)
	}
}

// watchTexts are the programs that FuzzWatch executes.
var watchTexts = []string{
	"s_nop 0\nv_mov_b32 v1, 1\nv_add_u32 v2, vcc, v1, v0\ns_endpgm",
	"buffer_load_dword v1, v0, s[0:3], 0 offen\nv_mov_b32 v2, v1\ns_endpgm",
	"buffer_store_dword v0, v0, s[0:3], 0 offen\ns_waitcnt vmcnt(0)\ns_mov_b64 exec, 3\nds_write_b32 v0, v0\ns_endpgm",
	"v_mov_b32 v4, 0\nv_mov_b32 v5, 0\nflat_load_dword v2, v[4:5]\ns_endpgm",
}

// watchStage is a machine on which programs execute, one after another.
type watchStage struct {
	*sim.Machine
	buf *sim.Buffer
}

func newWatchStage() *watchStage {
	m := sim.New(gcn.GFX803)
	return &watchStage{m, m.Alloc(1024)}
}

// run executes one of the programs on a new wave.
func (s *watchStage) run(n byte) {
	w := s.NewWave()
	w.SetBuffer(0, gcn.Buffer{Base: s.buf.Addr, NumRecords: 1024})
	w.SetVGPR(0, lane.Times(uint32(n)))
	w.S[gcn.M0] = ^uint32(0)
	_, _ = s.RunAsm(ctx, w, watchTexts[int(n)%len(watchTexts)])
}

// FuzzWatch adds watchers between runs, to the machine and to copies of its configuration. The report of each must be
// the same as when it is the only watcher.
func FuzzWatch(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 250, 4, 251, 250, 5, 252, 6, 7, 250, 253})
	f.Add([]byte{8, 8, 250, 0, 0, 250, 255, 3, 250, 2, 254, 251, 1, 252})
	names := lookNames()
	f.Fuzz(func(t *testing.T, ops []byte) {
		ops = ops[:min(len(ops), 24)]
		type added struct {
			name string
			at   int // number of runs before it was added
			look look
		}
		stage := newWatchStage()
		var all []added
		var runs []byte
		for _, op := range ops {
			name := names[int(op)%len(names)]
			l := looks[name](t, gcn.GFX803)
			switch {
			case op == 255: // add to a copy with which nothing executes
				c := stage.Config
				require.NoError(t, c.Watch(l.watchers...))
			case op >= 250:
				runs = append(runs, op)
				stage.run(op)
			case op >= 200: // add a watcher a second time
				if have := stage.Watchers(); len(have) > 0 {
					require.Error(t, stage.Watch(have[int(op)%len(have)]))
				}
			default:
				require.NoError(t, stage.Watch(l.watchers...))
				all = append(all, added{name, len(runs), l})
			}
		}
		for _, a := range all {
			alone, l := newWatchStage(), looks[a.name](t, gcn.GFX803)
			for i, op := range runs {
				if i == a.at {
					require.NoError(t, alone.Watch(l.watchers...))
				}
				alone.run(op)
			}
			require.Equal(t, l.says(), a.look.says(), "%s of %v, added before run %d", a.name, runs, a.at)
		}
	})
}
