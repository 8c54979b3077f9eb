package executor

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/state"
)

// Every field of BufferRules has its own subject, and copying all subjects turns any rule set into any other.
// Otherwise a difference would have no name, or would not be found.
func TestBufferChoicesAreComplete(t *testing.T) {
	fields := reflect.TypeFor[BufferRules]().NumField()
	require.Equal(t, int(NumBufferChoices), fields)
	chosen := map[int]BufferChoice{}
	names := map[string]bool{}
	for c := range NumBufferChoices {
		require.NotEmpty(t, c.String())
		require.False(t, names[c.String()], "two choices are called %q", c)
		names[c.String()] = true
		full := distinct(fields)
		taken := reflect.ValueOf(BufferRules{}.With(c, &full))
		moved := 0
		for i := range fields {
			if !taken.Field(i).IsZero() {
				moved++
				require.NotContains(t, chosen, i, "%v and %v are the same field", c, chosen[i])
				chosen[i] = c
			}
		}
		require.Equal(t, 1, moved, "%v", c)
	}
	sets := []*BufferRules{rdnaBuffer}
	for g := range gcn.Gen(gcn.NumGens) {
		sets = append(sets, BufferRulesOf(state.SeedRules, g), BufferRulesOf(state.DriverRules, g))
	}
	for _, from := range sets {
		for _, to := range sets {
			r := *from
			for c := range NumBufferChoices {
				r = r.With(c, to)
			}
			require.Equal(t, *to, r)
		}
	}
}

// distinct returns rules with all fields set to distinct values.
func distinct(fields int) (r BufferRules) {
	for i := range fields {
		switch f := reflect.ValueOf(&r).Elem().Field(i); f.Kind() {
		case reflect.Bool:
			f.SetBool(true)
		default:
			f.SetUint(8)
		}
	}
	return r
}
