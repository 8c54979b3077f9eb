package check_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/state"
)

// severe returns the errors and warnings among findings.
func severe(all []check.Finding) []check.Finding {
	return slices.DeleteFunc(all, func(f check.Finding) bool { return f.Severity <= check.Note })
}

// TestCompiledKernelsDoNotRace: the accesses of compiled kernels are ordered. In one kernel,
// waves wait in a loop for a plain store to LDS, which is a note.
func TestCompiledKernelsDoNotRace(t *testing.T) {
	for i, file := range specifications(t, "*.json") {
		if effort.LeavesOut(i) {
			continue
		}
		m, l := launchOf(t, file)
		c, err := check.New("race")
		require.NoError(t, err)
		require.NoError(t, l.Watch(c))
		_, err = m.Dispatch(context.Background(), *l)
		require.NoError(t, err, file)
		found := c.Findings()
		if strings.HasPrefix(filepath.Base(file), "spin.") {
			assert.NotEmpty(t, found, file)
		}
		assert.Empty(t, severe(found), file)
	}
}

// unbarred is a program without one S_BARRIER. Only its checker and its plain reference see
// that: the events are those of a run of the original program.
type unbarred struct {
	pc    uint64
	c     *check.Checker
	plain *plainRaces
}

// barriers passes the events of a run to programs that each lack one barrier. The first program
// lacks none.
type barriers struct {
	sim.NoWatcher
	t   *testing.T
	all []*unbarred
}

func (b *barriers) add(pc uint64) {
	c, err := check.New("race")
	require.NoError(b.t, err)
	b.all = append(b.all, &unbarred{pc, c, newPlainRaces()})
}

func (b *barriers) Needs() sim.Needs { return sim.Needs{Events: sim.BeforeAndAfter} }

func (b *barriers) Begin(waves []*state.Wave) {
	for _, x := range b.all {
		x.c.Begin(waves)
	}
}

func (b *barriers) Issue(e *sim.Event) {
	for _, x := range b.all {
		if e.PC != x.pc {
			x.c.Issue(e)
		}
	}
}

func (b *barriers) Retire(e *sim.Event) {
	for _, x := range b.all {
		if e.PC != x.pc {
			x.c.Retire(e)
			x.plain.observe(e)
		}
	}
}

// TestDeletedBarriersAreFound deletes each S_BARRIER of compiled kernels, one at a time. If a
// plain reference says that the barrier orders accesses of different waves, there must be a finding.
func TestDeletedBarriersAreFound(t *testing.T) {
	deleted, needed := 0, 0
	for i, file := range specifications(t, "*.fiji.json") {
		if i%2 != 0 || effort.LeavesOut(i) {
			continue
		}
		m, l := launchOf(t, file)
		b := &barriers{t: t}
		b.add(0)
		met := map[uint64]bool{}
		require.NoError(t, l.Watch(sim.Observer(func(e *sim.Event) {
			met[e.PC] = met[e.PC] ||
				(*isa.Inst)(e.Inst).Row().Control == isa.Barrier
		})))
		_, err := m.Dispatch(context.Background(), *l)
		require.NoError(t, err, file)
		for pc, is := range met {
			if is {
				b.add(pc)
			}
		}
		if len(b.all) == 1 {
			continue
		}
		m, l = launchOf(t, file)
		require.NoError(t, l.Watch(b))
		_, err = m.Dispatch(context.Background(), *l)
		require.NoError(t, err, file)
		for _, x := range b.all[1:] {
			deleted++
			for pair := range b.all[0].plain.pairs { // the pairs that race with all barriers, too
				delete(x.plain.pairs, pair)
			}
			if len(x.plain.pairs) > 0 {
				needed++
				assert.NotEmpty(t, severe(x.c.Findings()), "%s: s_barrier at 0x%x orders %v", file, x.pc, x.plain.pairs)
			}
		}
	}
	t.Logf("%d barriers deleted, %d of them order something: all found", deleted, needed)
	require.NotZero(t, needed)
}
