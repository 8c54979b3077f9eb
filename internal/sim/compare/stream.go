package compare

import (
	"cmp"
	"context"
	"hash/maphash"
	"slices"
	"sync"

	"github.com/gcnsim/gcnsim/sim"
)

// This file runs two programs side by side and compares their waves instruction by
// instruction while both run. The memory it uses does not grow with the length of the runs.

// waveID identifies a wave of a run.
type waveID struct {
	group [3]uint32
	wave  int
}

// record has the compared values of one instruction: its PC and the print of its effects.
type record struct{ pc, print uint64 }

// packet has consecutive instructions of one wave, or the end of a run.
type packet struct {
	id   waveID
	all  []record
	done bool // the run has ended; err says why
	err  error
}

// packetSize is the maximum number of instructions in a packet.
const packetSize = 4096

// side is one of the two runs.
type side struct {
	printer
	out  chan packet
	stop <-chan struct{}
	now  packet
	// begun has the waves that have begun and not ended.
	begun    map[waveID]bool
	received uint64 // number of instructions that the comparison has received
	ended    bool
	err      error
}

// start runs r on a goroutine.
func (s *side) start(ctx context.Context, r Run, wait *sync.WaitGroup) {
	s.out, s.begun = make(chan packet, 2), map[waveID]bool{}
	s.stop = ctx.Done()
	wait.Go(func() {
		err := func() (err error) {
			defer recovered(&err)
			return r(ctx, sim.Observer(s.observe))
		}()
		s.flush()
		s.send(packet{done: true, err: err})
	})
}

func (s *side) observe(e *sim.Event) {
	id := waveID{e.Wave.Group, e.Wave.ID}
	if id != s.now.id || len(s.now.all) == packetSize {
		s.flush()
		s.now.id = id
	}
	r := record{e.PC, s.print(e)}
	if s.places { // both runs must begin in the same state
		if !s.begun[id] {
			s.begun[id] = true
			r.print = r.print*31 + s.whole(e.Wave)
		}
		if e.Wave.Ended {
			delete(s.begun, id)
		}
	}
	s.now.all = append(s.now.all, r)
}

func (s *side) flush() {
	if len(s.now.all) > 0 {
		s.send(s.now)
		s.now.all = nil
	}
}

func (s *side) send(p packet) {
	select {
	case s.out <- p:
	case <-s.stop:
	}
}

// parting is the point where a wave differs between the two runs. at has the number of the
// instruction in the wave, there says whether a run reached it.
type parting struct {
	id     waveID
	agreed uint64 // number of compared instructions, all equal
	at     [2]uint64
	there  [2]bool
	pc     [2]uint64
	// before is the last instruction that agrees, in each run.
	before [2]numbered
	// faults says which run ended with a fault of this instruction.
	faults [2]bool
	// gaps has the latest instructions that only one program has.
	gaps [2][]numbered
	// renamed has the latest instructions that agree but write different registers.
	renamed [][2]numbered
	// same is set if both runs execute corresponding instructions and only the results differ.
	same bool
}

// numbered is the PC of an instruction and its number in the wave.
type numbered struct{ pc, n uint64 }

// maxGaps is the maximum length of parting.gaps and parting.renamed.
const maxGaps = 16

// progress is the state of the comparison of one wave.
type progress struct {
	parting
	pending [2][]record
	parted  bool
}

// streams compares two runs.
type streams struct {
	sides    [2]side
	align    *alignment
	waves    map[waveID]*progress
	reported []*parting // waves that executed more instructions in one run
	// found is called once for each wave that differs. It returns true to stop the comparison.
	found func(*parting) bool
}

// run executes both runs until they end or found returns true. errs has the errors of the runs;
// ended is false if the comparison stopped before both runs ended.
func (s *streams) run(ctx context.Context, a, b Run) (errs [2]error, ended bool) {
	short, cancel := context.WithCancel(ctx)
	var wait sync.WaitGroup
	defer wait.Wait()
	defer cancel()
	seed := maphash.MakeSeed()
	s.waves = map[waveID]*progress{}
	for i, r := range []Run{a, b} {
		s.sides[i].seed, s.sides[i].places = seed, s.align == nil
		s.sides[i].values = s.align != nil && len(s.align.renamed) > 0
		s.sides[i].start(short, r, &wait)
	}
	for {
		i := 0
		if x, y := &s.sides[0], &s.sides[1]; x.ended || !y.ended && y.received < x.received {
			i = 1
		}
		side := &s.sides[i]
		if side.ended {
			break
		}
		select {
		case p := <-side.out:
			if p.done {
				side.ended, side.err = true, p.err
				continue
			}
			side.received += uint64(len(p.all))
			if s.add(i, p) {
				return errs, false
			}
		case <-ctx.Done():
			return errs, false
		}
	}
	for _, w := range s.left() {
		s.reported = append(s.reported, &w.parting)
		if s.found(&w.parting) {
			break
		}
	}
	return [2]error{s.sides[0].err, s.sides[1].err}, true
}

// add compares instructions p of side i with the other side, and reports whether the comparison is complete.
func (s *streams) add(i int, p packet) (enough bool) {
	w := s.waves[p.id]
	if w == nil {
		w = &progress{parting: parting{id: p.id}}
		s.waves[p.id] = w
	}
	if w.parted {
		return false
	}
	if len(w.pending[i]) == 0 {
		w.pending[i] = p.all
	} else {
		w.pending[i] = append(w.pending[i], p.all...)
	}
	if !w.compare(s.align) {
		return false
	}
	w.parted, w.pending = true, [2][]record{}
	return s.found(&w.parting)
}

// skip skips the instructions that only one program has, and adds them to gaps.
func (w *progress) skip(align *alignment) {
	for i := range w.pending {
		for len(w.pending[i]) > 0 && align != nil {
			r := w.pending[i][0]
			if _, both := align.sides[i].number(r.pc); both {
				break
			}
			w.gaps[i] = append(w.gaps[i], numbered{r.pc, w.at[i]})
			w.gaps[i] = w.gaps[i][max(len(w.gaps[i])-maxGaps, 0):]
			w.at[i]++
			w.pending[i] = w.pending[i][1:]
		}
	}
}

// compare compares the instructions that both runs have executed, and reports whether the wave differs.
func (w *progress) compare(align *alignment) bool {
	for {
		w.skip(align)
		if len(w.pending[0]) == 0 || len(w.pending[1]) == 0 {
			return false
		}
		a, b := w.pending[0][0], w.pending[1][0]
		same, renamed := a.pc == b.pc, false
		if align != nil {
			x, _ := align.sides[0].number(a.pc)
			y, _ := align.sides[1].number(b.pc)
			same, renamed = x == y, align.renamed[x]
		}
		if !same || a.print != b.print {
			w.there, w.pc, w.same = [2]bool{true, true}, [2]uint64{a.pc, b.pc}, same
			return true
		}
		w.before = [2]numbered{{a.pc, w.at[0]}, {b.pc, w.at[1]}}
		if renamed {
			w.renamed = append(w.renamed, w.before)
			w.renamed = w.renamed[max(len(w.renamed)-maxGaps, 0):]
		}
		w.agreed++
		for i := range w.pending {
			w.at[i]++
			w.pending[i] = w.pending[i][1:]
		}
	}
}

// left returns the waves that executed more instructions in one run than in the other, sorted by work-group and wave.
func (s *streams) left() (all []*progress) {
	for _, w := range s.waves {
		if w.parted || len(w.pending[0])+len(w.pending[1]) == 0 {
			continue
		}
		for i := range w.pending {
			if w.there[i] = len(w.pending[i]) > 0; w.there[i] {
				w.pc[i] = w.pending[i][0].pc
			}
		}
		all = append(all, w)
	}
	slices.SortFunc(all, func(a, b *progress) int {
		x, y := a.id, b.id
		return cmp.Or(cmp.Compare(x.group[2], y.group[2]), cmp.Compare(x.group[1], y.group[1]),
			cmp.Compare(x.group[0], y.group[0]), cmp.Compare(x.wave, y.wave))
	})
	return all
}
