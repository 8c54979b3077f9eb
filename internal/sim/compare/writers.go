package compare

import (
	"context"
	"fmt"
	"sort"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/jsonout"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// shadow is a watcher that records the last writer of each byte of global memory: the instruction and
// the lane. It takes 2 bytes per byte of the written pages, and 8 more in pages with a store that
// does not write whole dwords.
type shadow struct {
	sim.NoWatcher

	n      uint64   // number of instructions so far
	begins []uint64 // value of n at the begin of each work-group
	pages  map[uint64]*page
	at     uint64 // number of page last
	last   *page
}

// Sizes of a page of the shadow: address bits, bytes.
const (
	pageBits  = 12
	pageBytes = 1 << pageBits
)

// stamp identifies a writer: the number of the instruction + 1, and the lane in the low 6 bits. The
// stamp 0 means that nothing wrote the byte.
type stamp uint64

func stampOf(n uint64, lane int) stamp { return stamp((n+1)<<6 | uint64(lane)) }

func (s stamp) number() uint64 { return uint64(s>>6) - 1 }
func (s stamp) lane() int      { return int(s & (state.NumLanes - 1)) }

// page has the last writer of each dword or, if bytes is not nil, of each byte.
type page struct {
	dwords [pageBytes / 4]stamp
	bytes  *[pageBytes]stamp
}

// Needs is part of [sim.Watcher].
func (w *shadow) Needs() sim.Needs { return sim.Needs{} }

// Begin is part of [sim.Watcher].
func (w *shadow) Begin([]*state.Wave) { w.begins = append(w.begins, w.n) }

// Retire is part of [sim.Watcher].
func (w *shadow) Retire(e *sim.Event) {
	n := w.n
	w.n++
	eachStored(e, func(addr, size uint64, lane int) { w.put(addr, size, stampOf(n, lane)) })
}

// find returns the page that holds addr, or nil if nothing wrote to that page.
func (w *shadow) find(addr uint64) *page {
	if number := addr >> pageBits; w.last == nil || number != w.at {
		p := w.pages[number]
		if p == nil {
			return nil
		}
		w.at, w.last = number, p
	}
	return w.last
}

func (w *shadow) put(addr, size uint64, s stamp) {
	for size > 0 {
		p := w.find(addr)
		if p == nil {
			if w.pages == nil {
				w.pages = map[uint64]*page{}
			}
			p = &page{}
			w.at, w.last = addr>>pageBits, p
			w.pages[w.at] = p
		}
		in := addr & (pageBytes - 1)
		n := min(size, pageBytes-in)
		p.put(in, n, s)
		addr, size = addr+n, size-n
	}
}

func (p *page) put(at, n uint64, s stamp) {
	if p.bytes == nil {
		if at&3 == 0 && n&3 == 0 {
			for i := at / 4; i < (at+n)/4; i++ {
				p.dwords[i] = s
			}
			return
		}
		p.bytes = new([pageBytes]stamp)
		for i := range p.bytes {
			p.bytes[i] = p.dwords[i/4]
		}
	}
	for i := at; i < at+n; i++ {
		p.bytes[i] = s
	}
}

// of returns the last writer of the byte at addr.
func (w *shadow) of(addr uint64) stamp {
	p := w.find(addr)
	switch i := addr & (pageBytes - 1); {
	case p == nil:
		return 0
	case p.bytes != nil:
		return p.bytes[i]
	default:
		return p.dwords[i/4]
	}
}

// group returns the number of the first instruction in the work-group of instruction n.
func (w *shadow) group(n uint64) uint64 {
	i := sort.Search(len(w.begins), func(i int) bool { return w.begins[i] > n })
	return w.begins[i-1]
}

// Stores knows the last writer of each byte of global memory: the instruction, and the work-item
// for which it executed.
type Stores struct {
	setup   Setup
	session *Session
	by      *shadow
}

// LastStores runs a program and records the last writer of each byte, which takes little longer than
// the run alone. The error comes from ctx, is a fault of the program, or is a *[SetupError].
func LastStores(ctx context.Context, program Setup) (*Stores, error) {
	s := &Stores{setup: program, by: &shadow{}}
	o, err := perform(ctx, program, nil, s.by)
	switch {
	case err != nil:
		return nil, failed(ctx, -1, err)
	case o.fault != nil:
		return nil, o.fault
	}
	s.session = o.session
	return s, nil
}

// Of returns the instruction that last wrote the byte at offset in the buffer of argument arg. It returns
// nil if nothing wrote the byte. It runs the program again. The error comes from ctx or is a
// *[SetupError]. It is a *[SetupError] if the program has no such byte.
func (s *Stores) Of(ctx context.Context, arg int, offset uint64) (*Step, error) {
	all := s.session.Buffers
	if arg < 0 || arg >= len(all) || all[arg] == nil || s.session.contents(arg) == nil && offset >= all[arg].Size {
		return nil, &SetupError{"", fmt.Errorf("byte %d of argument %d: it must be one of the buffers of the session, "+
			"of which there are %d arguments", offset, arg, len(all))}
	}
	addr, err := s.session.address(arg, offset)
	if err != nil {
		return nil, &SetupError{"", fmt.Errorf("argument %d: %w", arg, err)}
	}
	by := s.by.of(addr)
	if by == 0 {
		return nil, nil
	}
	r, err := replay(ctx, s.setup, by.number(), by.number())
	if err != nil {
		return nil, failed(ctx, -1, err)
	}
	x := &r.events[0]
	nodes := []node{{n: by.number(), site: r.sites.all[x.site], group: r.group, wave: int(x.wave), exec: x.exec,
		lanes: 1 << by.lane()}}
	if err := (&slicer{setup: s.setup, nodes: nodes}).values(ctx); err != nil {
		return nil, failed(ctx, -1, err)
	}
	step := s.session.step(&nodes[0])
	return &step, nil
}

// inFile converts a PC to an address in the file of the code object.
func (s *Session) inFile(pc uint64) jsonout.Address {
	return jsonout.Address(pc - s.Launch.Module.Base)
}

// step converts a node to a Step.
func (s *Session) step(n *node) Step {
	lane := n.lane
	x := Step{
		PC: s.inFile(n.site.pc), Text: n.site.text(), Symbol: n.site.from.Symbol(n.site.pc),
		Source: n.site.from.Source(n.site.pc), Group: n.group, Wave: n.wave, Lane: lane, Index: n.index,
		Item: s.item(n.group, n.wave, lane), Reads: n.read, Agrees: n.agrees, Overflows: n.overflows,
	}
	for _, w := range n.wrote {
		if n.stores && (w.reg == storedAt || n.asked == 0) { // Reads has the data and the address of a store
			continue
		}
		o := Operand{Name: w.reg.Operand(&n.site.inst, 1), Bits: 32, Value: uint64(w.lanes[0])}
		if !w.scalar {
			o.Value = uint64(w.lanes[lane])
		}
		x.Writes = append(x.Writes, o)
	}
	for _, o := range n.from {
		if !o.mem || o.space != state.Global || o.lane != lane && n.site.inst.Row().Enc != isa.SMEM {
			continue
		}
		for arg, b := range s.Buffers {
			if b != nil && s.contents(arg) == nil && o.addr-b.Addr < b.Size {
				x.Memory = append(x.Memory, Element{arg, o.addr - b.Addr, 4})
			}
		}
	}
	return x
}

// item returns the global id of the work-item in a lane of a wave.
func (s *Session) item(group [3]uint32, wave, lane int) (id [3]uint64) {
	l := &s.Launch
	n := uint32(wave*state.NumLanes + lane)
	for k := range id {
		size, grid := max(l.Group[k], 1), max(l.Grid[k], 1)
		items := min(size, grid-min(grid, group[k]*size)) // the last work-group may be smaller
		items = max(items, 1)
		id[k] = l.Offset[k] + uint64(group[k]*size+n%items)
		n /= items
	}
	return id
}
