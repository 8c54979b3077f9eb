package debug

import (
	"context"
	"fmt"
	"strings"

	"github.com/gcnsim/gcnsim/cmd/internal/report"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// Launch returns a debugger that is at the first instruction of a program. data is the contents of the file name. Other
// files that data names are read from from, or from the directory of name if from is nil.
func Launch(name string, data []byte, from spec.Files, how *report.Options, o Options) (*Debugger, error) {
	debuggee, err := how.Debuggee(name, data, from)
	if err != nil {
		return nil, err
	}
	s, err := New(debuggee.Run, o)
	if err != nil {
		return nil, err
	}
	d := &Debugger{Session: s, findings: map[executes]string{}}
	if setup := debuggee.Setup(); setup != nil {
		d.Slice = func(group [3]uint32, wave int, index uint64, lane int) (string, error) {
			return compare.Why(context.Background(), setup, group, wave, index, lane)
		}
	}
	if d.code, err = codeOf(s.launched, name, debuggee.Exec); err != nil {
		return nil, err
	}
	found, err := debuggee.Findings(context.Background())
	if err != nil {
		return nil, err
	}
	for i := range found {
		d.find(&found[i])
	}
	return d, nil
}

// find adds a finding to the findings of its instruction.
func (d *Debugger) find(f *check.Finding) {
	if f.Text == "" || f.Path != nil {
		return
	}
	at := executes{f.Group, f.Wave, f.Index}
	d.findings[at] = strings.TrimPrefix(fmt.Sprintf("%s\n%v %v: %s", d.findings[at], f.Severity, f.Kind,
		f.From(d.code.base).Message), "\n")
}
