package sim_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/testkit/golden"
	"github.com/gcnsim/gcnsim/sim"
)

const kernelDir = "../testdata/kernels"

// kernelTest is a kernel of testdata/kernels with its inputs and expected outputs.
type kernelTest struct {
	name        string
	grid, group [3]uint32
	args        []kernelArg
}

// kernelArg is one argument: a buffer with its bytes before the run and, if it is an output, after it; a scalar; or a
// number of bytes of LDS.
type kernelArg struct {
	in, want []byte
	value    sim.Arg // the argument if in is nil
	spec     map[string]any
}

func i32(v int32) kernelArg {
	return kernelArg{value: sim.U32(uint32(v)), spec: map[string]any{"u32": v}}
}

// value returns a value of fixed size as an argument.
func value(v any) kernelArg {
	b := raw(v)
	return kernelArg{value: sim.Bytes(b), spec: map[string]any{"hex": hex.EncodeToString(b)}}
}

func f32(v float32) kernelArg {
	return kernelArg{value: sim.F32(v), spec: map[string]any{"f32": v}}
}

func localBytes(n uint32) kernelArg {
	return kernelArg{value: sim.Local(n), spec: map[string]any{"local": n}}
}

// objects returns the file names of a kernel's code objects: NAME[.VARIANT].CPU.co.
func (k *kernelTest) objects(t testing.TB) []string {
	all, err := allObjects()
	require.NoError(t, err)
	var files []string
	for _, file := range all {
		if strings.HasPrefix(filepath.Base(file), k.name+".") {
			files = append(files, file)
		}
	}
	require.NotEmpty(t, files, k.name)
	return files
}

// allObjects returns the file names of all kernels' code objects.
var allObjects = sync.OnceValues(func() ([]string, error) { return filepath.Glob(filepath.Join(kernelDir, "*.co")) })

// TestKernels executes compiled kernels on every target that they are compiled for.
func TestKernels(t *testing.T) {
	placements := []uint64{0, 1, 2}
	if !effort.Full() {
		placements = placements[1:2]
	}
	for _, k := range kernelTests() {
		for _, file := range k.objects(t) {
			name := strings.TrimSuffix(filepath.Base(file), ".co")
			if golden.Rewriting() {
				k.writeSpec(t, name)
			}
			k.checkSpec(t, name)
			for _, p := range placements {
				t.Run(fmt.Sprintf("%s/placement %d", name, p), func(t *testing.T) { k.run(t, file, p) })
			}
		}
	}
}

func (k *kernelTest) run(t *testing.T, file string, placement uint64) {
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	o, err := codeobj.Parse(data)
	require.NoError(t, err)
	m := sim.New(o.Target)
	m.Placement = placement
	mod, err := m.LoadObject(data)
	require.NoError(t, err)
	l := sim.Launch{Module: mod, Kernel: k.name, Grid: k.grid, Group: k.group}
	buffers := make([]*sim.Buffer, len(k.args))
	for i, a := range k.args {
		if a.in != nil {
			buffers[i] = m.Alloc(len(a.in))
			copy(buffers[i].Bytes(), a.in)
			a.value = sim.BufferArg(buffers[i])
		}
		l.Args = append(l.Args, a.value)
	}
	_, err = m.Dispatch(context.Background(), l)
	require.NoError(t, err)
	for i, a := range k.args {
		if a.want != nil {
			if msg := firstDifference(a.want, buffers[i].Bytes()[:len(a.want)]); msg != "" {
				t.Errorf("argument %d: %s", i, msg)
			}
		}
	}
}

func firstDifference(want, got []byte) string {
	for i := range want {
		if want[i] != got[i] {
			at := i &^ 3
			return fmt.Sprintf("byte %d (dword %d): want %x, got %x", i, i/4, want[at:min(at+4, len(want))],
				got[at:min(at+4, len(want))])
		}
	}
	return ""
}

// checkSpec compares the files of testdata/kernels with the references.
func (k *kernelTest) checkSpec(t *testing.T, stem string) {
	require.FileExists(t, filepath.Join(kernelDir, stem+".json"))
	for i, a := range k.args {
		if a.want != nil {
			want, err := os.ReadFile(filepath.Join(kernelDir, k.wantFile(i)))
			require.NoError(t, err)
			require.Equal(t, a.want, want, k.wantFile(i))
		}
	}
}

// wantFile returns the name of the file with the expected bytes of buffer argument i.
func (k *kernelTest) wantFile(i int) string { return fmt.Sprintf("%s.arg%d.want", k.name, i) }

// writeSpec writes the dispatch spec of one code object, and the inputs and expected bytes that all code objects of
// the kernel share.
func (k *kernelTest) writeSpec(t *testing.T, stem string) {
	write := func(name string, data []byte) {
		require.NoError(t, os.WriteFile(filepath.Join(kernelDir, name), data, 0o644))
	}
	var args, dump []any
	for i, a := range k.args {
		if a.in != nil {
			buffer := map[string]any{"size": len(a.in)}
			if strings.Trim(string(a.in), "\x00") != "" {
				buffer = map[string]any{"file": fmt.Sprintf("%s.arg%d.in", k.name, i)}
				write(buffer["file"].(string), a.in)
			}
			a.spec = map[string]any{"buffer": buffer}
		}
		args = append(args, a.spec)
		if a.want != nil {
			write(k.wantFile(i), a.want)
			dump = append(dump, map[string]any{"arg": i, "hex": true})
		}
	}
	spec, err := json.Marshal(map[string]any{
		"code_object": stem + ".co", "kernel": k.name, "grid": k.grid, "workgroup": k.group, "args": args, "dump": dump,
	})
	require.NoError(t, err)
	write(stem+".json", append(spec, '\n'))
}
