//go:build linux && (amd64 || arm64)

package device

import (
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/packet/aql"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/sim"
)

// load loads a code object like ROCr's loader, with the file's bytes in memory of the process, and lists it. It
// returns the address of the kernel's descriptor.
func (r *rocr) load(t *testing.T, data []byte, at uint64, kernel string) uint64 {
	t.Helper()
	o, err := codeobj.Parse(data)
	require.NoError(t, err)
	segments, err := codeobj.Load(o, at)
	require.NoError(t, err)
	for _, s := range segments {
		copy(r.gpu(s.VAddr), s.Data)
	}
	k, err := o.Kernel(kernel)
	require.NoError(t, err)
	file := arenaBase + r.used
	require.NoError(t, r.WriteAt(data, file))
	r.used += uint64(len(data)+15) &^ 15
	r.loaded = append(r.loaded, Loaded{Load: at, Addr: file, Bytes: uint64(len(data))})
	return at + k.Descriptor
}

// run dispatches a kernel and waits until it has ended or failed.
func (r *rocr) run(kernel, kernarg uint64) {
	r.t.Helper()
	r.put64(kfdSignals+64+aql.SignalValue, 1)
	r.submit(launch(kernel, kernarg))
	result, _ := r.wait(patience, 1, 2, 1<<31|1)
	require.Zero(r.t, result, "no event in time")
}

func readObject(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	return data
}

const (
	linesObject = "../sim/codeobj/testdata/lines.clang22.fiji.co"
	vaddObject  = "../../testdata/kernels/vadd.fiji.co"
)

// TestKFDNames: kernels and faults have names and source lines from the code objects that the process has loaded,
// also after one was replaced by another at the same address.
func TestKFDNames(t *testing.T) {
	var faults []*Fault
	var sources []string
	var r *rocr
	r = newRuntime(t, Options{
		Chip: "fiji", MemoryBytes: 64 << 20, Faulted: func(f *Fault) { faults = append(faults, f) },
		Watch: func(*Dispatch) []sim.Watcher {
			r.submitting.Lock() // because the device reads the sources between dispatches
			defer r.submitting.Unlock()
			return []sim.Watcher{sim.Observer(func(e *sim.Event) {
				sources = append(sources, e.Program.Symbol(e.PC)+" "+e.Program.Source(e.PC))
			})}
		},
	})
	r.put64(kfdData+16, 0)
	r.run(r.load(t, readObject(t, vaddObject), kfdCode, "vadd"), kfdData)
	r.loaded = nil // the object was unloaded
	lines := r.load(t, readObject(t, linesObject), kfdCode, "lines")
	r.run(lines, kfdData)
	assert.Contains(t, sources, "lines+0x8 lines.cl:10")
	kernels := r.f.dev.Kernels()
	require.Len(t, kernels, 2)
	assert.Equal(t, "vadd", kernels[0].Name)
	k := kernels[1]
	assert.Equal(t, []any{"lines", "lines", "lines.cl:9", uint64(kfdCode), false},
		[]any{k.Name, k.Title(), k.Source, k.Load, k.Runtime})
	r.put64(kfdData+16, 1) // n, so that the kernel reads at address 0
	r.run(lines, kfdData)
	require.Len(t, faults, 1)
	assert.Regexp(t, `^lines\+0x34, lines\.cl:11, in buffer \d+ \+ 0x`, faults[0].Code)
	assert.Contains(t, faults[0].Error(), ", lines+0x34 (flat_load_dword v1, v[1:2]), lines.cl:11,")
	assert.Equal(t, 2, kernels[1].Dispatches)
}

// TestKFDRuntimeKernels: a kernel that is in no code object and that follows an amd_kernel_code_t belongs to the
// runtime.
func TestKFDRuntimeKernels(t *testing.T) {
	r := newRuntime(t, Options{Chip: "fiji", MemoryBytes: 64 << 20})
	r.load(t, readObject(t, vaddObject), kfdData, "vadd")
	r.run(r.kernel("s_endpgm", 0), 0)
	r.k.stop()
	require.Len(t, r.f.dev.Kernels(), 1)
	assert.True(t, r.f.dev.Kernels()[0].Runtime)
	assert.Empty(t, r.f.dev.Kernels()[0].Title())
}

// TestKFDNoNames: if the process's list is missing or wrong, kernels execute without names.
func TestKFDNoNames(t *testing.T) {
	for what, c := range map[string]struct {
		change func(r *rocr)
		log    string
	}{
		"no list":       {func(r *rocr) { r.unread = errors.New("it has none") }, "has no name: it has none"},
		"not in memory": {func(r *rocr) { r.loaded[0].Bytes = 0 }, ""},
		"unmapped":      {func(r *rocr) { r.loaded[0].Addr = 1 }, "has no name: not mapped"},
		"very large":    {func(r *rocr) { r.loaded[0].Bytes = 1 << 60 }, "at most"},
		"cut short":     {func(r *rocr) { r.loaded[0].Bytes = 64 }, "has no name: code object:"},
		"a text":        {func(r *rocr) { _ = r.WriteAt([]byte(".amdhsa_kernel"), r.loaded[0].Addr) }, "is no ELF file"},
		"another one": {func(r *rocr) {
			r.load(t, readObject(t, linesObject), kfdData+0x8000, "lines")
			r.loaded = r.loaded[1:]
			r.loaded[0].Load = kfdCode
		}, ""},
		"another address":  {func(r *rocr) { r.loaded[0].Load -= 4 }, ""},
		"none is that far": {func(r *rocr) { r.loaded[0].Load = 1 << 40 }, ""},
	} {
		var log strings.Builder
		r := newRuntime(t, Options{Chip: "fiji", MemoryBytes: 64 << 20, Log: &log})
		kernel := r.load(t, readObject(t, vaddObject), kfdCode, "vadd")
		c.change(r)
		binary.LittleEndian.PutUint32(r.gpu(kfdData+16), 0)
		r.run(kernel, kfdData)
		r.k.stop()
		require.Len(t, r.f.dev.Kernels(), 1, what)
		k := r.f.dev.Kernels()[0]
		assert.Equal(t, []any{"", "", uint64(0), false}, []any{k.Name, k.Source, k.Load, k.Runtime}, what)
		assert.Contains(t, log.String(), c.log, what)
	}
}
