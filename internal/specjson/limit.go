package specjson

import (
	"cmp"
	"errors"

	"github.com/gcnsim/gcnsim/state"
)

// LimitFlag is the flag of commands that says how many instructions a wave may execute.
const LimitFlag = "max-instructions"

// limitKey is the key of a request that does.
const limitKey = "max_instructions"

// limit returns how many instructions a wave may execute, 0 if neither o nor the request, which
// asks for so many, says.
func (o *Options) limit(asked *uint64) (uint64, error) {
	if asked == nil {
		return o.Limit, nil
	}
	if *asked == 0 {
		return 0, errors.New(limitKey + ": no instruction may run; give 1 or more")
	}
	return cmp.Or(o.Limit, *asked), nil
}

// RaisedBy makes the fault in err, if it is that the limit of instructions is reached, say what
// raises it.
func RaisedBy(err error, by string) {
	if f, ok := errors.AsType[*state.Fault](err); ok && f.Kind == state.FaultLimit {
		f.What += " with " + by
	}
}
