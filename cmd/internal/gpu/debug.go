package gpu

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/gcnsim/gcnsim/cmd/internal/debug"
	"github.com/gcnsim/gcnsim/cmd/internal/report"
	"github.com/gcnsim/gcnsim/internal/device"
	"github.com/gcnsim/gcnsim/sim"
)

// stopper stops one dispatch after it has executed, before the program is notified, until the debugger disconnects.
// The debugger executes a copy of the dispatch from its start, so its changes do not reach the program.
type stopper struct {
	saver
	at     net.Listener
	chosen *selection
	check  []string
}

// newStopper listens for a debugger at the address of o, if a dispatch is to be stopped.
func newStopper(ctx context.Context, o *Options, tell io.Writer) (*stopper, error) {
	chosen, err := parseOnly("--debug", o.Debug)
	if chosen == nil || err != nil {
		return nil, err
	}
	chosen.n = max(chosen.n, 1)
	s := &stopper{chosen: chosen, check: o.Check, saver: saver{ctx: ctx, lost: "stopped"}}
	s.keep = s.serve
	s.begin(o, tell)
	s.at, err = debug.Listen(o.Listen)
	return s, err
}

// close stops to listen.
func (s *stopper) close() {
	if s != nil {
		s.at.Close()
	}
}

// watch returns the watcher of d, or nil if d is not stopped.
func (s *stopper) watch(d *device.Dispatch, runtime bool) sim.Watcher {
	if s == nil || d.Kernel.Runtime && !runtime || !s.chosen.takes(d.Kernel) {
		return nil
	}
	if d.Registers.Schedule == sim.Cooperative {
		s.leave(d, errors.New("its work-groups wait for one another, and a debugger runs one after another"))
		return nil
	}
	return s.saver.watch(d)
}

// serve lets a debugger step through d.
func (s *stopper) serve(d *device.Dispatch, p *packed) error {
	fmt.Fprintf(s.tell, "file %d, dispatch %d, %s, is stopped: it waits for a debugger at %s\n", d.File, d.Number,
		nameOf(d.Kernel), s.at.Addr())
	err := debug.ServeOne(s.ctx, s.at, func(string, []string) (*debug.Debugger, error) {
		return debug.Launch(p.spec, p.files[p.spec], p, &report.Options{Check: s.check},
			debug.Options{Checkpoints: debug.DefaultCheckpoints})
	})
	if err != nil && s.ctx.Err() == nil {
		fmt.Fprintf(s.tell, "%s goes on: %v\n", nameOf(d.Kernel), err)
	}
	return nil
}

// missed returns an error if no dispatch was stopped.
func (s *stopper) missed() error {
	if s == nil {
		return nil
	}
	return s.chosen.missed()
}
