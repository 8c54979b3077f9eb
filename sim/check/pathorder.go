package check

import (
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/sim/check/internal/exact"
	"github.com/gcnsim/gcnsim/state"
)

// This file judges the order of memory accesses on a path (rule W6), with symbolic words instead of addresses.

// byteRange is the range of an access: bytes from an offset on, relative to an unknown base. base is None if nothing
// is known.
type byteRange struct {
	base   exact.Mask
	index  exact.Word // added by each lane, None without one
	offset int64
	size   int64
}

// nothing is memory without mappings.
type nothing struct{}

func (nothing) Find(uint64) *executor.Span { return nil }

// bytesOf returns where x accesses memory.
func (p *paths) bytesOf(x *step, now *flow) (at byteRange) {
	const origin = 1 << 40
	in, w, r := (*isa.Inst)(x.Inst), p.wave, (*isa.Inst)(x.Inst).Row()
	addr := reg(in.Get(isa.ADDR))
	lane := func(r reg) exact.Word { return p.words.InLanes(p.words.Get(&now.values, r), p.mask) }
	scalar := reg(isa.NoSADDR)
	switch {
	case in.Enc == isa.SMEM && !r.Has(isa.BufferBase) && !r.Mem.Lanes64:
		scalar = reg(2 * in.Get(isa.SBASE))
	case in.Enc == isa.GLOBAL && in.Get(isa.SADDR) != isa.NoSADDR:
		scalar, at.index = reg(in.Get(isa.SADDR)), lane(addr)
		w.V[addr][0] = 0
	case in.Enc == isa.FLAT || in.Enc == isa.GLOBAL:
		at.base = exact.Mask{lane(addr), lane(addr + 1)}
		w.V[addr][0], w.V[addr+1][0] = 0, origin>>32
	default:
		return byteRange{}
	}
	for i := range x.effects {
		if f := &x.effects[i]; !f.Write && in.Enc == isa.SMEM && f.Role == isa.RoleAddress &&
			f.Field != isa.SBASE {
			first, _ := registers.Span(f)
			n, ok := p.number(now, first)
			if !ok {
				return byteRange{}
			}
			w.S[first-registers.ScalarRegs] = n
		}
	}
	if scalar != isa.NoSADDR {
		at.base = p.words.Mask(&now.values, registers.ScalarRegs+scalar)
		w.S[scalar], w.S[scalar+1] = 0, origin>>32
	}
	c := core{ports: executor.Ports{Mem: nothing{}}}
	w.SetExec(1)
	c.executes(w.Wave, x.site) // it fails, and leaves the address
	w.SetExec(state.FullExec)
	at.offset, at.size = int64(c.access.Addr[0])-origin, int64(r.Mem.Elem)*int64(r.Mem.Count)
	return at
}

// cross judges x and e, which is outstanding, as the two paths of a crossing. If addresses do not tell whether they
// access the same bytes, that is a doubt.
func (p *paths) cross(x *step, e *entry, cross *crossing) {
	here, there := p.bytesOf(x, p.now), e.bytes
	switch {
	case e.complete():
	case here.base == p.kernarg, there.base == p.kernarg: // nothing stores to it
	case here.base == exact.Mask{}, here.base != there.base, here.index != there.index:
		p.doubtOrder(x, e)
	case here.offset < there.offset+there.size && there.offset < here.offset+here.size:
		_, stands := p.wayTo(x, e.site, outstanding(e))
		p.c.crossed(x, e, cross, state.Global, state.NoLane, nil)
		e.done = stands
	}
}

// doubtOrder reports that it depends on addresses whether x accesses the bytes of e.
func (p *paths) doubtOrder(x *step, e *entry) {
	if p.quiet {
		return
	}
	if f := p.c.doubt(x, defect{kind: WaitOrder, rule: "W6", from: e.site}, "address"); f != nil {
		at := e.site.place(x.Wave, e.index)
		f.Producer = &at
		f.message = say("%v has not been waited for and takes another way to memory: whether it is to the same bytes "+
			"depends on addresses that are not known, here or at other instructions", e.named())
	}
}
