package engine_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/sim/record"
	"github.com/gcnsim/gcnsim/internal/testkit/golden"
	"github.com/gcnsim/gcnsim/page/internal/engine"
)

// An exercise is not solved at the start, and its solution solves it. A program with the solution's registers but
// without its accesses does not. The page's messages are in a golden file.
func TestExercises(t *testing.T) {
	list, err := engine.Lessons()
	require.NoError(t, err)
	var out strings.Builder
	for _, l := range list {
		for i, x := range l.Exercises {
			fmt.Fprintf(&out, "%s, %d: %s\n", l.Name, i+1, x.Task)
			judge := func(label string, s engine.Scenario) (*ran, bool) {
				s.Wants = []string{x.Want}
				r := call[ran](t, "run", &s)
				require.Len(t, r.Verdicts, 1)
				fmt.Fprintf(&out, "  %s: %s\n", label, r.Verdicts[0].Say)
				return &r, r.Verdicts[0].OK
			}
			for _, line := range x.Solution.Changes {
				fmt.Fprintf(&out, "  change: %s\n", line)
			}
			assert.NotEmpty(t, x.Hint, "%s, %d", l.Name, i+1)
			assert.Equal(t, x.Solution.Set != nil, x.Solution.Changes != nil, "%s, %d", l.Name, i+1)
			_, ok := judge("as it was", l.Scenario)
			assert.False(t, ok, "%s: %s", l.Name, x.Task)
			r, ok := judge("solved", changed(t, &l, x.Solution))
			assert.True(t, ok, "%s: %s", l.Name, x.Task)

			file, err := record.Read(bytes.NewReader(r.Record))
			require.NoError(t, err)
			v, accesses, err := engine.JudgeWithoutAccesses(x.Want, file, r.Reply.Instructions, r.Cycles)
			require.NoError(t, err)
			if accesses > 0 {
				assert.False(t, v.OK, "%s, %d is solved without an access: %s", l.Name, i+1, x.Want)
			}
		}
	}
	golden.Compare(t, "testdata/exercises.txt", []byte(out.String()))
}
