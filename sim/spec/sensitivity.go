package spec

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/tool/jsonout"
)

// Sensitivity says how much one assumed parameter moves the cycles of a run.
type Sensitivity struct {
	timing.Field `json:"-"` // with the value of the run
	// Less and More are the run with a quarter less and a quarter more of the parameter, at least 1; nil where the
	// model cannot have such a value.
	Less *Moved `json:"less,omitempty"`
	More *Moved `json:"more,omitempty"`
}

// Moved is a run with one parameter changed.
type Moved struct {
	Value  int    `json:"value"`
	Cycles uint64 `json:"cycles"`
	// Percent is how far Cycles are from those of the run itself.
	Percent float64 `json:"percent"`
}

// MarshalJSON writes the parameter with its name and its value.
func (s Sensitivity) MarshalJSON() ([]byte, error) {
	type plain Sensitivity
	return jsonout.Marshal(&struct {
		Parameter string `json:"parameter"`
		Value     any    `json:"value"`
		plain
	}{s.Name, s.Value, plain(s)})
}

// MarshalJSON writes the percentage with three decimals at most.
func (m Moved) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `{"value":%d,"cycles":%d,"percent":%s}`, m.Value, m.Cycles, Decimal(m.Percent)), nil
}

// Most returns by how many percent at most the parameter moves the cycles, upwards or downwards.
func (s Sensitivity) Most() (percent float64) {
	for _, m := range []*Moved{s.Less, s.More} {
		if m != nil {
			percent = max(percent, m.Percent, -m.Percent)
		}
	}
	return percent
}

// sensitivity returns what each assumed parameter of the times of a run moves, what moves most first. again runs the
// same once more with its options and returns the result. o are the options of the run.
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
			return // the model cannot have the value
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
