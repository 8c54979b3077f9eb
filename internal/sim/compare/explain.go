package compare

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// inquiry searches for the cause of a difference between two programs.
type inquiry struct {
	ctx     context.Context
	d       *Difference
	setups  [2]Setup
	all     [2]*outcome
	writers [2]*shadow
	code    [2][]*sim.Program // programs that ran
	aligned *alignment
	slicers [2]*slicer // slices of the element that differs, nil for a fault
	// insteads are slices of the instruction that replaced the other program's store; nil if both stored the element.
	insteads [2]*slicer
}

func (c *inquiry) half(i int) *Half { return [2]*Half{&c.d.A, &c.d.B}[i] }

// note adds a sentence to the notes of the difference, once.
func (c *inquiry) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(c.d.Notes, text) {
		c.d.Notes = append(c.d.Notes, text)
	}
}

// explain runs all analyses and fills in the difference.
func (c *inquiry) explain() error {
	if err := c.order(); err != nil {
		return err
	}
	if err := c.both(c.lastWriters); err != nil {
		return err
	}
	if !c.d.Faulted {
		if err := c.both(c.slice); err != nil {
			return err
		}
		if err := c.both(c.instead); err != nil {
			return err
		}
	}
	same := c.all[0].session.Machine.Target == c.all[1].session.Machine.Target
	if same {
		c.aligned, same = align(c.code[0], c.code[1])
	}
	if same {
		if err := c.first(); err != nil {
			return err
		}
	} else {
		c.note("the programs are too different to compare instruction by instruction: their slices are matched by the " +
			"values that instructions compute")
	}
	if !c.d.Faulted {
		return c.judge()
	}
	return nil
}

// both calls f for the two programs concurrently.
func (c *inquiry) both(f func(ctx context.Context, i int) error) error {
	group, ctx := errgroup.WithContext(c.ctx)
	for i := range c.setups {
		group.Go(func() error { return f(ctx, i) })
	}
	return group.Wait()
}

// order detects elements that depend on the order of work-items. If the element of the difference is such an
// element, order replaces it by one that is not, if there is one.
func (c *inquiry) order() error {
	if c.d.Faulted {
		return nil
	}
	var reversed [2]*outcome
	err := c.both(func(ctx context.Context, i int) (err error) {
		reversed[i], err = perform(ctx, c.setups[i], func(l *sim.Launch) { l.Schedule = sim.Reverse })
		return err
	})
	if err != nil {
		return err
	}
	varies := func(i, arg int, offset uint64, size int) bool {
		x, y := c.all[i].memory(arg), reversed[i].memory(arg)
		return reversed[i].fault != nil || string(x[offset:offset+uint64(size)]) != string(y[offset:offset+uint64(size)])
	}
	steady := *c.d
	if steady.find(c.all, func(arg int, offset uint64, size int) bool {
		return varies(0, arg, offset, size) || varies(1, arg, offset, size)
	}) {
		*c.d = steady
		return nil
	}
	e := c.d.Element
	for i, name := range sideNames {
		if c.half(i).Varies = varies(i, e.Arg, e.Offset, e.Size); c.half(i).Varies {
			c.note("%s differs with itself: every element that differs depends on the order of work-items, which race", name)
		}
	}
	return nil
}

// lastWriters runs program i and records the last writer of each byte.
func (c *inquiry) lastWriters(ctx context.Context, i int) error {
	c.writers[i] = &shadow{}
	err := c.setups[i].watch(ctx, c.writers[i])
	if fault := (*state.Fault)(nil); errors.As(err, &fault) && c.all[i].fault != nil {
		return nil //nolint:nilerr // the first run has reported it
	}
	return err
}

// address returns the address in program i of the first byte of the element that differs between the programs.
func (c *inquiry) address(i int) (uint64, error) {
	a, b := c.d.A.Value, c.d.B.Value
	n := 0
	for n < len(a)-1 && a[n] == b[n] {
		n++
	}
	return c.all[i].session.address(c.d.Arg, c.d.Offset+uint64(n))
}

// slice computes the slice of the element in program i, with values.
func (c *inquiry) slice(ctx context.Context, i int) error {
	addr, err := c.address(i)
	if err != nil {
		return err
	}
	by := c.writers[i].of(addr)
	s := &slicer{setup: c.setups[i], writers: c.writers[i]}
	c.slicers[i] = s
	if by == 0 {
		return nil
	}
	if err := s.slice(ctx, addr, by, false); err != nil {
		return err
	}
	s.nodes[0].lanes = 1 << by.lane()
	return s.values(ctx)
}

// judge compares the slices and converts the instructions that do not agree to steps.
func (c *inquiry) judge() error {
	var m [2]*matcher
	for i, s := range c.slicers {
		var n *numbering
		if c.aligned != nil {
			n = c.aligned.sides[i]
		}
		m[i] = newMatcher(n, s, c.insteads[i])
		if s.cut != "" {
			c.note("%s: %s; what lies before is not compared", sideNames[i], s.cut)
		}
	}
	p, all, err := c.pairs(m)
	if err != nil {
		return err
	}
	for i, s := range c.slicers {
		h, session := c.half(i), c.all[i].session
		if len(s.nodes) == 0 {
			c.note("nothing in %s stored the element: it holds what it held before the run", sideNames[i])
		} else {
			store := session.step(&s.nodes[0])
			h.Store = &store
		}
		if other := c.insteads[i]; other != nil {
			at := &other.nodes[0]
			c.note("the work-item that stored it in %s %s 0x%04x %s in %s", sideNames[1-i], other.does,
				session.inFile(at.site.pc), at.site.text(), sideNames[i])
		} else if len(c.slicers[1-i].nodes) == 0 {
			continue
		}
		for _, s := range all[i] {
			h.Slice = append(h.Slice, m[i].steps(m[1-i], s, p, session)...)
		}
	}
	return nil
}

// sameItem reports whether the same work-item stored the element in both programs.
func (c *inquiry) sameItem() bool {
	a, b := c.slicers[0].nodes, c.slicers[1].nodes
	return len(a) > 0 && len(b) > 0 && a[0].group == b[0].group && a[0].wave == b[0].wave && a[0].lanes == b[0].lanes
}
