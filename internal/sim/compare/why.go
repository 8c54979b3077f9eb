package compare

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gcnsim/gcnsim/sim"
)

// until is a shadow that stops a run after an instruction of a wave.
type until struct {
	*shadow
	group [3]uint32
	wave  int
	index uint64 // number of instructions that the wave executed before it
	n     uint64 // 1 + the number of the instruction in the run, 0 before it executes
	stop  context.CancelFunc
}

// Retire is part of [sim.Watcher].
func (u *until) Retire(e *sim.Event) {
	if u.n != 0 {
		return
	}
	u.shadow.Retire(e)
	if w := e.Wave; w.Group == u.group && w.ID == u.wave && w.Executed == u.index+1 {
		u.n = u.shadow.n
		u.stop()
	}
}

// mostWhy is the maximum number of instructions that Why shows.
const mostWhy = 64

// Why returns the backward slice of an instruction in a lane as text: the instruction number index of the wave, and the
// instructions that computed its result, latest first. The error comes from ctx, is a *[SetupError], or says that the
// instruction has not executed.
func Why(ctx context.Context, program Setup, group [3]uint32, wave int, index uint64, lane int) (string, error) {
	short, cancel := context.WithCancel(ctx)
	defer cancel()
	u := &until{shadow: &shadow{}, group: group, wave: wave, index: index, stop: cancel}
	o, err := perform(short, program, nil, u)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case u.n == 0 && err != nil:
		return "", failed(ctx, -1, err)
	case u.n == 0:
		return "", errors.New("the instruction does not execute in a run without changes")
	case o == nil:
		return "", errors.New("the run has no session")
	}
	s := &slicer{setup: program, writers: u.shadow}
	if err := s.slice(ctx, 0, stampOf(u.n-1, lane), true); err != nil {
		return "", failed(ctx, -1, err)
	}
	if err := s.values(ctx); err != nil {
		return "", failed(ctx, -1, err)
	}
	var b strings.Builder
	for i := range s.nodes[:min(len(s.nodes), mostWhy)] {
		step := o.session.step(&s.nodes[i])
		fmt.Fprintf(&b, "%s\n", step.place())
		step.writeValues(&b)
		for _, e := range step.Memory {
			fmt.Fprintf(&b, "      reads argument %d, byte %d, as it was before the run\n", e.Arg, e.Offset)
		}
	}
	if n := len(s.nodes) - mostWhy; n > 0 {
		fmt.Fprintf(&b, "and %d more\n", n)
	}
	if s.cut != "" {
		fmt.Fprintln(&b, s.cut)
	}
	return b.String(), nil
}
