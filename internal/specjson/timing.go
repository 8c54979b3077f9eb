package specjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/asm"
	"github.com/gcnsim/gcnsim/internal/tool/literal"
	"github.com/gcnsim/gcnsim/sim/timing"
)

// TimingSpec is what a request says about time.
type TimingSpec struct {
	Timing       bool                       `json:"timing"`
	Chip         string                     `json:"chip"`
	TimingParams map[string]json.RawMessage `json:"timing_params"`
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

// setParam sets a parameter by its name; switches take 0 or 1. Whether the model can have the
// value [timing.New] says.
func setParam(p *timing.Params, name string, value int64) error {
	var names []string
	for _, f := range p.Fields() {
		names = append(names, f.Name)
	}
	if !slices.Contains(names, name) {
		return fmt.Errorf("timing: there is no parameter %q; known are %s", name, strings.Join(names, ", "))
	}
	v := reflect.ValueOf(p).Elem().FieldByName(name)
	switch {
	case v.Kind() != reflect.Bool:
		v.SetInt(value)
	case value != 0 && value != 1:
		return fmt.Errorf("timing: %s is %d; it must be true or false, or 1 or 0", name, value)
	default:
		v.SetBool(value == 1)
	}
	return nil
}

// wanted returns p, the parameters of a chip, with the changes that s makes, nil if no times are wanted.
func (s *TimingSpec) wanted(p timing.Params) (*timing.Params, error) {
	for _, name := range slices.Sorted(maps.Keys(s.TimingParams)) {
		value, err := paramValue(s.TimingParams[name])
		if err != nil {
			return nil, fmt.Errorf("timing_params: %s: %w", name, err)
		}
		if err := setParam(&p, name, value); err != nil {
			return nil, err
		}
	}
	switch {
	case s.Timing:
		return &p, nil
	case len(s.TimingParams) > 0:
		return nil, errors.New("timing_params has no effect without timing; give \"timing\":true")
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

	// Model is all that the model found; nil without timing.
	Model *timing.Result `json:"-"`
}

// timingFidelity is what the times of a run rest on.
type timingFidelity struct {
	Assumed []string  `json:"assumed"`        // parameters that no public source gives
	Band    *bandJSON `json:"band,omitempty"` // left out if no figure of a board is about such a kernel
}

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
			"for %d parameters, which assumed lists, no public source gives a value; %s", len(t.Assumed), t.compared()),
	}
}

// compared says how near times of such kernels came to those of boards.
func (t *Times) compared() string {
	b := t.Model.Band()
	if b.Class == "" {
		return "no figure of a board is about a kernel of this kind"
	}
	return fmt.Sprintf("of figures of boards of its kind (%s) 85 in 100 are predicted within %d %%", b.Class, b.Percent)
}

// fill sets t to what the model found, nil without timing.
func (t *Times) fill(res *timing.Result) {
	if res == nil {
		return
	}
	t.Model, t.Chip, t.NotModelled = res, res.Params.Chip, res.NotModelled
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
}
