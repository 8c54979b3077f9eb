package check

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// plainCounter is one counter in the words of rule W8: all entries that it ever had, each
// with a flag whether a wait has proved it.
type plainCounter struct {
	entered []plainEntry
	top     int
}

type plainEntry struct {
	id, count int
	order     order
	needed    bool // the instruction needs this counter for its results
	proved    bool
}

func (p *plainCounter) wait(n int) {
	if n >= p.top {
		return
	}
	for i := range p.entered {
		e := &p.entered[i]
		sum := 0
		for _, other := range p.entered[i:] {
			if other.order == e.order {
				sum += other.count
			}
		}
		if n == 0 || e.order != unordered && sum > n {
			e.proved = true
		}
	}
}

func (p *plainCounter) unproved() []int {
	ids := []int{}
	for _, e := range p.entered {
		if !e.proved {
			ids = append(ids, e.id)
		}
	}
	return ids
}

// TestCountersAgainstPlainOnes adds instructions of all paths to counters and executes waits, in
// random order. It compares the counters with plain ones, which follow rules W8 and W9 literally.
func TestCountersAgainstPlainOnes(t *testing.T) {
	traits := isa.TraitsOf(gcn.GFX803)
	paths := []path{pathVMEM, pathLDS, pathGDS, pathScalar, pathMessage, pathColour, pathPosition, pathParameter, pathFLAT}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		top := maxima(traits)
		var q counters
		q.reset()
		var plain [numCounters]plainCounter
		for k := range plain {
			plain[k].top = top[k]
		}
		wait := func(k counter, n int) {
			plain[k].wait(n)
			if n < top[k] {
				q.wait(k, n)
			}
		}
		for id := range 60 {
			if r.IntN(4) == 0 {
				wait(counter(r.IntN(int(numCounters))), r.IntN(6))
			} else {
				s := &site{}
				s.wait.path = paths[r.IntN(len(paths))]
				s.wait.order = orders[s.wait.path]
				e := entry{site: s, index: uint64(id), need: results[s.wait.path], order: s.wait.order, freed: true}
				for k := range numCounters {
					if e.order[k] == orderStoreData || e.order[k] == unordered && e.need>>k&1 == 0 {
						continue
					}
					s.wait.counts[k] = 1
					if k == lgkmcnt && s.wait.path == pathScalar {
						s.wait.counts[k] += uint8(r.IntN(2))
					}
					wait(k, top[k]-int(s.wait.counts[k]))
				}
				q.add(&e)
				for k, n := range s.wait.counts {
					if n > 0 {
						plain[k].entered = append(plain[k].entered, plainEntry{id, int(n), e.order[k], e.need.has(counter(k)), false})
					}
				}
			}
			for k := range numCounters {
				got := []int{} // complete instructions are removed even if a counter still has them
				for i := range q.live {
					if e := &q.live[i]; e.in.has(k) && !e.complete() {
						got = append(got, int(e.index))
					}
				}
				want := plain[k].unproved()
				want = slices.DeleteFunc(want, func(id int) bool { return complete(&plain, id) })
				require.Equal(t, want, got, fmt.Sprintf("seed %d, %s after %d", seed, counterNames[k], id))
			}
		}
	}
}

// complete reports whether an instruction is proved by all counters that it needs.
func complete(all *[numCounters]plainCounter, id int) bool {
	for k := range all {
		for _, e := range all[k].entered {
			if e.id == id && e.needed && !e.proved {
				return false
			}
		}
	}
	return true
}
