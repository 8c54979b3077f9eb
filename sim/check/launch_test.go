package check_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/codeobj"
	"github.com/gcnsim/gcnsim/state"
)

const testdata = "../../testdata"

// kernel returns a launch of a kernel of testdata, without arguments.
func kernel(t testing.TB, file, name string) (*sim.Machine, *sim.Launch) {
	data, err := os.ReadFile(filepath.Join(testdata, "kernels", file))
	require.NoError(t, err)
	o, err := codeobj.Parse(data)
	require.NoError(t, err)
	m := sim.New(o.Target)
	mod, err := m.LoadObject(data)
	require.NoError(t, err)
	return m, &sim.Launch{Module: mod, Kernel: name}
}

// Findings do not depend on how many work-groups run at a time, and compiled code has
// none but those that it deserves.
func TestFindingsAreTheSameAtAnyNumberOfWorkers(t *testing.T) {
	var want string
	for _, workers := range []int{1, 2, 7} {
		m, l := kernel(t, "vadd.tahiti.co", "vadd")
		l.Workers, l.Grid, l.Group = workers, [3]uint32{1024}, [3]uint32{64}
		for range 3 {
			l.Args = append(l.Args, sim.BufferArg(m.Alloc(4096)))
		}
		l.Args = append(l.Args, sim.U32(1000))
		c, err := check.New("all")
		require.NoError(t, err)
		m.LDSSize = 1024
		c.Launch(m, l)
		_, err = m.Dispatch(context.Background(), *l)
		require.NoError(t, err)
		got := fmt.Sprint(c.Findings())
		if want == "" {
			want = got
		}
		require.Equal(t, want, got)
		require.Len(t, c.Findings(), 1, "%s", got) // Machine.LDSSize
	}
}

// Compilers set no bit of an instruction that is not read: those findings would be noise.
func TestCompiledCodeHasNoUnreadBits(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(testdata, "shaders", "*.hex"))
	require.NoError(t, err)
	n := 0
	for _, file := range files {
		target, err := gcn.ParseTarget(strings.Split(filepath.Base(file), ".")[1])
		if err != nil {
			continue // a picture
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var words []uint32
		for line := range strings.Lines(string(text)) {
			var w uint32
			if _, err := fmt.Sscanf(line, "%08x", &w); err == nil {
				words = append(words, w)
			}
		}
		for len(words) > 0 {
			in, err := target.Decode(words)
			require.NoError(t, err, file)
			require.Zero(t, in.Unread(), "%s: %v", file, in.Op)
			words = words[in.Size/4:]
			n++
		}
	}
	require.Greater(t, n, 10000)
}

// Settings of bare waves that a dispatch does not look at are reported.
func TestEverySettingOfBareWavesIsReported(t *testing.T) {
	for name, change := range map[string]func(*sim.Machine){
		"Machine.Rules":    func(m *sim.Machine) { m.Rules = state.DriverRules },
		"Machine.Align":    func(m *sim.Machine) { m.Align = state.AlignStrict },
		"Machine.Compare":  func(m *sim.Machine) { m.Compare = true },
		"Machine.Limit":    func(m *sim.Machine) { m.Limit = 7 },
		"Machine.Observer": func(m *sim.Machine) { m.Observer = func(sim.Event) {} },
		"Machine.LDSSize":  func(m *sim.Machine) { m.LDSSize = 1024 },
	} {
		m, l := kernel(t, "vadd.fiji.co", "vadd")
		change(m)
		c, err := check.New("all")
		require.NoError(t, err)
		c.Launch(m, l)
		f := one(t, c.Findings())
		require.Equal(t, name, f.Field)
	}
}
