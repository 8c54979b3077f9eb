package spec

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/tool/jsonout"
)

// times is the part of a reply with the duration of the run and its causes.
type times struct {
	Cycles   *uint64        `json:"cycles,omitempty"`
	Counters *metrics       `json:"counters,omitempty"`
	Timeline []instTimes    `json:"timeline,omitempty"`
	Assumed  map[string]any `json:"assumed,omitempty"`
	// Basis is the accuracy of the times.
	Basis *timingFidelity `json:"timing_fidelity,omitempty"`
	// NotModelled lists operations of the run that the times do not include.
	NotModelled []string `json:"not_modelled,omitempty"`
	Chip        string   `json:"chip,omitempty"`
	// Sampled describes the timed part of the run, with "timing":"sampled".
	Sampled *sampledJSON `json:"sampled,omitempty"`
}

// sampledJSON is the JSON form of [timing.Sampling].
type sampledJSON struct {
	Groups      uint64  `json:"workgroups"`
	TimedGroups uint64  `json:"timed"`
	TimedCycles uint64  `json:"timed_cycles"`
	Bound       percent `json:"within_percent"`
	Why         string  `json:"why,omitempty"`
}

// timingFidelity describes the assumptions behind the times.
type timingFidelity struct {
	Assumed []string `json:"assumed"` // parameters without a public source
	Band    bandJSON `json:"band"`
	// Sensitivity is the change of the cycles by each assumed parameter, if the request has "sensitivity".
	Sensitivity []Sensitivity `json:"sensitivity,omitempty"`
}

// percent is a number that is written with at most three decimals.
type percent float64

// MarshalJSON writes the number.
func (p percent) MarshalJSON() ([]byte, error) { return []byte(Decimal(float64(p))), nil }

// bandJSON is the deviation in percent that most predictions for a class of kernels do not exceed.
type bandJSON struct {
	Class   string `json:"class"`
	Figures int    `json:"figures"` // measurements of its class; a class with few has the percent of the widest band
	Percent int    `json:"percent"`
}

// instTimes has the times of one instruction in cycles, summed over its executions.
type instTimes struct {
	PC      address `json:"pc"`
	Text    string  `json:"text"`
	Source  string  `json:"source,omitempty"`
	Count   uint64  `json:"count"`
	First   uint64  `json:"first"` // cycle of the first issue
	Busy    uint64  `json:"busy"`
	Stall   uint64  `json:"stall"`
	For     string  `json:"for,omitempty"`
	Latency uint64  `json:"latency"`
}

// metrics is written as an object of metrics in their order.
type metrics struct{ list []timing.Metric }

// MarshalJSON writes an object.
func (m metrics) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, x := range m.list {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", x.Name, Decimal(x.Value))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Decimal formats integral numbers without decimals, others with three.
func Decimal(v float64) string {
	if v == math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

// fidelity returns the line of the fidelity report about the cycles.
func (r *Result) fidelity() fidelity {
	took, sampled := timing.ResultOf(r.Times), ""
	if took.Sampled != nil {
		sampled = "; " + took.Sampled.String()
	}
	return fidelity{
		Mnemonic: "cycles", Level: gcn.Approximate.String(),
		Why: fmt.Sprintf("issue costs, address rates, coalescing and bank conflicts are those of published figures, "+
			"bandwidths those of boards, latencies those of a later chip; "+
			"for %d parameters, which assumed lists, no public source gives a value; %s%s", len(assumedOf(took)),
			took.Band(), sampled),
	}
}

// assumedOf returns the parameters of a run that have no public source.
func assumedOf(res *timing.Result) (all []timing.Field) {
	for _, f := range res.Params.Fields() {
		if f.Assumed {
			all = append(all, f)
		}
	}
	return all
}

// fill sets t to the times of a run, if it was timed.
func (t *times) fill(run *Result) {
	res := timing.ResultOf(run.Times)
	if res == nil {
		return
	}
	counters := metrics{res.Metrics}
	t.Cycles, t.Counters, t.Assumed, t.Chip, t.NotModelled = &res.Cycles, &counters, map[string]any{}, res.Params.Chip,
		res.NotModelled
	for i := range res.Insts {
		x := &res.Insts[i]
		line := instTimes{
			PC: address(x.PC), Text: asm.Format(x.Inst, asm.LLVM), Source: x.Source, Count: x.Count, First: x.First,
			Busy: x.Busy, Latency: x.Latency, Stall: x.Stalled,
		}
		if line.Stall > 0 {
			line.For = x.Why.String()
		}
		t.Timeline = append(t.Timeline, line)
	}
	t.Basis = &timingFidelity{Assumed: []string{}, Sensitivity: run.Sensitivity}
	for _, f := range assumedOf(res) {
		t.Assumed[f.Name] = f.Value
		t.Basis.Assumed = append(t.Basis.Assumed, f.Name)
	}
	b := res.Band()
	t.Basis.Band = bandJSON{b.Class, b.Figures, b.Percent}
	if s := res.Sampled; s != nil {
		t.Sampled = &sampledJSON{s.Groups, s.Timed, s.Cycles, percent(s.Bound), s.Why}
	}
}

// Sensitivity is the change of a run's cycles by one assumed parameter.
type Sensitivity struct {
	timing.Field `json:"-"` // the parameter with its value in the run
	// Less and More are the runs with a quarter less and a quarter more of the parameter, at least by 1; nil if the
	// model does not accept such a value.
	Less *Moved `json:"less,omitempty"`
	More *Moved `json:"more,omitempty"`
}

// Moved is a run with one parameter changed.
type Moved struct {
	Value  int    `json:"value"`
	Cycles uint64 `json:"cycles"`
	// Percent is the difference of Cycles from the original run.
	Percent float64 `json:"percent"`
}

// MarshalJSON writes the parameter's name and value, Less and More.
func (s Sensitivity) MarshalJSON() ([]byte, error) {
	type plain Sensitivity
	return jsonout.Marshal(&struct {
		Parameter string `json:"parameter"`
		Value     any    `json:"value"`
		plain
	}{s.Name, s.Value, plain(s)})
}

// MarshalJSON writes the percentage with at most three decimals.
func (m Moved) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `{"value":%d,"cycles":%d,"percent":%s}`, m.Value, m.Cycles, Decimal(m.Percent)), nil
}

// Most returns the largest change of the cycles in percent, in either direction.
func (s Sensitivity) Most() (percent float64) {
	for _, m := range []*Moved{s.Less, s.More} {
		if m != nil {
			percent = max(percent, m.Percent, -m.Percent)
		}
	}
	return percent
}

// sensitivity returns the change of the cycles by each assumed timing parameter, the largest change first. again
// executes the same run with its options and returns the result. o are the options of the run.
func (s *Settings) sensitivity(ctx context.Context, o *Options, target gcn.Target, first *timing.Result,
	again func(context.Context, *Options) (*Result, error)) (all []Sensitivity, err error) {
	if !s.Sensitivity || o.bare {
		return nil, nil
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(cmp.Or(o.Workers, runtime.GOMAXPROCS(0)))
	moved := func(to **Moved, f *timing.Field, value int) {
		p := first.Params
		if p.Set(f.Name, int64(value)) != nil {
			return
		}
		if _, err := timing.New(target, p); err != nil {
			return // the model does not accept the value
		}
		g.Go(func() error {
			r, err := again(ctx, &Options{Seed: o.Seed, Objects: o.Objects, Workers: 1, bare: true, times: &p})
			if err != nil {
				return err
			}
			n := r.Times.Cycles
			*to = &Moved{value, n, 100 * (float64(n) - float64(first.Cycles)) / float64(max(first.Cycles, 1))}
			return nil
		})
	}
	for _, f := range first.Params.Fields() {
		if _, ok := f.Value.(int); ok && f.Assumed {
			all = append(all, Sensitivity{Field: f})
		}
	}
	for i := range all {
		v, _ := all[i].Value.(int)
		step := max(1, v/4)
		moved(&all[i].Less, &all[i].Field, v-step)
		moved(&all[i].More, &all[i].Field, v+step)
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b Sensitivity) int { return cmp.Compare(b.Most(), a.Most()) })
	return all, nil
}
