package compare

import (
	"context"

	"github.com/gcnsim/gcnsim/state"
)

// This file finds the slices of programs with other instructions that are walked side by side, beside those of the two
// stores: of what should have written something, and did not.

// mostFollowed is how many stale values, and how many missing stores, are followed.
const mostFollowed = 4

// pairs walks the slices of programs with other instructions side by side. It returns the slices of each program; the
// walk may have added some. The walk is nil for aligned programs.
func (c *inquiry) pairs(m [2]*matcher) (p *pairing, all [2][]*slicer, err error) {
	for i, s := range c.slicers {
		for _, s := range []*slicer{s, c.insteads[i]} {
			if s != nil && len(s.nodes) > 0 {
				all[i] = append(all[i], s)
			}
		}
	}
	if c.aligned != nil {
		return nil, all, nil
	}
	for i := range all {
		for _, s := range all[i] {
			m[i].judge(m[1-i], s.nodes)
		}
	}
	p = newPairing(m)
	for i, s := range c.slicers {
		x := pair{{c.slicers[0], 0}, {c.slicers[1], 0}}
		switch {
		case c.insteads[1-i] != nil:
			x[1-i] = ref{c.insteads[1-i], 0}
		case !c.sameItem():
			if len(s.nodes) > 0 {
				p.alone(ref{s, 0})
			}
			continue
		}
		p.add(x[0], x[1])
	}
	p.walk()
	for stale, missing := 0, 0; err == nil; p.walk() {
		switch {
		case stale < min(len(p.stale), mostFollowed):
			err = c.followStale(p, &all, &p.stale[stale])
			stale++
		case missing < min(len(p.missing), mostFollowed):
			err = c.followMissing(p, &all, &p.missing[missing])
			missing++
		default:
			return p, all, nil
		}
	}
	return nil, all, err
}

// followStale goes on with what turned the lane off in an instruction that would have written a value anew.
func (c *inquiry) followStale(p *pairing, all *[2][]*slicer, x *staleRead) error {
	s, err := c.also(p, all, x.side, x.next.n, x.next.lane)
	if s != nil {
		at := pair{x.fresh, x.fresh}
		at[x.side] = ref{s, 0}
		p.path[at[0]], p.path[at[1]] = true, true
		p.exec(at)
	}
	return err
}

// followMissing goes on with the store of a value if the other program stores it at another place. If both store it at
// the same place, or this one does not store it, the load is to blame.
func (c *inquiry) followMissing(p *pairing, all *[2][]*slicer, x *missingStore) error {
	store := x.store.node()
	at := x.by
	f, err := c.look(c.ctx, x.side, store)
	if err != nil || f.same == nil {
		p.begins(at)
		return err
	}
	s, err := c.also(p, all, x.side, f.same.n, store.lane)
	switch {
	case s == nil:
		return err
	case store.to == state.LDS && s.nodes[0].storedAt() == store.storedAt():
		p.begins(at)
	default:
		at = pair{x.store, x.store}
		at[x.side] = ref{s, 0}
	}
	p.add(at[0], at[1])
	return nil
}

// also adds the slice of a lane of instruction number n of a side to all. It returns nil if that lane has no slice.
func (c *inquiry) also(p *pairing, all *[2][]*slicer, side int, n uint64, lane int) (*slicer, error) {
	s, err := c.from(c.ctx, side, n, lane)
	if s != nil {
		p.m[side].judge(p.m[1-side], s.nodes)
		all[side] = append(all[side], s)
	}
	return s, err
}

// from returns the slice of a lane of instruction number n of a side, which may have left the lane out, or nil if that
// lane has no slice.
func (c *inquiry) from(ctx context.Context, side int, n uint64, lane int) (*slicer, error) {
	s := &slicer{setup: c.setups[side], writers: c.writers[side]}
	if err := s.slice(ctx, 0, stampOf(n, lane), true); err != nil || len(s.nodes) == 0 {
		return nil, err
	}
	s.nodes[0].lanes = 1 << lane
	if err := s.values(ctx); err != nil {
		return nil, err
	}
	return s, nil
}
