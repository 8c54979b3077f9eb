package specjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/asm"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
	"github.com/gcnsim/gcnsim/internal/tool/literal"
	"github.com/gcnsim/gcnsim/sim/spec"
	"github.com/gcnsim/gcnsim/sim/timing"
)

// TimingSpec is what a request says about time.
type TimingSpec struct {
	Timing       Timing                     `json:"timing"`
	Chip         string                     `json:"chip"`
	TimingParams map[string]json.RawMessage `json:"timing_params"`
	Sensitivity  bool                       `json:"sensitivity"` // how much assumed parameters move the cycles
}

// Timing says whether a run is timed, and which part of it: in JSON false, true and "sampled".
type Timing uint8

// Timings.
const (
	NotTimed Timing = iota
	Timed
	Sampled // see [timing.Params].Sampled
)

var timings = [...]string{NotTimed: "false", Timed: "true", Sampled: `"sampled"`}

var _ = enum.Full[Timing](timings[:])

// UnmarshalJSON reads it.
func (t *Timing) UnmarshalJSON(b []byte) error {
	i := slices.Index(timings[:], string(b))
	if i < 0 {
		return fmt.Errorf("this is %s; give true, false or \"sampled\"", literal.Short(string(b)))
	}
	*t = Timing(i)
	return nil
}

// paramValue reads the value of a parameter: an integer, or true or false, as 1 or 0.
func paramValue(b json.RawMessage) (int64, error) {
	switch string(b) {
	case "true":
		return 1, nil
	case "false":
		return 0, nil
	}
	text, err := unquoted(b)
	if err != nil {
		return 0, err
	}
	v, negative, err := literal.Integer(text)
	if err != nil {
		return 0, err
	}
	if !negative && v > math.MaxInt64 {
		return 0, fmt.Errorf("%s is far too large", literal.Short(text))
	}
	return int64(v), nil
}

// wanted returns p, the parameters of a chip, with the changes that s makes, nil if no times are wanted.
func (s *TimingSpec) wanted(p timing.Params) (*timing.Params, error) {
	for _, name := range slices.Sorted(maps.Keys(s.TimingParams)) {
		value, err := paramValue(s.TimingParams[name])
		if err != nil {
			return nil, fmt.Errorf("timing_params: %s: %w", name, err)
		}
		if err := p.Set(name, value); err != nil {
			return nil, err
		}
	}
	switch {
	case s.Timing != NotTimed:
		p.Sampled = p.Sampled || s.Timing == Sampled
		return &p, nil
	case len(s.TimingParams) > 0:
		return nil, errors.New("timing_params has no effect without timing; give \"timing\":true")
	case s.Sensitivity:
		return nil, errors.New("sensitivity has no effect without timing; give \"timing\":true")
	}
	return nil, nil
}

// Times is the part of a reply that says how long the run took and why.
type Times struct {
	Cycles   *uint64        `json:"cycles,omitempty"`
	Counters *metrics       `json:"counters,omitempty"`
	Timeline []instTimes    `json:"timeline,omitempty"`
	Assumed  map[string]any `json:"assumed,omitempty"`
	// Basis says how sure the times are.
	Basis *timingFidelity `json:"timing_fidelity,omitempty"`
	// NotModelled says what of the run the times leave out.
	NotModelled []string `json:"not_modelled,omitempty"`
	Chip        string   `json:"chip,omitempty"`
	// Sampled says which part of the run was timed, with "timing":"sampled".
	Sampled *sampledJSON `json:"sampled,omitempty"`

	// Model is all that the model found; nil without timing.
	Model *timing.Result `json:"-"`
	// CodeBase is what PCs count from in the file of a code object.
	CodeBase uint64 `json:"-"`
	// Moves is how much assumed parameters move the cycles; nil unless it is asked for.
	Moves []spec.Sensitivity `json:"-"`
}

// sampledJSON is which part of a run was timed, see [timing.Sampling].
type sampledJSON struct {
	Groups      uint64  `json:"workgroups"`
	TimedGroups uint64  `json:"timed"`
	TimedCycles uint64  `json:"timed_cycles"`
	Bound       percent `json:"within_percent"`
	Why         string  `json:"why,omitempty"`
}

// timingFidelity is what the times of a run rest on.
type timingFidelity struct {
	Assumed []string  `json:"assumed"`        // parameters that no public source gives
	Band    *bandJSON `json:"band,omitempty"` // left out if no figure of a board is about such a kernel
	// Sensitivity is how much each assumed parameter moves the cycles, if the request asks for it.
	Sensitivity []sensitivityJSON `json:"sensitivity,omitempty"`
}

// sensitivityJSON is how much one assumed parameter moves the cycles.
type sensitivityJSON struct {
	Parameter string     `json:"parameter"`
	Value     any        `json:"value"`
	Less      *movedJSON `json:"less,omitempty"` // left out where the model cannot have the value
	More      *movedJSON `json:"more,omitempty"`
}

// movedJSON is a run with one parameter changed.
type movedJSON struct {
	Value   int     `json:"value"`
	Cycles  uint64  `json:"cycles"`
	Percent percent `json:"percent"`
}

// percent is written with three decimals at most.
type percent float64

// MarshalJSON writes the number.
func (p percent) MarshalJSON() ([]byte, error) { return []byte(Decimal(float64(p))), nil }

// bandJSON says within how many percent most figures of a class of kernels are predicted.
type bandJSON struct {
	Class   string `json:"class"`
	Percent int    `json:"percent"`
}

// instTimes are the times of one instruction in cycles, summed over its executions.
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

// metrics is an object of counters in their order.
type metrics []timing.Metric

// MarshalJSON writes an object.
func (m metrics) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, x := range m {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", x.Name, Decimal(x.Value))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Decimal returns whole numbers as such, others with three decimals.
func Decimal(v float64) string {
	if v == math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

// fidelity is the line of the fidelity report that says what the cycles rest on.
func (t *Times) fidelity() fidelity {
	return fidelity{
		Mnemonic: "cycles", Level: gcn.Approximate.String(),
		Why: fmt.Sprintf("issue costs, address rates, coalescing and bank conflicts are those of published figures, "+
			"bandwidths those of boards, latencies those of a later chip; "+
			"for %d parameters, which assumed lists, no public source gives a value; %s%s", len(t.Assumed), t.Model.Band(),
			t.partial()),
	}
}

// partial says what of a sampled run was timed.
func (t *Times) partial() string {
	if t.Model.Sampled == nil {
		return ""
	}
	return "; " + t.Model.Sampled.String()
}

// fill sets t to what the model found in a run, if it was timed.
func (t *Times) fill(run *spec.Result) {
	res := run.Times
	if res == nil {
		return
	}
	t.Model, t.CodeBase, t.Moves, t.Chip, t.NotModelled = res, run.Base, run.Sensitivity, res.Params.Chip, res.NotModelled
	counters := metrics(res.Metrics)
	t.Cycles, t.Counters, t.Assumed = &res.Cycles, &counters, map[string]any{}
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
	t.Basis = &timingFidelity{Assumed: []string{}}
	for _, f := range res.Params.Fields() {
		if f.Assumed {
			t.Assumed[f.Name] = f.Value
			t.Basis.Assumed = append(t.Basis.Assumed, f.Name)
		}
	}
	if b := res.Band(); b.Class != "" {
		t.Basis.Band = &bandJSON{b.Class, b.Percent}
	}
	if s := res.Sampled; s != nil {
		t.Sampled = &sampledJSON{s.Groups, s.Timed, s.Cycles, percent(s.Bound), s.Why}
	}
	for i := range t.Moves {
		x := &t.Moves[i]
		t.Basis.Sensitivity = append(t.Basis.Sensitivity, sensitivityJSON{x.Name, x.Value, movedOf(x.Less), movedOf(x.More)})
	}
}

// movedOf returns m in the form of JSON.
func movedOf(m *spec.Moved) *movedJSON {
	if m == nil {
		return nil
	}
	return &movedJSON{m.Value, m.Cycles, percent(m.Percent)}
}
