// Package steps lets a debugger drive the waves of a work-group, instruction by instruction. It can go forward, and
// again from states that it has saved. Package sim implements it.
package steps

import (
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// Director is a watcher that drives work-groups, which execute one after another. It does not receive the events of
// other watchers.
type Director interface {
	// From returns the numbers of the work-groups at which to begin. Those before skip do not execute; those from skip
	// up to direct execute to their end without the director.
	From() (skip, direct int64)
	// Direct is called when a work-group from number direct on starts. It executes all of it, or returns an error, which
	// ends the run.
	Direct(g Group) error
}

// Group is a work-group that has started. It is valid until [Director.Direct] returns.
type Group interface {
	// Number returns the number of the work-group, from 0, and the number of work-groups.
	Number() (n, total int64)
	// Waves returns the waves. A debugger may change their registers.
	Waves() []*state.Wave
	// Turn returns the wave that executes next, nil if all have ended. It opens barriers that all waves have reached. A
	// deadlock is a *state.Fault.
	Turn() (*state.Wave, error)
	// Step executes an instruction of the wave that Turn returned last. It returns false if the instruction must wait
	// for another wave; Turn then returns the wave that continues. The error is a *state.Fault; the state may then be
	// changed partly.
	Step() (executed bool, err error)
	// Access returns the record of the last executed instruction. Op is NoMem if it accessed no memory.
	Access() *state.Access
	// Inst returns the instruction at pc.
	Inst(pc uint64) (in isa.Inst, ok bool)
	// Storage returns LDS, GDS and private memory, and the address of private memory.
	Storage() (lds, gds, private []byte, privateBase uint64)
	// Save returns the state of the work-group and of all memory. It shares pages that are equal in last, which may be
	// nil.
	Save(last *State) *State
	// Load restores a state of the same work-group, of this run or of another run of the same launch.
	Load(s *State)
}

// PageBytes is the size of the pages that states share.
const PageBytes = 4 << 10

// State is a saved state; see [Group.Save].
type State struct {
	Pages  map[uint64][]Page // by the address of a range
	Waves  []state.Wave      // registers are copies
	Rest   any               // state of the run loop, used by package sim only
	Sundry [3][]Page         // LDS, GDS and private memory
}

// Page is the contents of a page, which are never changed; nil means all zero.
type Page *[PageBytes]byte

// Add adds the pages and registers of s to all, which has those of other states. It returns the number of bytes that
// were new.
func (s *State) Add(all map[Page]struct{}) (bytes int) {
	count := func(pages []Page) {
		bytes += 8 * len(pages)
		for _, p := range pages {
			if _, there := all[p]; !there && p != nil {
				all[p] = struct{}{}
				bytes += PageBytes
			}
		}
	}
	for _, pages := range s.Pages {
		count(pages)
	}
	for _, pages := range s.Sundry {
		count(pages)
	}
	for i := range s.Waves {
		bytes += 4*state.NumLanes*len(s.Waves[i].V) + 4<<10
	}
	return bytes
}

// Copy returns the pages of b, sharing those that are equal in last.
func Copy(b []byte, last []Page) []Page {
	pages := make([]Page, 0, (len(b)+PageBytes-1)/PageBytes)
	for i := 0; len(b) > 0; i++ {
		n := min(len(b), PageBytes)
		pages = append(pages, page(b[:n], last, i))
		b = b[n:]
	}
	return pages
}

var zeros [PageBytes]byte

func page(b []byte, last []Page, i int) Page {
	switch {
	case string(b) == string(zeros[:len(b)]):
		return nil
	case i < len(last) && last[i] != nil && string(b) == string(last[i][:len(b)]):
		return last[i]
	}
	p := new([PageBytes]byte)
	copy(p[:], b)
	return p
}

// Restore writes pages to b, which has the length of the memory from which they were copied.
func Restore(b []byte, pages []Page) {
	for _, p := range pages {
		n := min(len(b), PageBytes)
		if p == nil {
			clear(b[:n])
		} else {
			copy(b[:n], p[:])
		}
		b = b[n:]
	}
}
