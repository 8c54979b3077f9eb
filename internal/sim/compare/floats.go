package compare

import (
	"bytes"
	"context"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// This file finds the floats in buffers without an element type: elements whose value both programs computed with an
// instruction that returns a float, and then moved and stored.

// maxFloats is the maximum number of elements whose types passFloats determines.
const maxFloats = 1 << 16

// candidate is an element that differs, but is within tolerance if it is a float of type as.
type candidate struct {
	Element
	as isa.Type
}

// passFloats finds the elements that differ within tolerance, if both programs computed them as floats of one type.
func (d *Difference) passFloats(ctx context.Context, setups [2]Setup, all [2]*outcome) error {
	found := d.candidates(all)
	if len(found) == 0 {
		return nil
	}
	var types [2]*storedTypes
	for i := range types {
		w := &shadow{}
		if err := setups[i].watch(ctx, w); err != nil {
			return err
		}
		types[i] = &storedTypes{setup: setups[i], writers: w, known: map[storedDword]isa.Type{}}
		for _, x := range found {
			if err := types[i].want(all[i].session, x.Element); err != nil {
				return err
			}
		}
		if err := setups[i].watch(ctx, types[i]); err != nil {
			return err
		}
	}
	d.floats = map[Element]bool{}
	for _, x := range found {
		is := true
		for i := range types {
			as, err := types[i].of(ctx, all[i].session, x.Element)
			if err != nil {
				return err
			}
			is = is && as == x.as
		}
		d.floats[x.Element] = d.floats[x.Element] || is
	}
	d.find(all, nil)
	return nil
}

// candidates returns the elements that differ and that are within tolerance for some type of float.
func (d *Difference) candidates(all [2]*outcome) (found []candidate) {
	near := all[0].session.NearAs
	for arg := range all[0].session.Buffers {
		if near == nil || all[0].session.contents(arg) != nil {
			continue
		}
		a, b := all[0].memory(arg), all[1].memory(arg)
		size := uint64(all[0].session.element(arg))
		for lo := uint64(0); lo+size <= uint64(len(a)); lo += size {
			if bytes.Equal(a[lo:lo+size], b[lo:lo+size]) {
				continue
			}
			for as := range FloatTypes {
				n := uint64(FloatOf(as).Bytes)
				from, to := lo&^(n-1), max(lo&^(n-1)+n, lo+size)
				is := to <= uint64(len(a))
				for ; is && from < to; from += n {
					x, y := a[from:from+n], b[from:from+n]
					is = bytes.Equal(x, y) || near(arg, as, x, y)
				}
				if is && len(found) < maxFloats {
					found = append(found, candidate{Element{arg, lo, int(size)}, as})
				}
			}
		}
	}
	return found
}

// storedDword is one dword of the data of the store at pc.
type storedDword struct {
	pc    uint64
	dword int
}

// storedTypes determines the float types with which a program computed the elements that it stored. It first watches a
// run to record the stores of the elements that were passed to want.
type storedTypes struct {
	recording

	setup   Setup
	writers *shadow
	known   map[storedDword]isa.Type // None means that the dword is not a float
	stores  map[uint64]event         // by number; want adds the keys, the run fills in the values
}

// want adds the stores of element e to the stores that the run must record.
func (t *storedTypes) want(s *Session, e Element) error {
	if t.stores == nil {
		t.stores = map[uint64]event{}
	}
	return t.each(s, e, func(_ uint64, by stamp) error {
		if by != 0 {
			t.stores[by.number()] = event{}
		}
		return nil
	})
}

// each calls f with the address and the last writer of each byte of an element.
func (t *storedTypes) each(s *Session, e Element, f func(addr uint64, by stamp) error) error {
	for k := range uint64(e.Size) {
		addr, err := s.address(e.Arg, e.Offset+k)
		if err == nil {
			err = f(addr, t.writers.of(addr))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Needs is part of [sim.Watcher].
func (t *storedTypes) Needs() sim.Needs { return sim.Needs{} }

// Begin is part of [sim.Watcher].
func (t *storedTypes) Begin([]*state.Wave) {}

// Retire is part of [sim.Watcher].
func (t *storedTypes) Retire(e *sim.Event) {
	n := t.n
	t.n++
	if _, ok := t.stores[n]; ok {
		t.accesses = append(t.accesses, t.accessOf((*isa.Inst)(e.Inst), e.Access))
		t.stores[n] = event{site: t.sites.of(e).number, access: uint32(len(t.accesses))}
	}
}

// of returns the float type with which all bytes of an element were computed, None if they do not have the same type.
func (t *storedTypes) of(ctx context.Context, s *Session, e Element) (as isa.Type, err error) {
	first := true
	err = t.each(s, e, func(addr uint64, by stamp) error {
		is := isa.None
		if by != 0 {
			x := t.stores[by.number()]
			key := storedDword{t.sites.all[x.site].pc, t.dword(&x, by.lane(), addr)}
			known, ok := t.known[key]
			if !ok {
				if known, err = t.computed(ctx, addr, by); err != nil {
					return err
				}
				t.known[key] = known
			}
			is = known
		}
		if first || is == as {
			as = is
		} else {
			as = isa.None
		}
		first = false
		return nil
	})
	return as, err
}

// dword returns the index of the dword of a store's data that the store wrote to addr.
func (t *storedTypes) dword(x *event, lane int, addr uint64) (dword int) {
	a := &t.accesses[x.access-1]
	t.pieces(a, lane, func(p piece) {
		if addr-p.addr < p.size {
			dword = p.element*max(int(a.elem)/4, 1) + int(addr-p.addr)/4
		}
	})
	return dword
}

// computed returns the float type with which a byte was computed before other instructions moved it.
func (t *storedTypes) computed(ctx context.Context, addr uint64, by stamp) (as isa.Type, err error) {
	s := &slicer{setup: t.setup, writers: t.writers, copies: true}
	if err := s.slice(ctx, addr, by, false); err != nil || s.cut != "" {
		return isa.None, err
	}
	for i := range s.nodes {
		n := &s.nodes[i]
		row := n.site.inst.Row()
		if i == 0 || passesOn(row) {
			continue
		}
		is := row.Sig.Dst
		switch {
		case is == isa.V2F16:
			is = isa.F16
		case !is.Info().Float:
			return isa.None, nil
		}
		if as != isa.None && as != is {
			return isa.None, nil
		}
		as = is
	}
	return as, nil
}

// passesOn reports whether the instructions of a row move or select their sources without a change of bits.
func passesOn(row *isa.Row) bool {
	switch row.Flow[0] {
	case isa.FlowCopy, isa.FlowSelect, isa.FlowPackLow, isa.FlowPackHigh, isa.FlowPackLowHigh:
		return true
	}
	return row.Mem.Op == gcn.Load || row.Mem.Op == gcn.Store
}
