package job

import (
	"bytes"
	"context"
	"fmt"

	"github.com/gcnsim/gcnsim/sim/compare"
)

// stored is the instruction that stored a byte last, and for which work-item.
type stored struct {
	compare.Step
	item [3]uint64 // the global id
	base uint64    // what PCs count from in the file of the object
}

// findStorer runs the dispatch again, one work-group after another, and returns what stored the
// byte at an offset in the contents of an argument last, nil if nothing did. same reports whether
// the contents are those that the first run left.
func (req *DispatchRequest) findStorer(ctx context.Context, o *Options, arg int, at uint64, before []byte) (by *stored, same bool, err error) {
	var first *prepared // of several runs
	quiet := *o
	quiet.Progress = nil
	last, err := compare.LastStores(ctx, func() (*compare.Session, error) {
		s, r, err := req.session(&quiet)
		if first == nil {
			first = r
		}
		return s, err
	})
	if err != nil {
		return nil, false, err
	}
	h := first.memory[arg]
	after, err := h.contents()
	if err != nil {
		return nil, false, err
	}
	same = bytes.Equal(after, before)
	addr, err := h.addr(at)
	if err != nil {
		return nil, same, err
	}
	step, err := last.Of(ctx, arg, addr-h.Addr)
	if step == nil || err != nil {
		return nil, same, err
	}
	by = &stored{Step: *step, base: first.launch.Module.Base}
	for i, n := range step.Item {
		by.item[i] = uint64(n) + first.launch.Offset[i]
	}
	return by, same, nil
}

// describe says in r which instruction it was, if there was one.
func (s *stored) describe(r *Failure) {
	if s == nil {
		return
	}
	pc := address(s.PC)
	r.PC, r.Wave, r.Lane, r.Text, r.Symbol, r.Source = &pc, &s.Wave, &s.Lane, s.Text, s.Symbol, s.Source
}

// String says who stored it and where in the file.
func (s *stored) String() string {
	text := fmt.Sprintf("work-item %d,%d,%d with %s at 0x%x", s.item[0], s.item[1], s.item[2], s.Text, s.PC-s.base)
	if s.Source != "" {
		text += fmt.Sprintf(" (%s)", s.Source)
	}
	return text
}
