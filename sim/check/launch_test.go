package check_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/sim"
)

// compiled is the directory of the compiled kernels, with specifications of their runs.
const compiled = "../../testdata/kernels"

// launchOf returns a new machine, and the launch on it that a specification in directory
// compiled describes.
func launchOf(t testing.TB, file string) (*sim.Machine, *sim.Launch) {
	t.Helper()
	var spec struct {
		CodeObject      string    `json:"code_object"`
		Kernel          string    `json:"kernel"`
		Grid, Workgroup [3]uint32 //
		Args            []struct {
			Buffer *struct {
				Size int
				File string
			}
			U32   *uint32
			F32   *float32
			Local *uint32
			Hex   *string
		}
	}
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &spec), file)
	object, err := os.ReadFile(filepath.Join(compiled, spec.CodeObject))
	require.NoError(t, err)
	o, err := codeobj.Parse(object)
	require.NoError(t, err)
	m := sim.New(o.Target)
	mod, err := m.LoadObject(object)
	require.NoError(t, err)
	l := &sim.Launch{Module: mod, Kernel: spec.Kernel, Grid: spec.Grid, Group: spec.Workgroup}
	for _, a := range spec.Args {
		var arg sim.Arg
		switch {
		case a.Buffer != nil:
			data := make([]byte, a.Buffer.Size)
			if a.Buffer.File != "" {
				data, err = os.ReadFile(filepath.Join(compiled, a.Buffer.File))
				require.NoError(t, err)
			}
			b := m.Alloc(len(data))
			copy(b.Bytes(), data)
			arg = sim.BufferArg(b)
		case a.U32 != nil:
			arg = sim.U32(*a.U32)
		case a.F32 != nil:
			arg = sim.F32(*a.F32)
		case a.Local != nil:
			arg = sim.Local(*a.Local)
		default:
			data, err := hex.DecodeString(*a.Hex)
			require.NoError(t, err)
			arg = sim.Bytes(data)
		}
		l.Args = append(l.Args, arg)
	}
	return m, l
}
