package engine

import (
	"strings"

	"github.com/gcnsim/gcnsim/internal/sim/record"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// JudgeWithoutAccesses judges an execution as if moves had produced its final registers: memory, findings and
// accesses are removed. It returns the number of removed accesses.
func JudgeWithoutAccesses(want string, r *record.Record, instructions, cycles uint64) (
	v Verdict, accesses int, err error,
) {
	o := &outcome{reply: &spec.Reply{Instructions: &instructions}, cycles: cycles}
	for s, err := range r.Windows[0].Steps() {
		if err != nil {
			return v, 0, err
		}
		o.last = s.State
		switch {
		case s.Inst == nil: // the state before the first instruction
		case s.Access != nil, strings.HasPrefix(s.Text, "ds_"): // permutes have no addresses
			accesses++
		default:
			o.steps = append(o.steps, sawStep(s))
		}
	}
	c, err := parseCondition(want)
	return o.judge(c), accesses, err
}
