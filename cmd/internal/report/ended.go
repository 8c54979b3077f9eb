package report

import (
	"context"
	"errors"

	"github.com/gcnsim/gcnsim/cmd/internal/request"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// ended shows of a run that ended early what it had done and checks had found by then, and
// writes the files that the options name. A run that had not begun writes no files. again runs the
// same once more. The error comes from the files.
func (r *run) ended(title string, watch *watcher, err error, again func(*request.Options)) error {
	stopped, ok := errors.AsType[*spec.StoppedError](err)
	if !ok {
		if r.Leaves != nil {
			r.Leaves(func() string { return "the run had not begun, nothing was written" })
		}
		return nil
	}
	took := timing.ResultOf(stopped.Result.Times)
	if err := errors.Join(watch.order(r.out), watch.stats(r.out, took, stopped.Result.Base)); err != nil {
		return err
	}
	if len(stopped.Result.Findings) > 0 {
		if err := r.tell(stopped.Result); err != nil {
			return err
		}
	}
	if rec := watch.record; rec != nil {
		if rec.Fail(stopped.Err) {
			o := r.runs()
			o.Watch = func(*spec.Run) []sim.Watcher { return []sim.Watcher{rec} }
			again(o)
		}
	}
	failed := stopped.Err
	if errors.Is(err, context.Canceled) {
		failed = errors.New("it was interrupted")
	}
	return watch.write(r.out, &outcome{title, stopped.Result.Result, took, stopped.Result, failed})
}
