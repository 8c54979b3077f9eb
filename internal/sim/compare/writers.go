package compare

import (
	"sort"

	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// shadow is a watcher that keeps, for every byte of global memory, which instruction of
// which lane wrote it last. It takes two bytes for each byte that is written, eight more for
// those of pages that are not written by whole dwords.
type shadow struct {
	sim.NoWatcher

	n      uint64   // instructions so far
	begins []uint64 // of them before each work-group
	pages  map[uint64]*page
	at     uint64 // the page that was asked for last
	last   *page
}

// The shadow of memory comes in pages of so many bytes.
const (
	pageBits  = 12
	pageBytes = 1 << pageBits
)

// stamp is who wrote: the number of the instruction from 1, and the lane in the low bits. 0
// is nobody.
type stamp uint64

func stampOf(n uint64, lane int) stamp { return stamp((n+1)<<6 | uint64(lane)) }

func (s stamp) number() uint64 { return uint64(s>>6) - 1 }
func (s stamp) lane() int      { return int(s & (state.NumLanes - 1)) }

// page holds who wrote each dword or, if bytes is not nil, each byte.
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

// find returns the page that holds addr, nil if nothing of it was written.
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

// of returns who wrote the byte at addr.
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

// group returns the first instruction of the work-group of instruction n.
func (w *shadow) group(n uint64) uint64 {
	i := sort.Search(len(w.begins), func(i int) bool { return w.begins[i] > n })
	return w.begins[i-1]
}
