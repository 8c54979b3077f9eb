// Package specjson answers the JSON requests of gcnsim's exec and dispatch commands:
//
//	exec      a program and the state of one wave in, the state that it leaves out
//	dispatch  a kernel of a code object, a grid and arguments in, buffers out
//
// [ParseExec] and [ParseDispatch] read a request, Run of what they return makes a value of package
// spec of it and runs that, and [Write] writes the reply. [Exec] does both, with what is wrong in the reply; [Lines]
// does so for a request a line. A defect of the simulator is an error like others, of kind
// "internal". The keys are described in docs/CLI.md. Files that a specification names are
// reached through [Files] only, so that a program other than the command can serve it;
// [RunSpec] finds them beside the specification.
package specjson

import (
	"cmp"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// Options are what a caller adds to a request; nil adds nothing.
type Options struct {
	// Adjust, if not nil, may change what the request says of time, once it is known for
	// which target its program is.
	Adjust func(gcn.Target, *TimingSpec) error
	// Watch, if not nil, is called before the first instruction, and returns who looks at the run
	// besides checks and the model.
	Watch func(*spec.Run) []sim.Watcher
	// Check names kinds of findings to look for besides those that the request names.
	Check []string
	// Judged says that the command line makes findings fail, so that there must be a check.
	Judged bool
	// Limit, if not 0, is how many instructions a wave may execute, whatever the request says.
	// LimitBy is what a message says raises it, "" for the key of the request.
	Limit   uint64
	LimitBy string
	// Rules, if not "", are those in place of those of the request.
	Rules string
	// TrapHandler, if not "", is the text of a trap handler in place of that of the request.
	TrapHandler string
	// Suppressions are added to those of the request. Also if there are none but it is not nil,
	// there must be a check.
	Suppressions []check.Suppression
	// Seed is added to the seeds of random data: what a request leaves with Seed n is what it
	// leaves with all its seeds greater by n.
	Seed uint64
	// Files reads and writes the files that a dispatch names; without it there are none.
	Files Files
	// Uses, if not nil, are the files that the caller reads and writes: no file of a specification
	// is overwritten that one of both reads or writes; [RunSpec] looks at it.
	Uses *files.Uses
	// Objects, if not nil, keeps code objects and what is decoded of them for later dispatches,
	// which may run at the same time.
	Objects *sim.ObjectCache
	// Object, if not "", is the file of the code object in place of that of the request, relative
	// to the working directory; [RunSpec] looks at it.
	Object string
	// Schedules, if there are any, are in place of the schedule of a dispatch: it runs with the first one. If there are
	// several, Ordered is told before whether it leaves the same with all.
	Schedules []sim.Schedule
	Ordered   func(*spec.Ordering)
	// Workers is how many work-groups of a dispatch run at a time; 0 is one for each CPU.
	Workers int
	// Progress, if not nil, is told how far a dispatch is: see [sim.Launch].
	Progress func(done, total int)
}

// Files is where the files are that a specification names.
type Files interface {
	// ReadFile returns what the file holds. More than limit bytes are an error.
	ReadFile(name string, limit int64) ([]byte, error)
	// WriteFile writes the file, whole or not at all.
	WriteFile(name string, data []byte) error
}

func (o *Options) adjust(t gcn.Target, s *TimingSpec) error {
	if o.Adjust == nil {
		return nil
	}
	return o.Adjust(t, s)
}

// runs returns how a request runs, unless refuse returns an error when the run is about to begin.
func (o *Options) runs(refuse func(*spec.Run) error) *spec.Options {
	return &spec.Options{
		Watch: func(r *spec.Run) ([]sim.Watcher, error) {
			if err := refuse(r); err != nil || o.Watch == nil {
				return nil, err
			}
			return o.Watch(r), nil
		},
		Seed: o.Seed, Objects: o.Objects, Workers: o.Workers, Progress: o.Progress,
	}
}

// stopped makes err, the error of a run, say what raises the limit of instructions.
func (o *Options) stopped(err error) error {
	RaisedBy(err, cmp.Or(o.LimitBy, limitKey))
	return err
}
