package spec

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/sim"
)

// TestPanicIsAnError lets a watcher, and what returns it, panic: a panic of the
// simulator passes the same places.
func TestPanicIsAnError(t *testing.T) {
	for name, watch := range map[string]func(*Run) []sim.Watcher{
		"before the run": func(*Run) []sim.Watcher { panic("boom") },
		"in the run":     func(*Run) []sim.Watcher { return []sim.Watcher{sim.Observer(func(*sim.Event) { panic("boom") })} },
	} {
		reply := Answer(t.Context(), []byte(`{"id":7,"mcpu":"gfx803","asm":"s_nop 0"}`), &Options{Watch: watch})
		assert.False(t, reply.OK, name)
		assert.Equal(t, "7", string(reply.ID), name)
		require.NotNil(t, reply.Error, name)
		assert.Equal(t, "internal", reply.Error.Kind, name)
		assert.Contains(t, reply.Error.Message, "panicked: boom", name)
		assert.Contains(t, reply.Error.Stack, "panic_test.go", name)

		req, err := ParseDispatch([]byte(`{"code_object":"vadd.fiji.co","kernel":"vadd","grid":[1],` +
			`"args":[{"buffer":{"size":64}},{"buffer":{"size":64}},{"buffer":{"size":64}},{"u32":1}],"dump":[{"arg":0,` +
			`"file":"never"}]}`))
		require.NoError(t, err, name)
		_, err = req.Answer(t.Context(), &Options{Watch: watch, Files: kernels{}})
		require.Error(t, err, name)
		assert.Equal(t, "internal", Failed(err).Kind, name)
	}
}
