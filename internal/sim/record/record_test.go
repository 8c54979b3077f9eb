package record_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/explain"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/record"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/spec"
	"github.com/gcnsim/gcnsim/state"
)

// most is the largest number of steps of a wave that are compared.
const most = 500

// copied is a run, copied step by step, with which a record is compared.
type copied struct {
	*record.Recorder
	waves map[*state.Wave]int
	all   [][]copiedStep
	max   int
}

type copiedStep struct {
	pc            uint64
	s             [isa.NumScalarCodes]uint32
	v             []state.Lanes
	scc           uint32
	vm, exp, lgkm uint8
	access        state.Access
}

func (c *copied) Begin(waves []*state.Wave) {
	c.Recorder.Begin(waves)
	c.waves = map[*state.Wave]int{}
	for _, w := range waves {
		c.waves[w] = len(c.all)
		c.all = append(c.all, []copiedStep{stepOf(w)})
	}
}

func (c *copied) Retire(e *sim.Event) {
	c.Recorder.Retire(e)
	n := c.waves[e.Wave]
	if n >= c.max || len(c.all[n]) == most {
		return
	}
	s := stepOf(e.Wave)
	s.pc, s.access = e.PC, *e.Access
	c.all[n] = append(c.all[n], s)
}

func stepOf(w *state.Wave) copiedStep {
	s := copiedStep{s: w.S, v: slices.Clone(w.V), scc: w.SCC, vm: w.VMCnt, exp: w.EXPCnt, lgkm: w.LGKMCnt}
	return s
}

// recordOf executes a specification and returns the record and the copy.
func recordOf(t testing.TB, file string, o record.Options) (*record.Record, *copied, *spec.Reply) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	c := &copied{max: 2}
	options := &spec.Options{
		Files: files.Dir(filepath.Dir(file)),
		Watch: func(r *spec.Run) []sim.Watcher {
			c.Recorder = record.New(o)
			timing.ModelOf(r.Model).OnSpan(c.Span)
			return []sim.Watcher{c}
		},
	}
	d, err := spec.ParseDispatch(text)
	require.NoError(t, err)
	d.Timing, d.Check = spec.Timed, append(d.Check, "all")
	reply, err := d.Answer(context.Background(), options)
	require.NoError(t, err)
	return c.Record(), c, reply
}

const kernels = "../../../testdata/kernels"

// Every step of compiled kernels is read from the file as it was in the run. On average, a step or a changed register
// takes at most ten bytes.
func TestRoundTrip(t *testing.T) {
	specs, err := filepath.Glob(filepath.Join(kernels, "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, specs)
	var total, units int
	for i, file := range specs {
		if i%7 != 0 || effort.LeavesOut(i/7) {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			r, c, reply := recordOf(t, file, record.Options{})
			r.AddFindings(reply.Findings)
			var b bytes.Buffer
			require.NoError(t, r.Write(&b))
			size := b.Len()
			back, err := record.Read(&b)
			require.NoError(t, err)
			want, found := head(t, r)
			got, foundAgain := head(t, back)
			assert.Equal(t, want, got)
			assert.Equal(t, found, foundAgain)
			n := units
			for i := range back.Windows {
				var want []copiedStep
				if i < len(c.all) {
					want = c.all[i]
				}
				units += same(t, &back.Windows[i], want)
			}
			total += size
			t.Logf("%d bytes, %d steps and changes: %.2f", size, units-n, float64(size)/float64(units-n))
			recorded := uint64(0)
			for _, w := range back.Windows {
				recorded += uint64(w.Count)
			}
			assert.Equal(t, reply.Result.Instructions, recorded+back.LeftOut.Instructions)
		})
	}
	t.Logf("all: %d bytes, %d steps and changes: %.2f", total, units, float64(total)/float64(units))
	assert.Less(t, float64(total)/float64(units), 10.)
}

// head returns a record without the steps of its windows.
func head(t *testing.T, r *record.Record) (h record.Record, findings string) {
	t.Helper()
	text, err := json.Marshal(r.Findings)
	require.NoError(t, err)
	h = *r
	h.Windows, h.Findings = nil, nil
	return h, string(text)
}

// same compares a window with the copy. It returns the number of steps and register changes.
func same(t *testing.T, w *record.Window, want []copiedStep) (units int) {
	t.Helper()
	i, before := 0, state.Wave{}
	for s, err := range w.Steps() {
		require.NoError(t, err)
		units += len(s.Scalars) + len(s.VGPRs)
		if s.Access != nil {
			sameFormula(t, s, &before)
		}
		before = *s.State
		before.V = slices.Clone(s.State.V)
		if i >= len(want) {
			i++
			continue
		}
		x := &want[i]
		require.True(t, x.s == s.State.S, "step %d: scalar registers differ", i)
		for n := range x.v {
			require.True(t, x.v[n] == s.State.V[n], "step %d: v%d differs", i, n)
		}
		require.Equal(t, [...]uint8{x.vm, x.exp, x.lgkm}, [...]uint8{s.State.VMCnt, s.State.EXPCnt, s.State.LGKMCnt})
		require.Equal(t, x.scc, s.State.SCC)
		if i > 0 {
			require.Equal(t, x.pc, s.PC)
			require.NotNil(t, s.Times)
			require.Equal(t, x.access.Op != gcn.NoMem, s.Access != nil)
			if s.Access != nil {
				sameAccess(t, &x.access, s.Access)
			}
		}
		i++
	}
	require.Equal(t, w.Count+1, i)
	return units + i - 1
}

func sameAccess(t *testing.T, want *state.Access, got *state.Access) {
	t.Helper()
	require.Equal(t, want.Exec, got.Exec)
	require.Equal(t, want.Out, got.Out)
	require.Equal(t, [...]uint64{want.Misaligned, want.LDSLanes, want.ScratchLanes},
		[...]uint64{got.Misaligned, got.LDSLanes, got.ScratchLanes})
	for lane := range state.NumLanes {
		if want.Exec>>lane&1 == 0 || want.Scalar && lane > 0 {
			continue
		}
		for i := range min(int(want.Count), 4) {
			if i > 0 && !want.Split {
				break
			}
			require.Equal(t, want.At(i, lane), got.At(i, lane), "lane %d element %d", lane, i)
		}
	}
}

// sameFormula computes the formula of the addresses of s on registers as they were before. Addresses of LDS have 32
// bits.
func sameFormula(t *testing.T, s *record.Step, before *state.Wave) {
	a, bits := s.Access, ^uint64(3)
	require.Equal(t, s.Class == "MIMG" || s.Class == "SCRATCH", s.Formula == "", s.Text)
	if a.Space == state.LDS {
		bits = 1<<32 - 4
	}
	lanes := a.Exec &^ (a.LDSLanes | a.ScratchLanes)
	if a.Scalar {
		lanes = 1
	}
	for lane := range state.NumLanes {
		if s.Formula != "" && lanes>>lane&1 != 0 {
			terms, sum, _ := explain.Compute(s.Formula, before, lane)
			require.Equal(t, a.Addr[lane]&bits, sum&bits, "%s lane %d: %s", s.Text, lane, terms)
		}
	}
}

func lane32(v uint32) float64 { return float64(math.Float32frombits(v)) }

// FuzzSteps: a damaged window is an error in its steps, and a head with impossible numbers an error of Read; neither
// panics.
func FuzzSteps(f *testing.F) {
	var records [][]byte
	for _, k := range []string{"ldswide.tahiti", "volume.hawaii"} {
		r, _, _ := recordOf(f, filepath.Join(kernels, k+".json"), record.Options{Waves: 1, Steps: 200})
		var b bytes.Buffer
		require.NoError(f, r.Write(&b))
		records = append(records, b.Bytes())
		f.Add(b.Bytes(), 100, byte(0xff), 0, 0)
	}
	for number := range len(numbers(&record.Record{Windows: make([]record.Window, 1), Insts: make([]record.Inst, 1)})) {
		for _, v := range []int{-5, -1, 257, math.MaxInt, math.MinInt} {
			f.Add(records[0], 0, byte(0), number, v)
		}
	}
	f.Fuzz(func(t *testing.T, file []byte, at int, x byte, number, v int) {
		r, err := record.Read(bytes.NewReader(file))
		if err != nil {
			return
		}
		if all := numbers(r); v != 0 && len(all) > 0 {
			*all[uint(number)%uint(len(all))] = v
		}
		for i := range r.Windows {
			r.Windows[i].Flip(at, x)
		}
		var b bytes.Buffer
		require.NoError(t, r.Write(&b))
		if r, err = record.Read(&b); err != nil {
			var broken *record.FormatError
			require.ErrorAs(t, err, &broken)
			return
		}
		for i := range r.Windows {
			for s, err := range r.Windows[i].Steps() {
				if err != nil {
					var broken *record.FormatError
					require.ErrorAs(t, err, &broken)
					break
				}
				describe(s)
			}
		}
	})
}

// numbers returns the numbers of a head that decoding uses.
func numbers(r *record.Record) (all []*int) {
	for i := range r.Windows {
		w := &r.Windows[i]
		all = append(all, &w.VGPRs, &w.Count, &w.Wave, &w.CU, &w.SIMD, &w.Slot)
	}
	for i := range min(len(r.Insts), 4) {
		all = append(all, &r.Insts[i].Resource, &r.Insts[i].Sampler)
	}
	return all
}

// describe calls all methods that a viewer uses for a step.
func describe(s *record.Step) {
	if s.Inst != nil && s.Resource > 0 {
		_ = s.State.S[s.Resource-1]
	}
	for _, reg := range s.VGPRs {
		_ = s.State.VGPR(reg)
	}
	if a := s.Access; a != nil {
		_ = fmt.Sprint(a.Op, a.Space, a.Bytes(), a.OutMask())
		for i := range int(a.Count) {
			_ = a.At(i, 63)
		}
	}
}
