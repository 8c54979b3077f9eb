package verdict

import (
	"bytes"
	"slices"

	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/sim/element"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// drawn has the contents of the random buffers of a launch without a seed of a run, by argument. The first session
// fills it, so that later ones, which may run at a time, need not draw it.
type drawn map[int][]byte

// in returns d with the data in place of what makes it.
func (data drawn) in(d *spec.Dispatch) *spec.Dispatch {
	next := *d
	next.Args = slices.Clone(d.Args)
	for i, contents := range data {
		b := *d.Args[i].Buffer
		b.Data, b.Random = contents, nil
		next.Args[i].Buffer = &b
	}
	return &next
}

// session begins d with the data, or keeps the data that it draws.
func (data drawn) session(d *spec.Dispatch, o *spec.Options) (*compare.Session, error) {
	if o.Seed != 0 {
		return compare.SetupOf(d.Program(o))()
	}
	s, err := compare.SetupOf(data.in(d).Program(o))()
	if err != nil {
		return nil, err
	}
	for i, a := range d.Args {
		if a.Buffer == nil || a.Buffer.Random == nil {
			continue
		}
		if data[i] == nil {
			data[i] = bytes.Clone(s.Buffers[i].Bytes())
		}
		if !slices.ContainsFunc(d.Expect, func(e spec.Expect) bool { return e.Arg == i }) {
			s.Elements[i] = element.Of(a.Buffer.Random.As).Bytes
		}
	}
	return s, nil
}
